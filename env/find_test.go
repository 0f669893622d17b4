package env_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env"
	"airqa/env/paperdb"
)

func namedPaper(id, title, file string) env.Holding {
	return env.Holding{Metadata: paperdb.Metadata{PaperID: id, Title: title}, File: paperdb.File{Name: file}}
}

var namedPapers = []env.Holding{
	namedPaper("248bbaf9-0000", "Attention Is All\nYou Need", "1706.03762.pdf"),
	namedPaper("248b0000-0000", "More Attention", "more.PDF"),
	namedPaper("c0000000-0000", "More", "attention-study.pdf"),
	namedPaper("d0000000-0000", "Input/Output", "io.pdf"),
}

// A paper is found by its UUID or the beginning of it, its file or its title. A full match takes precedence over a
// partial one.
func TestFindPapers(t *testing.T) {
	for name, want := range map[string]string{
		"248BBAF9-0000":               "248bbaf9",
		"248bb":                       "248bbaf9",
		"248b":                        "248bbaf9 248b0000",
		"1706.03762":                  "248bbaf9",
		"1706.03762.pdf":              "248bbaf9",
		"pdfs/1706.03762.PDF":         "248bbaf9",
		"all you need":                "248bbaf9",
		" attention  is all you need": "248bbaf9",
		"attention":                   "248bbaf9 248b0000 c0000000",
		"more":                        "248b0000 c0000000",
		"more attention":              "248b0000",
		"input/output":                "d0000000",
	} {
		found, err := env.FindPapers(namedPapers, "data", name)
		var got []string
		for _, h := range found {
			got = append(got, h.PaperID[:8])
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" || err != nil {
			t.Errorf("%q (-want +got), %v:\n%s", name, err, diff)
		}
	}
}

// One paper is found where the name fits one, or is the beginning of one.
func TestFindPaper(t *testing.T) {
	for name, want := range map[string]string{
		"attention is": "248bbaf9-0000",
		"study":        "c0000000-0000",
		"more a":       "248b0000-0000",
		"inp":          "d0000000-0000",
		"248b": `"248b" matches 2 papers in data:
  248bbaf9-0000  Attention Is All You Need
  248b0000-0000  More Attention`,
		"atention is all you need": `no paper "atention is all you need" in data; airqa papers --data data lists them. Similar names:
  248bbaf9-0000  Attention Is All You Need`,
		"1706.03726.pdf": `no paper "1706.03726.pdf" in data; airqa papers --data data lists them. Similar names:
  248bbaf9-0000  Attention Is All You Need`,
		"248bbaf8": `no paper "248bbaf8" in data; airqa papers --data data lists them. Similar names:
  248bbaf9-0000  Attention Is All You Need`,
		"zebra": `no paper "zebra" in data; airqa papers --data data lists them`,
		" ":     `no paper " " in data; airqa papers --data data lists them`,
	} {
		found, err := env.FindPaper(namedPapers, "data", name)
		got := found.PaperID
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}

// A long list of candidates is cut.
func TestFindPaperOfMany(t *testing.T) {
	var many []env.Holding
	for i := range 8 {
		many = append(many, namedPaper(fmt.Sprintf("%d", i), "Same", ""))
	}
	if _, err := env.FindPaper(many, "data", "same"); err == nil || strings.Count(err.Error(), "Same") != 5 || !strings.HasSuffix(err.Error(), "\n  and 3 more") {
		t.Errorf("got %v", err)
	}
}
