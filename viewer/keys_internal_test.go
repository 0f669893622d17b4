package viewer

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/golden"
)

// places are all places in the order of the help.
var places = []place{listPage, episodePage, queuePage}

// A place overrides the keys of everywhere, and has none of the others.
func TestActions(t *testing.T) {
	for place, want := range map[place]map[string]string{
		listPage:    {"Enter": "open", "j": "down", "l": "", "1": "", "?": "help", "Escape": "back"},
		episodePage: {"ArrowRight": "next_step", "L": "next_episode", "0": "first", "1": "", "Enter": ""},
		queuePage:   {"ArrowRight": "next_step", "Enter": "accept", "5": "set_cause", "0": "first", "u": "undo"},
	} {
		got := keyActions(place)
		for key, action := range want {
			if got[key] != action {
				t.Errorf("%q in %s: %q, want %q", key, place, got[key], action)
			}
		}
		for _, key := range []string{" ", "q", "Home", "PageDown", "Backspace"} {
			if got[key] != "" {
				t.Errorf("%q in %s is a key of the browser", key, place)
			}
		}
	}
}

// No key has two meanings in one place, and each has help and a label.
func TestHelp(t *testing.T) {
	for _, p := range places {
		bound := make(map[string]bool)
		for _, s := range keyHelp(p) {
			for _, l := range s.Lines {
				if l.Help == "" || l.Keys == "" || strings.HasSuffix(l.Help, ".") {
					t.Errorf("%s: help %q, keys %q", p, l.Help, l.Keys)
				}
				for k := range strings.FieldsSeq(l.Keys) {
					if bound[k] {
						t.Errorf("%s has two meanings in %s", k, p)
					}
					bound[k] = true
				}
			}
		}
	}
}

// docs/view.md has the table of all keys.
func TestKeysInDocs(t *testing.T) {
	const path, begin, end = "../docs/view.md", "<!-- keys -->\n\n", "\n<!-- end of keys -->"
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
	if golden.Updating() {
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
	sections := keyHelp(listPage)[1:]
	for i := range places {
		sections = slices.Insert(sections, i, keyHelp(places[i])[0])
	}
	for _, s := range sections {
		for _, l := range s.Lines {
			var names []string
			for name := range strings.FieldsSeq(l.Keys) {
				names = append(names, "`"+name+"`")
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.ToLower(string(s.Place)), strings.Join(names, " "), l.Help)
		}
	}
	return b.String()
}
