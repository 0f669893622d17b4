package format

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// A JSON string is read back as it was, has no raw control character and no line separator.
func FuzzAppendString(f *testing.F) {
	f.Add("a\n\t\r\"\\\x00\u2028\u2029\u20ac é")
	f.Add("\xe2\x80")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		raw := appendString(nil, text)
		var got string
		if err := json.Unmarshal(raw, &got); err != nil || got != text {
			t.Errorf("%q is read back as %q (%v)", text, got, err)
		}
		for _, r := range string(raw) {
			if r < ' ' || r == 0x2028 || r == 0x2029 {
				t.Errorf("%q has the character %q", raw, r)
			}
		}
	})
}

func TestSpaced(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1,"b":[1,2]}`:              `{"a": 1, "b": [1, 2]}`,
		` { "a" : "x,y:\"z\\" , "b":{}}`: `{"a": "x,y:\"z\\", "b": {}}`,
		`"\\",`:                          `"\\",`, // no JSON
	} {
		if got := Spaced(json.RawMessage(in)); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}
