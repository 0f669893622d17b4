package terminal_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"airqa/internal/terminal"
)

func TestScreen(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a\tß\n→ 漢字\n", "a\tß\n→ 漢字\n"},
		{"title", "\x1b]0;owned\x07x", `\u001b]0;owned\u0007x`},
		{"cursor", "\x1b[2A\x1b[J", `\u001b[2A\u001b[J`},
		{"return and delete", "a\rb\x7f", `a\u000db\u007f`},
		{"C1", "\u009b31m\u0085", `\u009b31m\u0085`},
		{"order", "\u202eabc\u2066\u200f", `\u202eabc\u2066\u200f`},
		{"colour", "\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m"},
		{"not a character", "a\x9bb\xff", `a\x9bb\xff`},
		{"endless colour", "\x1b[1111111111111111111m", `\u001b[1111111111111111111m`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for cut := range len(tt.in) + 1 {
				var out bytes.Buffer
				s := terminal.Screen{To: &out}
				for _, part := range []string{tt.in[:cut], tt.in[cut:], "."} {
					if n, err := s.Write([]byte(part)); n != len(part) || err != nil {
						t.Fatal(n, err)
					}
				}
				if got := out.String(); got != tt.want+"." {
					t.Errorf("cut at %d: %q, want %q", cut, got, tt.want)
				}
			}
		})
	}
}

// JSON on a terminal has the same value.
func TestScreenKeepsJSON(t *testing.T) {
	want := "\x1b\u009b\u202e\u2028\x7f ß"
	line, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := (&terminal.Screen{To: &out}).Write(line); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
}
