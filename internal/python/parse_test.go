package python_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"airqa/internal/python"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"list", "[1, 'a', 2.5, None, True]", "[1, 'a', 2.5, None, True]"},
		{"bare tuple", "1,000", "(1, 0)"},
		{"tuple of one", "('a',)", "('a',)"},
		{"parentheses", "(('a'))", "'a'"},
		{"set", "{'b', 'a', 'b'}", "{'b', 'a'}"},
		{"empty set", "set( )", "set()"},
		{"one key", "{1: 'a', True: 'b', 1.0: 'c'}", "{1: 'c'}"},
		{"trailing commas", "{'a': [1,], 'b': (2,),}", "{'a': [1], 'b': (2,)}"},
		{"adjacent strings", `'a' "b" r'\d'`, `'ab\\d'`},
		{"prefixes", `[u'a', R'\n', b'\xff', Rb'\x', f'{{x}}']`, `['a', '\\n', b'\xff', b'\\x', '{x}']`},
		{"triple quotes", "'''a\r\nb'''", `'a\nb'`},
		{"escapes", `'\a\101\x41\u0041\U00000041\d\'\
'`, `"\x07AAAA\\d'"`},
		{"lone surrogate", `'\ud83d\ude00'`, `'\ud83d\ude00'`},
		{"integers", "[0x1F, 0o17, 0b11, 1_000, 00, -1, - -1, +True]", "[31, 15, 3, 1000, 0, -1, 1, 1]"},
		{"long integer", "-123456789012345678901234567890", "-123456789012345678901234567890"},
		{"smallest int64", "-9223372036854775808", "-9223372036854775808"},
		{"floats", "[.5, 5., 1e5, 1_0.0_1, 1e16, 1e-5, 1e400, -0.0]", "[0.5, 5.0, 100000.0, 10.01, 1e+16, 1e-05, inf, -0.0]"},
		{"complex", "[3+4j, -3 - 4J, 2j, (1)+1j]", "[(3+4j), (-3-4j), 2j, (1+1j)]"},
		{"ellipsis", "[...]", "[Ellipsis]"},
		{"comments", "# c\n[1, # one\n 2]  # end\n", "[1, 2]"},
		{"continued line", "1, \\\n2", "(1, 2)"},
		{"leading whitespace", " \t[1]", "[1]"},
		{"leading form feed", "\f[1]", "[1]"},
		{"no items", "[[], (), {}, [ ], ( ), { }]", "[[], (), {}, [], (), {}]"},
		{"digits with marks", "[1_2.3_4e5_6, 0b1_0, 0x_f, 1E+2]", "[1.234e+57, 2, 15, 100.0]"},
		{"octal and unknown escapes", `'\1\12\1234\8\d\é'`, `'\x01\nS4\\8\\d\\é'`},
		{"quotes inside", `["it's", 'say "a"', 'it\'s "a"', """a"b"""]`, `["it's", 'say "a"', 'it\'s "a"', 'a"b']`},
		{"joined line in a text", "'a\\\nb'", "'ab'"},
		{"nested", "{'a': [(1, {2: {3}}), 'b']}", "{'a': [(1, {2: {3}}), 'b']}"},
		{"bare tuple of texts", `"a", "b"`, "('a', 'b')"},
		{"bare tuple with a last comma", "1,", "(1,)"},
		{"many lines", "[\n1,\r\n2,\r3\n]", "[1, 2, 3]"},
		{"blank lines after", "[1]\n\n", "[1]"},
		{"comment after an indent", "  # c\n[1]", "[1]"},
		{"signed zero in a sum", "-1+-0j", "(-1+0j)"},
		{"long number in a sum", "123456789012345678901+1j", "(1.2345678901234568e+20+1j)"},
		{"digits at the limit", strings.Repeat("7", 4300), strings.Repeat("7", 4300)},
		{"deep", strings.Repeat("[", 200) + strings.Repeat("]", 200), strings.Repeat("[", 200) + strings.Repeat("]", 200)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := python.Parse(tt.text, python.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, python.Repr(v)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "line 1, column 1: the text ends where a value should stand"},
		{"name", "[abc]", "line 1, column 2: names are not values: did you mean 'abc'?"},
		{"phrase", "[the best, model]", "line 1, column 2: names are not values: did you mean 'the best'?"},
		{"foreign name", "[größe]", "line 1, column 2: names are not values: did you mean 'größe'?"},
		{"JSON constant", "[true]", "line 1, column 2: names are not values: did you mean True?"},
		{"null", "[null]", "line 1, column 2: names are not values: did you mean None?"},
		{"call", "[max(1)]", "line 1, column 2: calls are not values: nothing is evaluated here, write the result of max(…) itself"},
		{"sum", "[1 + 2]", "line 1, column 4: operators are not evaluated: write the result of 1 + 2"},
		{"product", "[1*2]", `line 1, column 3: unexpected '*' where a comma or the closing bracket should stand: operators are not evaluated, write the result`},
		{"missing comma", "['a' 1]", "line 1, column 6: a comma is missing before 1"},
		{"apostrophe", "['it's', 'b']", "line 1, column 6: a comma is missing before s, or a quote is missing or not escaped"},
		{"missing quote", "['a, 2]", "line 1, column 2: the closing quote ' is missing"},
		{"quote over lines", "['a\n']", "line 1, column 2: the closing quote ' is missing on this line: put text of several lines into triple quotes"},
		{"triple quote", "'''a''", "line 1, column 1: the closing quotes ''' are missing"},
		{"curly quote", "[“a”]", `line 1, column 2: unexpected '“' where a value should stand: use a straight quote, ' or "`},
		{"never closed", "[1, (2", `line 1, column 5: '(' is never closed: ')' is missing`},
		{"wrong bracket", "[1,\n 2)", `line 2, column 3: ')' does not close '[' of line 1, column 1`},
		{"after the value", "[1] x", `line 1, column 5: unexpected 'x' after the value`},
		{"second line", "[1]\n[2]", `line 2, column 1: unexpected '[' after the value`},
		{"indented line", "\n [1]", "line 2, column 2: this line is indented: remove the spaces before it"},
		{"blank at the end", "[1]\n ", "line 2, column 2: this line is indented: remove the spaces before it"},
		{"byte order mark", "\ufeff[1]", `line 1, column 1: unexpected '\ufeff' where a value should stand`},
		{"vertical tab", "\v[1]", `line 1, column 1: unexpected '\v' where a value should stand`},
		{"fence", "```\n[1]\n```", "line 1, column 1: unexpected '`' where a value should stand: use a straight quote, ' or \""},
		{"foreign comma", "[1，2]", `line 1, column 3: unexpected '，' where a comma or the closing bracket should stand: use the plain comma`},
		{"semicolon", "[1];", `line 1, column 4: unexpected ';' after the value: it is not part of any literal`},
		{"stray backslash", "[1] \\ ", `line 1, column 5: unexpected '\\' after the value: a backslash outside a string must end its line`},
		{"end of the line", "-\n1", "line 1, column 2: the line ends where a value should stand"},
		{"none in another case", "[none, 1]", "line 1, column 2: names are not values: did you mean None?"},
		{"false in another case", "FALSE", "line 1, column 1: names are not values: did you mean False?"},
		{"long phrase", "[the " + strings.Repeat("very ", 9) + "best]", "line 1, column 2: names are not values: did you mean 'the'?"},
		{"set of something", "set([1])", "line 1, column 1: calls are not values: nothing is evaluated here, write the result of set(…) itself"},
		{"set without parentheses", "set", "line 1, column 1: names are not values: did you mean 'set'?"},
		{"missing comma before a list", "[1 [2, 3]]", "line 1, column 4: a comma is missing before [2"},
		{"missing comma before a long text", "[1 'a text that is long']", "line 1, column 4: a comma is missing before 'a"},
		{"missing comma before the end", "[1 'a']", "line 1, column 4: a comma is missing before 'a'"},
		{"sum in a list", "[1, 2.5 - 1]", "line 1, column 9: operators are not evaluated: write the result of 2.5 - 1"},
		{"true in a sum", "True + 1j", "line 1, column 6: operators are not evaluated: write the result of True + 1j"},
		{"octal digits", "0o8", "line 1, column 1: 0o needs digits of base 8"},
		{"binary digits", "0b12", `line 1, column 1: "0b12" is neither a number nor a text in quotes`},
		{"foreign letter after a number", "5µ", `line 1, column 1: "5µ" is neither a number nor a text in quotes`},
		{"double underscore", "1__0", `line 1, column 1: "1__0" is neither a number nor a text in quotes`},
		{"beyond Unicode", `'\U00110000'`, `line 1, column 1: \U needs 8 hexadecimal digits of a character in this string: double the backslash or put r before the quote`},
		{"tuple with a list as key", "{(1, [2]): 3}", "line 1, column 2: a value of type tuple cannot be a key"},
		{"list in a set", "{[1]}", "line 1, column 2: a value of type list cannot be in a set"},
		{"unclosed dictionary", "{'a': 1", `line 1, column 1: '{' is never closed: '}' is missing`},
		{"no value", "{'a': }", `line 1, column 7: unexpected '}' where a value should stand`},
		{"two commas", "[1,, 2]", `line 1, column 4: unexpected ',' where a value should stand`},
		{"no-break space", "\u00a0[1]", `line 1, column 1: unexpected '\u00a0' where a value should stand`},
		{"leading zeros", "1,050", "line 1, column 3: leading zeros are not allowed: did you mean 50, or a text '050'?"},
		{"long integer", strings.Repeat("7", 4301), "line 1, column 1: an integer of 4301 digits is too long: 4300 are allowed"},
		{"number and letters", "[5x]", `line 1, column 2: "5x" is neither a number nor a text in quotes`},
		{"hexadecimal", "0x", "line 1, column 1: 0x needs digits of base 16"},
		{"short escape", `['\xi']`, `line 1, column 2: \x needs 2 hexadecimal digits of a character in this string: double the backslash or put r before the quote`},
		{"Nabla", `'\Nabla'`, `line 1, column 1: \N is not read as a character in this string: double the backslash or put r before the quote`},
		{"name of a character", `'\N{BULLET}'`, `line 1, column 1: \N is not read as a character in this string: double the backslash or put r before the quote`},
		{"bytes and text", "b'a' 'b'", "line 1, column 6: bytes and text cannot be joined"},
		{"bytes beyond ASCII", "b'é'", "line 1, column 3: bytes hold ASCII characters only: drop the b before the quote"},
		{"format string", "f'{x}'", "line 1, column 1: a format string with fields is not a value: write the text itself"},
		{"list as key", "{[1]: 2}", "line 1, column 2: a value of type list cannot be a key"},
		{"dict in set", "{1, {}}", "line 1, column 5: a value of type dict cannot be in a set"},
		{"colon", "{1: 2, 3}", `line 1, column 9: unexpected '}' where the colon of a dictionary should stand`},
		{"sign", "[-'a']", "line 1, column 2: a sign cannot stand before a value of type str"},
		{"too deep", strings.Repeat("[", 201), "line 1, column 201: more than 200 brackets are open here"},
		{"NUL", "[1]\x00", "line 1, column 4: a NUL byte cannot stand in a literal"},
		{"not UTF-8", "['\xff']", "line 1, column 3: the text is not UTF-8 here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := python.Parse(tt.text, python.Options{})
			if diff := cmp.Diff(tt.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("value %v (-want +got):\n%s", v, diff)
			}
			if e := (*python.Error)(nil); !errors.As(err, &e) || e.Offset > len(tt.text) {
				t.Errorf("error %#v, want an *Error within the text", err)
			}
			if _, ok := python.Read(tt.text); ok {
				t.Error("Read takes what Parse refuses")
			}
		})
	}
}

