package runlog_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"airqa/qa"
	"airqa/run/runlog"
)

func TestRedactor(t *testing.T) {
	redact := runlog.Redactor([]string{"a-secret-word", `with "quotes"`, "short", "eightish", "sevenly"}, "/home/someone/")
	long := strings.Repeat("x", 16)
	tests := []struct{ name, in, want string }{
		{"nothing", "a risk-free task-list", "a risk-free task-list"},
		{"own secret", "is a-secret-word here", "is [redacted] here"},
		{"as JSON", `{"a":"with \"quotes\""}`, `{"a":"[redacted]"}`},
		{"too short to replace", "a short word", "a short word"},
		{"of eight characters", "an eightish word", "an [redacted] word"},
		{"of seven characters", "a sevenly word", "a sevenly word"},
		{"home", "/home/someone/papers", "~/papers"},
		{"another key", "sk-" + long, "[redacted]"},
		{"among text", "key sk-" + long + "-_9, and sk-" + long + ".", "key [redacted], and [redacted]."},
		{"in a word", "task-" + long, "task-" + long},
		{"second of a word", "xsk-sk-" + long, "xsk-[redacted]"},
		{"after an escaped newline", `{"a":"b\nsk-` + long + `"}`, `{"a":"b\n[redacted]"}`},
		{"every key character", "sk-azAZ09_-" + long[:8] + "{", "[redacted]{"},
		{"not a start of a word", "zsk-" + long + " Zsk-" + long + " 9sk-" + long + " `sk-" + long, "zsk-" + long + " Zsk-" + long + " 9sk-" + long + " `[redacted]"},
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

// The home directory is replaced, unless it is so short that ordinary paths contain it.
func TestRedactedHome(t *testing.T) {
	for _, tt := range []struct{ home, in, want string }{
		{"/root", "/root/papers", "~/papers"},
		{"/root/", "/root/papers, /root", "~/papers, /root"},
		{"/opt", "/opt/papers", "/opt/papers"},
		{"/", "/papers", "/papers"},
		{"", "/papers", "/papers"},
	} {
		if got := string(runlog.Redactor(nil, tt.home)([]byte(tt.in))); got != tt.want {
			t.Errorf("home %s: %q, want %q", tt.home, got, tt.want)
		}
	}
}

// A key across the truncation point of a long result leaves no part of itself.
func TestCutKey(t *testing.T) {
	const key = "a-secret-of-the-user"
	dir := create(t)
	w := writer(t, dir, runlog.Redactor([]string{key}, ""))
	e, err := w.Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	full := strings.Repeat("x", 256<<10-len(key)/2) + key + strings.Repeat("y", 100)
	step := qa.Step{N: 1, By: qa.ByProgram, Observation: &qa.Observation{Status: qa.StatusOK, Text: "cut", Full: full}}
	if err := e.Observation(step); err != nil {
		t.Fatal(err)
	}
	_, got := read(t, dir)
	if kept := got[0].Steps[0].Observation.Full; strings.Contains(kept, key[:4]) || len(kept) < 200_000 {
		t.Errorf("%d bytes are kept, that end in %q", len(kept), kept[len(kept)-30:])
	}
}

// Keys are found where the regular expression for them finds them.
func TestRedactorFindsKeysAsThePatternDoes(t *testing.T) {
	pattern := regexp.MustCompile(`(\\[nrtbf]|\b)sk-[A-Za-z0-9_-]{16,}`)
	redact := runlog.Redactor(nil, "")
	pieces := []string{"sk-", "s", "k", "-", "x", "_", "9", " ", "é", "\xff", `\n`, "abcdefgh", "sk-abcdefghijklmnop"}
	rapid.Check(t, func(r *rapid.T) {
		line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(r, "pieces"), "")
		want := pattern.ReplaceAllString(line, "${1}[redacted]")
		if got := string(redact([]byte(line))); got != want {
			r.Fatalf("redact(%q) = %q, want %q", line, got, want)
		}
	})
}
