package python_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"airqa/internal/python"
)

var seeds = []string{
	"[1, 'a', 2.5]", "{'a': {1: (2,)}}", "{3, 1, 2}", "'a' \"b\"", "b'\\xff'", "1_0, 0x1F", "3+4j", "'\\N{BULLET}'\", \"'\\ud800'", "[true]", "'''\r\n'''", "\\\n[1]\n # c",
	"f(a=1, b='x')", "f('x', *y)", "[“a”]", "{1: 2, 3", "-", "...", "set()", "\f \n", "1e400",
}

// FuzzParse checks that no text brings the reader down, and that what it read is read back from its repr.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := python.Parse(text, python.Options{})
		if w, ok := python.Read(text); ok != (err == nil) || ok && python.Repr(w) != python.Repr(v) {
			t.Fatalf("Read of %q gives %v, %v; Parse gives %v, %v", text, w, ok, v, err)
		}
		if err != nil || !spellable(v) {
			return
		}
		printed := python.Repr(v)
		again, err := python.Parse(printed, python.Options{})
		sameText := strings.Contains(printed, "{") || python.Repr(again) == printed // sets may change their order
		if err != nil || !sameText || !python.Equal(v, again) {
			t.Fatalf("%q prints as %s, which reads as %v, %v", text, printed, again, err)
		}
	})
}

// spellable reports whether the repr of v is a literal: infinities, complex numbers, the ellipsis and integers that are
// too long in decimal are not.
func spellable(v python.Value) bool {
	ok := true
	check := func(items []python.Value) {
		for _, x := range items {
			ok = ok && spellable(x)
		}
	}
	switch x := v.(type) {
	case float64:
		return !math.IsInf(x, 0) && !math.IsNaN(x)
	case *big.Int:
		return x.BitLen() < 14_000
	case complex128, python.Ellipsis:
		return false
	case python.List:
		check(x)
	case python.Tuple:
		check(x)
	case python.Set:
		check(x)
	case *python.Dict:
		for k, w := range x.All() {
			check([]python.Value{k, w})
		}
	}
	return ok
}

// FuzzParseCall checks that no text brings the reader of calls down and that positions lie in the text.
func FuzzParseCall(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, text string, start int) {
		c, err := python.ParseCall(text, start, python.Options{JSONConstants: true})
		if err == nil && (c.NameStart < 0 || c.End > len(text) || text[c.End-1] != ')' || text[c.NameStart:c.NameStart+len(c.Name)] != c.Name) {
			t.Fatalf("call %+v of %q", c, text)
		}
	})
}

// FuzzFromJSON checks that no text brings the JSON reader down, that plain Go values come out of it, and that what it
// read is read back from its repr as Python.
func FuzzFromJSON(f *testing.F) {
	for _, s := range []string{`{"a": [1, 2.5, "\ud83d\ude00"]}`, `NaN`, `"\u12`, `[1e5, -0, 01]`, "\"\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := python.FromJSON(raw)
		if _, ok := python.ReadJSON(string(raw)); ok != (err == nil) {
			t.Fatalf("ReadJSON and FromJSON disagree on %q: %v", raw, err)
		}
		python.ToGo(v)
		if err != nil || !spellable(v) {
			return
		}
		again, err := python.Parse(python.Repr(v), python.Options{})
		tooDeep := err != nil && strings.Contains(err.Error(), "brackets are open")
		if !tooDeep && (err != nil || !python.Equal(v, again)) {
			t.Fatalf("%q prints as %s, which reads as %v, %v", raw, python.Repr(v), again, err)
		}
	})
}

// TestDeepNesting checks that nesting beyond what CPython reads is refused, by every reader and in every bracket, and
// that what is just within it is read.
func TestDeepNesting(t *testing.T) {
	nested := func(open, inside, end string, n int) string {
		return strings.Repeat(open, n) + inside + strings.Repeat(end, n)
	}
	readers := map[string]func(text string) bool{
		"Parse": func(text string) bool { _, err := python.Parse(text, python.Options{}); return err == nil },
		"Read":  func(text string) bool { _, ok := python.Read(text); return ok },
		"ParseCall": func(text string) bool {
			_, err := python.ParseCall("f(a="+text+")", 0, python.Options{})
			return err == nil
		},
		"ReadJSON": func(text string) bool { _, ok := python.ReadJSON(text); return ok },
	}
	for name, read := range readers {
		for _, b := range [][3]string{{"[", "1", "]"}, {"(", "1,", ",)"}, {"{1: ", "2", "}"}, {`{"a": `, "2", "}"}} {
			if read(nested(b[0], b[1], b[2], 200_000)) || read(strings.Repeat(b[0], 200_000)) {
				t.Errorf("%s reads 200,000 nested %s", name, b[0])
			}
		}
		if !read(nested("[", "1", "]", 150)) {
			t.Errorf("%s does not read 150 nested lists", name)
		}
	}
}