func TestJSONConstants(t *testing.T) {
	v, err := python.Parse("[true, false, null, True]", python.Options{JSONConstants: true})
	if diff := cmp.Diff(python.List{true, false, nil, true}, v); diff != "" || err != nil {
		t.Errorf("err %v (-want +got):\n%s", err, diff)
	}
}

func TestRepr(t *testing.T) {
	tests := []struct {
		name string
		v    python.Value
		want string
	}{
		{"apostrophe", "it's", `"it's"`},
		{"both quotes", `it's "so"`, `'it\'s "so"'`},
		{"double quotes", `say "a"`, `'say "a"'`},
		{"empty text", "", "''"},
		{"invisible", "a\u200b\u00a0\x7f\u0085\U000e0001", `'a\u200b\xa0\x7f\x85\U000e0001'`},
		{"visible", "naïve 日本 😀", "'naïve 日本 😀'"},
		{"controls", "\t\n\r\x00\\", `'\t\n\r\x00\\'`},
		{"bytes", python.Bytes("a'\xff\n"), `b"a'\xff\n"`},
		{"whole float", 3.0, "3.0"},
		{"ten to the minus five", 1e-5, "1e-05"},
		{"ten to the minus four", 1e-4, "0.0001"},
		{"negative zero", math.Copysign(0, -1), "-0.0"},
		{"infinity", math.Inf(1), "inf"},
		{"negative infinity", math.Inf(-1), "-inf"},
		{"no number", math.NaN(), "nan"},
		{"three digits of exponent", 5e-324, "5e-324"},
		{"largest float without exponent", 9007199254740993.0, "9007199254740992.0"},
		{"none", nil, "None"},
		{"true", true, "True"},
		{"false", false, "False"},
		{"integer", int64(-7), "-7"},
		{"long integer", new(big.Int).Lsh(big.NewInt(1), 64), "18446744073709551616"},
		{"ellipsis", python.Ellipsis{}, "Ellipsis"},
		{"empty set", python.Set{}, "set()"},
		{"set", python.Set{int64(1), "a"}, "{1, 'a'}"},
		{"tuple of one", python.Tuple{1.0}, "(1.0,)"},
		{"empty tuple", python.Tuple{}, "()"},
		{"nested", python.List{python.Tuple{python.List{}, nil}, 1e-7}, "[([], None), 1e-07]"},
		{"complex", complex(1.5, -2), "(1.5-2j)"},
		{"complex with negative zeros", complex(math.Copysign(0, -1), 2), "(-0+2j)"},
		{"small float", 1e-7, "1e-07"},
		{"large float", 1e16, "1e+16"},
		{"below the exponent", 123456789012345.6, "123456789012345.6"},
		{"complex with negative zero", complex(0, -2), "-2j"},
		{"unknown", struct{}{}, "<object>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, python.Repr(tt.v)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStr(t *testing.T) {
	if got := python.Str("it's"); got != "it's" {
		t.Errorf("Str of a text = %q", got)
	}
	if got := python.Str(python.List{"it's", nil}); got != `["it's", None]` {
		t.Errorf("Str of a list = %q", got)
	}
}

func TestType(t *testing.T) {
	tests := []struct {
		v    python.Value
		want string
	}{
		{nil, "NoneType"},
		{true, "bool"},
		{int64(1), "int"},
		{new(big.Int), "int"},
		{1.0, "float"},
		{1i, "complex"},
		{"a", "str"},
		{python.Bytes("a"), "bytes"},
		{python.Ellipsis{}, "ellipsis"},
		{python.List{}, "list"},
		{python.Tuple{}, "tuple"},
		{python.Set{}, "set"},
		{&python.Dict{}, "dict"},
		{1, "object"},
	}
	for _, tt := range tests {
		if got := python.Type(tt.v); got != tt.want {
			t.Errorf("the type of %#v is %s, want %s", tt.v, got, tt.want)
		}
	}
}
