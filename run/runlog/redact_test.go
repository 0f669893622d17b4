package runlog_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"airqa/run/runlog"
)

func TestRedactor(t *testing.T) {
	redact := runlog.Redactor([]string{"a-secret-word", `with "quotes"`, "short"}, "/home/someone/")
	long := strings.Repeat("x", 16)
	tests := []struct{ name, in, want string }{
		{"nothing", "a risk-free task-list", "a risk-free task-list"},
		{"own secret", "is a-secret-word here", "is [redacted] here"},
		{"as JSON", `{"a":"with \"quotes\""}`, `{"a":"[redacted]"}`},
		{"too short to replace", "a short word", "a short word"},
		{"home", "/home/someone/papers", "~/papers"},
		{"somebody's key", "sk-" + long, "[redacted]"},
		{"among text", "key sk-" + long + "-_9, and sk-" + long + ".", "key [redacted], and [redacted]."},
		{"in a word", "task-" + long, "task-" + long},
		{"second of a word", "xsk-sk-" + long, "xsk-[redacted]"},
		{"too short for a key", "sk-" + long[1:], "sk-" + long[1:]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(redact([]byte(tt.in))); got != tt.want {
				t.Errorf("redact(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// Keys are found where the regular expression for them finds them.
func TestRedactorFindsKeysAsThePatternDoes(t *testing.T) {
	pattern := regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`)
	redact := runlog.Redactor(nil, "")
	pieces := []string{"sk-", "s", "k", "-", "x", "_", "9", " ", "é", "\xff", `\n`, "abcdefgh", "sk-abcdefghijklmnop"}
	rapid.Check(t, func(r *rapid.T) {
		line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(r, "pieces"), "")
		want := pattern.ReplaceAllString(line, "[redacted]")
		if got := string(redact([]byte(line))); got != want {
			r.Fatalf("redact(%q) = %q, want %q", line, got, want)
		}
	})
}
