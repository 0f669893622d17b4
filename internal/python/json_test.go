package python_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"airqa/internal/python"

	"github.com/google/go-cmp/cmp"
)

func TestFromJSON(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"numbers", `[1, 1.0, -0, 1E400, 12345678901234567890]`, "[1, 1.0, 0, inf, 12345678901234567890]"},
		{"constants", `[null, true, false, NaN, Infinity, -Infinity]`, "[None, True, False, nan, inf, -inf]"},
		{"repeated key", `{"a": 1, "b": 2, "a": 3}`, "{'a': 3, 'b': 2}"},
		{"surrogates", `["\ud83d\ude00", "\ud83d", "\u00e9\/"]`, `['😀', '\ud83d', 'é/']`},
		{"exponents", `[1e5, 1E-5, 1.5e+3, -2.5, -0.0]`, "[100000.0, 1e-05, 1500.0, -2.5, -0.0]"},
		{"escapes", `"\"\\\/\b\f\n\r\t"`, `'"\\/\x08\x0c\n\r\t'`},
		{"nested", `{"a": {"b": [{}]}, "c": []}`, "{'a': {'b': [{}]}, 'c': []}"},
		{"no UTF-8", "\"a\xff\"", "'a\ufffd'"},
		{"delete character", "\"\x7f\"", `'\x7f'`},
		{"whitespace", " \t\r\n[ ]\n", "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := python.FromJSON([]byte(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, python.Repr(v)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFromJSONErrors(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"empty", "", "line 1, column 1: the text ends where a JSON value should stand"},
		{"single quotes", "['a']", `line 1, column 2: unexpected '\'' where a JSON value should stand`},
		{"trailing comma", "[1,]", `line 1, column 4: unexpected ']' where a JSON value should stand`},
		{"tab in text", "\"\t\"", "line 1, column 2: a control character in a JSON text must be escaped"},
		{"leading zero", "01", `line 1, column 2: unexpected '1' after the JSON value`},
		{"number as key", "{1: 2}", `line 1, column 2: unexpected '1' where a key in double quotes should stand`},
		{"no colon", `{"a" 2}`, `line 1, column 6: unexpected '2' where a colon should stand`},
		{"escape", `"\x41"`, `line 1, column 1: a backslash needs one of "\/bfnrt, or u and four hexadecimal digits in this string`},
		{"open text", `"a`, `line 1, column 1: the closing quote " is missing`},
		{"backslash at the end", `"a\`, `line 1, column 1: the closing quote " is missing`},
		{"no fraction", "1.", `line 1, column 2: unexpected '.' after the JSON value`},
		{"no exponent", "1e+", "line 1, column 2: unexpected 'e' after the JSON value"},
		{"minus alone", "-", `line 1, column 1: unexpected '-' where a JSON value should stand: operators are not evaluated, write the result`},
		{"missing comma in an object", `{"a": 1 "b": 2}`, `line 1, column 9: a comma is missing before "b"`},
		{"missing value", `{"a": }`, `line 1, column 7: unexpected '}' where a JSON value should stand`},
		{"low surrogate is cut", `"\ud83d\u12"`, `line 1, column 1: a backslash needs one of "\/bfnrt, or u and four hexadecimal digits in this string`},
		{"byte order mark", "\ufeff1", `line 1, column 1: unexpected '\ufeff' where a JSON value should stand`},
		{"objects too deep", strings.Repeat(`{"a":`, 991), "line 1, column 4951: more than 990 brackets are open here"},
		{"open list", "[1", `line 1, column 1: '[' is never closed: ']' is missing`},
		{"too deep", strings.Repeat("[", 991), "line 1, column 991: more than 990 brackets are open here"},
		{"too long", strings.Repeat("7", 4301), "line 1, column 1: an integer of 4301 digits is too long: 4300 are allowed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := python.FromJSON([]byte(tt.raw))
			if diff := cmp.Diff(tt.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestToGo(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901234567891", 10)
	exact := new(big.Int).Lsh(big.NewInt(1), 70)
	d := &python.Dict{}
	d.Set(int64(1), "a")
	d.Set("k", python.Tuple{nil, true})
	in := python.List{int64(7), 1.5, huge, exact, "\xed\xa0\xbd\xed\xb8\x80", "\xed\xa0\xbdx", python.Bytes("b"), python.Set{int64(2)}, d}
	want := []any{
		int64(7), 1.5, "123456789012345678901234567891", 1180591620717411303424.0, "😀", "\uFFFDx", "b'b'",
		[]any{int64(2)},
		map[string]any{"1": "a", "k": []any{nil, true}},
	}
	if diff := cmp.Diff(any(want), python.ToGo(in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDictManyKeys(t *testing.T) {
	d := &python.Dict{}
	for i := range int64(40) {
		d.Set(i%20, i)
	}
	d.Set(3.0, "three")
	if v, ok := d.Get(true); !ok || v != int64(21) || d.Len() != 20 {
		t.Errorf("Get(True) = %v, %v of %d keys, want 21 of 20", v, ok, d.Len())
	}
	if v, _ := d.Get(int64(3)); v != "three" {
		t.Errorf("Get(3) = %v, want what 3.0 was set to", v)
	}
	if _, ok := d.Get(python.List{}); ok || d.Set(python.Tuple{python.List{}}, nil) {
		t.Error("a list counts as a key")
	}
}

func TestDictManyTuples(t *testing.T) {
	d := &python.Dict{}
	for i := range int64(20) {
		d.Set(python.Tuple{i, "a"}, i)
	}
	if v, ok := d.Get(python.Tuple{7.0, "a"}); !ok || v != int64(7) {
		t.Errorf("Get((7.0, 'a')) = %v, %v, want 7", v, ok)
	}
	for _, k := range []python.Value{python.Tuple{int64(7)}, python.Tuple{int64(7), python.Bytes("a")}, python.Tuple{python.List{}, "a"}} {
		if v, ok := d.Get(k); ok {
			t.Errorf("Get(%s) = %v, want nothing", python.Repr(k), v)
		}
	}
}

func TestEqual(t *testing.T) {
	parse := func(s string) python.Value {
		v, err := python.Parse(s, python.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	tests := []struct {
		a, b string
		want bool
	}{
		{"1", "True", true},
		{"1.0", "1+0j", true},
		{"1", "'1'", false},
		{"[1]", "(1,)", false},
		{"{1, 'a'}", "{'a', 1.0}", true},
		{"{'a': 1, 'b': 2}", "{'b': 2, 'a': True}", true},
		{"{'a': 1}", "{'a': 2}", false},
		{"('a', 'bc')", "('ab', 'c')", false},
		{"b'a'", "'a'", false},
		{"b'a'", "b'a'", true},
		{"[1, [2]]", "[True, [2.0]]", true},
		{"[1]", "[1, 2]", false},
		{"[1, 2]", "[1, 3]", false},
		{"{1, 2}", "{1, 3}", false},
		{"{1, 2}", "{1}", false},
		{"{'a': 1}", "{'b': 1}", false},
		{"{'a': 1}", "{}", false},
		{"(1, 'a')", "(1.0, 'a')", true},
		{"{(1, 2)}", "{(1.0, 2)}", true},
		{"...", "...", true},
		{"2j", "2j", true},
		{"1e400", "1e500", true},
		{"1e22", "10000000000000000000000", true},
		{"0.0", "-0.0", true},
		{"None", "0", false},
	}
	for _, tt := range tests {
		if got := python.Equal(parse(tt.a), parse(tt.b)); got != tt.want {
			t.Errorf("%s == %s is %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
	nan, _ := python.FromJSON([]byte("NaN"))
	if python.Equal(nan, nan) {
		t.Error("NaN equals itself")
	}
}
