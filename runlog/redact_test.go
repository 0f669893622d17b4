package runlog_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"airqa/internal/words"
	"airqa/qa"
	"airqa/runlog"
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
		{"after another escape", `{"a":"b\u2028sk-` + long + `"}`, `{"a":"b\u2028[redacted]"}`},
		{"a project's key", "sk-proj-Zt4_kQ9-b2Xv7Lm0Rw5Yc8Ne1Hd6Gf3Ja", "[redacted]"},
		{"a key of hexadecimal digits", "sk-0a1b2c3d4e5f60718293a4b5c6d7e8f9", "[redacted]"},
		{"a key with a version", "sk-or-v1-9f86d081884c7d659a2feaa0c55ad015", "[redacted]"},
		{"a key of digits", "sk-1234567890123456", "[redacted]"},
		{"a key like a UUID", "sk-123e4567-e89b-12d3-a456-426614174000", "[redacted]"},
		{"prose", "an sk-learn-compatible-estimators API", "an sk-learn-compatible-estimators API"},
		{"a version in prose", "sk-learn-0.24.2, sk-learn-v1-compatible-random-forest", "sk-learn-0.24.2, sk-learn-v1-compatible-random-forest"},
		{"names in prose", "sk-ResNet50_on_ImageNet_2012, sk-RandomForestClassifier-2d", "sk-ResNet50_on_ImageNet_2012, sk-RandomForestClassifier-2d"},
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
	replace := func(line string) string {
		return pattern.ReplaceAllStringFunc(line, func(found string) string {
			before, key, _ := strings.Cut(found, "sk-")
			if words.Hyphenated(key) {
				return found
			}
			return before + "[redacted]"
		})
	}
	redact := runlog.Redactor(nil, "")
	pieces := []string{"sk-", "s", "k", "-", "x", "_", "9", " ", "é", "\xff", `\n`, "abcdefgh", "sk-abcdefghijklmnop"}
	rapid.Check(t, func(r *rapid.T) {
		line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(r, "pieces"), "")
		want := replace(line)
		if got := string(redact([]byte(line))); got != want {
			r.Fatalf("redact(%q) = %q, want %q", line, got, want)
		}
	})
}

// A key that follows a secret without a space is found, too.
func TestKeyAfterSecret(t *testing.T) {
	redact := runlog.Redactor([]string{"a-secret-word"}, "")
	if got := string(redact([]byte("a-secret-wordsk-abcdefgh12345678"))); got != "[redacted][redacted]" {
		t.Errorf("redacted text is %q", got)
	}
}

// Text that was redacted does not change if it is redacted again.
func TestRedactedTwice(t *testing.T) {
	redact := runlog.Redactor([]string{"redacted", "a-secret-word", `with "quotes"`, "tail-of-it\\"}, "/home/someone")
	pieces := []string{"redacted", "a-secret-word", `with "quotes"`, `\"`, "/home/someone/", "/", "sk-", "abcdefgh12345678", "tail-of-it\\", "\n", "[", "]", "~"}
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(r, "pieces"), "")
		once := string(redact([]byte(text)))
		if twice := string(redact([]byte(once))); twice != once {
			r.Fatalf("%q, then %q, then %q", text, once, twice)
		}
	})
}

// The reader of a log reports a reply whose places are those of another text, instead of an empty or a wrong turn.
func TestPlacesOfAnotherText(t *testing.T) {
	for _, tt := range []struct {
		name string
		step qa.Step
	}{
		{"kept", qa.Step{Kept: 99}},
		{"kept, negative", qa.Step{Kept: -1}},
		{"thought", qa.Step{ThoughtAt: qa.Span{First: 3, End: 99}}},
		{"thought, reversed", qa.Step{ThoughtAt: qa.Span{First: 3, End: 2}}},
		{"action", qa.Step{Action: &qa.Action{Name: "Query", Text: "Query(sql='')", Start: 90, End: 99}}},
		{"parse error", qa.Step{ParseError: &qa.ParseError{Offset: 99}}},
		{"action, shifted in a redacted reply", qa.Step{Kept: 42, Action: &qa.Action{Name: "Query", Text: "Query(sql='')", Start: 26, End: 39}}},
		{"action, longer in a redacted reply", qa.Step{Kept: 42, Action: &qa.Action{Name: "Query", Text: "Query(sql='')", Start: 22, End: 39}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := create(t)
			w := writer(t, dir, nil)
			e, err := w.Begin("u", 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			tt.step.N, tt.step.By = 1, qa.ByModel
			tt.step.Reply = &qa.Reply{Text: "in ~/papers\n[Action]: Query(sql='')\n[Observation]: x"}
			if err := e.Call(tt.step); err != nil {
				t.Fatal(err)
			}
			r, err := runlog.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			var damage *runlog.DamageError
			if _, err := r.Episode("u", 0); !errors.As(err, &damage) {
				t.Errorf("error %v, want damage", err)
			}
		})
	}
}
