package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// Documents keep to a width, a length and links that lead somewhere.
const (
	proseColumns = 120
	pageLines    = 400
	docPages     = 30 // files of docs without docs/formats; may only fall
)

var (
	docLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	docHeading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notAnchor  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// A new page needs a merge of others first: lower docPages with each merge.
func TestDocPages(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	switch n := len(files); {
	case n > docPages:
		t.Errorf("docs has %d pages, and %d are allowed: add to a page that the same reader needs", n, docPages)
	case n < docPages:
		t.Errorf("docs has %d pages: lower docPages from %d", n, docPages)
	}
}

func TestDocs(t *testing.T) {
	pages := make(map[string]string)
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/formats/*.md", "fixtures/*.md"} {
		files, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pages[file] = string(raw)
		}
	}
	if len(pages) < 30 {
		t.Fatalf("only %d pages found: wrong root directory?", len(pages))
	}
	for file, page := range pages {
		text := unfenced(page)
		if n := strings.Count(page, "\n"); n > pageLines {
			t.Errorf("%s has %d lines; split it, or shorten it to %d", file, n, pageLines)
		}
		for i, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > proseColumns && !strings.HasPrefix(line, "|") {
				t.Errorf("%s:%d has %d columns; wrap it at %d", file, i+1, n, proseColumns)
			}
		}
		for _, m := range docLink.FindAllStringSubmatch(text, -1) {
			checkLink(t, pages, file, m[1])
		}
	}
}

// checkLink reports a link to a file or a heading that does not exist. Addresses of the web are not followed.
func checkLink(t *testing.T, pages map[string]string, from, link string) {
	t.Helper()
	path, anchor, _ := strings.Cut(link, "#")
	if strings.Contains(path, "://") || strings.HasPrefix(path, "mailto:") {
		return
	}
	file := from
	if path != "" {
		file = filepath.Join(filepath.Dir(from), filepath.FromSlash(path))
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("%s: the link %s leads to no file", from, link)
		return
	}
	if anchor == "" {
		return
	}
	for _, m := range docHeading.FindAllStringSubmatch(unfenced(pages[file]), -1) {
		if headingAnchor(m[1]) == anchor {
			return
		}
	}
	t.Errorf("%s: %s has no heading for the link #%s", from, file, anchor)
}

// headingAnchor is the anchor that GitHub gives a heading.
func headingAnchor(heading string) string {
	return strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-")
}
