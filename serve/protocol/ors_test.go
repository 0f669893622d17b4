package protocol

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"
)

// Parts are whole characters, none begins with whitespace, and together they are the same JSON.
func TestParts(t *testing.T) {
	for _, text := range []string{
		"", "short", strings.Repeat(" ", 3*orsChunk), strings.Repeat("\u3000", 2*orsChunk), strings.Repeat("aé", orsChunk), strings.Repeat("😀", orsChunk),
		"a" + strings.Repeat("\u00a0\u2003", orsChunk), strings.Repeat(`\ `, orsChunk), strings.Repeat("\n\t ", orsChunk), "x" + strings.Repeat("数 ", 2*orsChunk),
	} {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, part := range parts(string(raw)) {
			first, _ := utf8.DecodeRuneInString(part[1])
			if !utf8.ValidString(part[1]) || unicode.IsSpace(first) || len(part[1]) > orsChunk+8 {
				t.Errorf("%.10q: a part of %d bytes begins with %q", text, len(part[1]), first)
			}
			all.WriteString(part[1])
		}
		var got string
		if err := json.Unmarshal([]byte(all.String()), &got); err != nil || got != text {
			t.Errorf("%.10q: %d of %d bytes, %v", text, len(got), len(text), err)
		}
	}
}

// A client that waits hears something well within its 30 seconds.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := httptest.NewRecorder()
		stop := keepAlive(w)
		time.Sleep(65 * time.Second)
		stop()
		if got := w.Body.String(); got != strings.Repeat(": alive\n\n", 6) || !w.Flushed {
			t.Errorf("%q", got)
		}
	})
}
