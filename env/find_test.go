package env_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/env"
	"airqa/env/paperdb"
)

// namedPaper is a paper whose UUID begins with id.
func namedPaper(id, title, file string) paperdb.Paper {
	p := paperdb.Paper{Metadata: paperdb.Metadata{PaperID: id + "00000000-0000-4000-8000-000000000000"[len(id):], Title: title}}
	p.File = paperdb.File{SHA256: "sha of " + id, Name: file, Parser: "1"}
	return p
}

func openPapers(t *testing.T, dir string) *env.Papers {
	t.Helper()
	p, err := env.OpenPapers(t.Context(), dir)
	check(t, err)
	return p
}

// ofPapers are the papers of a new data directory.
func ofPapers(t *testing.T, papers ...paperdb.Paper) (found *env.Papers, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	fill(t, dir, papers...)
	found = openPapers(t, dir)
	t.Cleanup(func() { check(t, found.Close()) })
	return found, dir
}

var namedPapers = []paperdb.Paper{
	namedPaper("248bbaf9-0000", "Attention Is All\nYou Need", "1706.03762.pdf"),
	namedPaper("248b0000-0000", "More Attention", "more.PDF"),
	namedPaper("c0000000-0000", "More", "attention-study.pdf"),
	namedPaper("d0000000-0000", "Input/Output", "io.pdf"),
	namedPaper("e0000000-0000", "Gains of 5% with snake_case", "100%.pdf"),
	namedPaper("f0000000-0000", "It's \"quoted\"; DROP TABLE metadata", ""),
}

// A paper is found by its UUID or the beginning of it, its file or its title. A full match takes precedence over a
// partial one. No character has a meaning of its own.
func TestFind(t *testing.T) {
	papers, _ := ofPapers(t, namedPapers...)
	for name, want := range map[string]string{
		"248BBAF9-0000-4000-8000-000000000000": "248bbaf9",
		"248bb":                                "248bbaf9",
		"248b":                                 "248b0000 248bbaf9",
		"1706.03762":                           "248bbaf9",
		"1706.03762.pdf":                       "248bbaf9",
		"pdfs/1706.03762.PDF":                  "248bbaf9",
		"all you need":                         "248bbaf9",
		" attention  is all you need":          "248bbaf9",
		"attention":                            "248b0000 248bbaf9 c0000000",
		"more":                                 "248b0000 c0000000",
		"more attention":                       "248b0000",
		"input/output":                         "d0000000",
		"%":                                    "e0000000",
		"_":                                    "e0000000",
		"100%":                                 "e0000000",
		"it's":                                 "f0000000",
		`"; drop`:                              "f0000000",
	} {
		found, err := papers.Find(t.Context(), name)
		var got []string
		for _, id := range found {
			got = append(got, id[:8])
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" || err != nil {
			t.Errorf("%q (-want +got), %v:\n%s", name, err, diff)
		}
	}
}

// One paper is found where the name fits one, or is the beginning of one.
func TestFindOne(t *testing.T) {
	papers, dir := ofPapers(t, namedPapers...)
	const similar = `no paper %q in data; airqa papers --data data lists them. Similar names:
  248bbaf9-0000-4000-8000-000000000000  Attention Is All You Need`
	for name, want := range map[string]string{
		"attention is": "248bbaf9-0000-4000-8000-000000000000 Attention Is All\nYou Need",
		"study":        "c0000000-0000-4000-8000-000000000000 More",
		"more a":       "248b0000-0000-4000-8000-000000000000 More Attention",
		"inp":          "d0000000-0000-4000-8000-000000000000 Input/Output",
		"248b": `"248b" matches 2 papers in data:
  248b0000-0000-4000-8000-000000000000  More Attention
  248bbaf9-0000-4000-8000-000000000000  Attention Is All You Need`,
		"atention is all you need": fmt.Sprintf(similar, "atention is all you need"),
		"1706.03726.pdf":           fmt.Sprintf(similar, "1706.03726.pdf"),
		"248bbaf8":                 fmt.Sprintf(similar, "248bbaf8"),
		"zebra":                    `no paper "zebra" in data; airqa papers --data data lists them`,
		"%%":                       `no paper "%%" in data; airqa papers --data data lists them`,
		" ":                        `no paper " " in data; airqa papers --data data lists them`,
	} {
		found, err := papers.FindOne(t.Context(), name)
		got := found.PaperID + " " + found.Title
		if err != nil {
			got = strings.ReplaceAll(err.Error(), dir, "data")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}

// A long list of candidates is cut.
func TestFindOneOfMany(t *testing.T) {
	var many []paperdb.Paper
	for i := range 8 {
		many = append(many, namedPaper(fmt.Sprintf("%d", i), "Same", ""))
	}
	papers, _ := ofPapers(t, many...)
	if _, err := papers.FindOne(t.Context(), "same"); err == nil || strings.Count(err.Error(), "Same") != 5 || !strings.HasSuffix(err.Error(), "\n  and 3 more") {
		t.Errorf("got %v", err)
	}
}

// Letters whose lower case the database engine writes in another way than Go, or that combine, are found as Go folds them.
func TestFindFoldsAsGoDoes(t *testing.T) {
	odd := []string{"a", "B", "K", "k", "\u212a", "ſ", "İ", "i\u0307", "ı", "Σ", "ς", "Ǆ", "ǅ", "é", "e\u0301", "文", "%", "_", "'", " ", "\u00a0", "\n", "/", ".pdf", "Ⅷ", "\U00010400"}
	text := rapid.SliceOfN(rapid.SampledFrom(odd), 1, 4)
	var all []paperdb.Paper
	for i := range 40 {
		title := strings.Join(text.Example(i), "")
		all = append(all, namedPaper(fmt.Sprintf("%08x", 7919*i), title, strings.Join(text.Example(100+i), "")))
	}
	papers, _ := ofPapers(t, all...)
	rapid.Check(t, func(t *rapid.T) {
		name := strings.Join(text.Draw(t, "name"), "")
		got, _ := papers.Find(t.Context(), name)
		if diff := cmp.Diff(foundIn(all, name), got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	})
}

// foundIn is what Find returns, by comparing with all papers.
func foundIn(all []paperdb.Paper, name string) (ids []string) {
	fold := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	want := fold(name)
	if want == "" {
		return nil
	}
	file := strings.TrimSuffix(filepath.Base(want), ".pdf")
	for _, is := range []func(p paperdb.Paper) bool{
		func(p paperdb.Paper) bool {
			return p.File.Name != "" && strings.TrimSuffix(fold(p.File.Name), ".pdf") == file || fold(p.Metadata.Title) == want
		},
		func(p paperdb.Paper) bool {
			return strings.HasPrefix(p.Metadata.PaperID, want) || strings.Contains(fold(p.File.Name), want) || strings.Contains(fold(p.Metadata.Title), want)
		},
	} {
		for _, p := range all {
			if is(p) {
				ids = append(ids, p.Metadata.PaperID)
			}
		}
		if len(ids) > 0 {
			break
		}
	}
	slices.Sort(ids)
	return ids
}
