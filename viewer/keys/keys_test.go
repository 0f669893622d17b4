package keys_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/viewer/keys"
)

var update = flag.Bool("update", false, "write the table of keys to docs/keys.md")

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		place keys.Place
		key   string
		want  keys.Action
	}{
		{keys.List, "enter", keys.Open},
		{keys.List, "j", keys.Down},
		{keys.List, "l", ""},
		{keys.List, "1", ""},
		{keys.List, "q", keys.Quit},
		{keys.Episode, "l", keys.NextStep},
		{keys.Episode, "right", keys.NextStep},
		{keys.Episode, "L", keys.NextTrace},
		{keys.Episode, "0", keys.First},
		{keys.Episode, "1", ""},
		{keys.Episode, "enter", ""},
		{keys.Queue, "1", keys.SetCause},
		{keys.Queue, "9", keys.SetCause},
		{keys.Queue, "0", keys.First},
		{keys.Queue, "enter", keys.Accept},
		{keys.Queue, "u", keys.Undo},
		{keys.Everywhere, "?", keys.ShowHelp},
		{keys.Everywhere, "enter", ""},
	} {
		if got := keys.Find(tt.place, tt.key); got != tt.want {
			t.Errorf("%s in %s: %q, want %q", tt.key, tt.place, got, tt.want)
		}
	}
}

// No key has two meanings in one place, and each has help and a label.
func TestBindings(t *testing.T) {
	for _, p := range keys.Places() {
		bound := make(map[string]keys.Action)
		for _, b := range keys.Bindings(p) {
			if b.Help == "" || b.Label() == "" || strings.HasSuffix(b.Help, ".") {
				t.Errorf("%s: help %q, label %q", b.Action, b.Help, b.Label())
			}
			for _, k := range b.Keys {
				if other, ok := bound[k]; ok {
					t.Errorf("%s in %s: %s and %s", k, p, other, b.Action)
				}
				bound[k] = b.Action
			}
		}
	}
}

func TestBrowser(t *testing.T) {
	got := keys.Browser(keys.Queue)
	for key, want := range map[string]keys.Action{
		"ArrowRight": keys.NextStep, "Enter": keys.Accept, "5": keys.SetCause, "Escape": keys.Back, "?": keys.ShowHelp,
		"q": "", " ": "", "ctrl+c": "", "Home": "",
	} {
		if got[key] != want {
			t.Errorf("%q: %q, want %q", key, got[key], want)
		}
	}
}

// docs/keys.md has the table of all keys.
func TestKeysInDocs(t *testing.T) {
	const path, begin, end = "../../docs/keys.md", "<!-- keys -->\n\n", "\n<!-- end of keys -->"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(raw), begin)
	_, after, found2 := strings.Cut(rest, end)
	if !found || !found2 {
		t.Fatalf("%s has no part between %q and %q", path, begin, end)
	}
	want := before + begin + markdown() + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Errorf("%s (run with -update; -want +got):\n%s", path, diff)
	}
}

func markdown() string {
	var b strings.Builder
	b.WriteString("| where | keys | action |\n| --- | --- | --- |\n")
	for _, s := range keys.Help("") {
		for _, l := range s.Lines {
			var names []string
			for name := range strings.FieldsSeq(l.Keys) {
				names = append(names, "`"+name+"`")
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.ToLower(s.Title), strings.Join(names, " "), l.Help)
		}
	}
	return b.String()
}
