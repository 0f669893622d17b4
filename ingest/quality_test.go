package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"airqa/env/paperdb"
	"airqa/env/pdf"
	"airqa/ingest"
)

// TestQualityOfRealPapers measures what is found in the PDFs of the folders in AIRQA_TEST_PDFS and AIRQA_TEST_HARD_PDFS:
// run it with -v. The outline of a file is the ground truth for its sections, the text that PDFium extracts for words and
// their order: no paper may lose 1% of the words, or have less than 90% of them in order. With AIRQA_TEST_OUT set, it also writes the parts of each
// paper to that folder, for comparison with another version.
func TestQualityOfRealPapers(t *testing.T) {
	if os.Getenv("AIRQA_TEST_PDFS") == "" {
		t.Skip("set AIRQA_TEST_PDFS to a folder of PDFs")
	}
	var total quality
	paths := benchPapers(t)
	if hard := os.Getenv("AIRQA_TEST_HARD_PDFS"); hard != "" {
		more, err := ingest.Find([]string{hard})
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, more...)
	}
	for _, path := range paths {
		read, outline, err := readWithOutline(path)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(path), err)
			continue
		}
		p := read.Paper
		q := measure(p, outline)
		q.fidelity = read.Fidelity
		total = total.plus(q)
		if f := q.fidelity; f.LostShare() >= 0.01 || f.Order() < 0.9 {
			t.Errorf("%s: %.2f%% of the words are lost, %.1f%% are in order", filepath.Base(path), 100*f.LostShare(), 100*f.Order())
		}
		t.Logf("%s: %s%s", filepath.Base(path), q, q.remarks)
		if dir := os.Getenv("AIRQA_TEST_OUT"); dir != "" {
			name := strings.TrimSuffix(filepath.Base(path), ".pdf") + ".txt"
			if err := os.WriteFile(filepath.Join(dir, name), []byte(listing(p)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("all: %s", total)
}

func readWithOutline(path string) (p ingest.Extraction, outline []pdf.Heading, err error) {
	source, err := ingest.Open(path)
	if err != nil {
		return p, nil, err
	}
	reader, err := ingest.NewReader(pool)
	if err != nil {
		return p, nil, err
	}
	if p, err = reader.Read(context.Background(), source); err != nil {
		return p, nil, err
	}
	doc, err := pool.Open(context.Background(), source.PDF)
	if err != nil {
		return p, nil, err
	}
	defer func() { _ = doc.Close() }()
	outline, err = doc.Outline(context.Background())
	return p, outline, err
}

// quality counts the parts found in one or several papers.
type quality struct {
	pages, entries, recalled, sections, judged, extra int
	figures, tables, empty, references, longReference int
	fidelity                                          ingest.Fidelity
	remarks                                           string
}

func (q quality) plus(o quality) quality {
	q.pages, q.entries, q.recalled = q.pages+o.pages, q.entries+o.entries, q.recalled+o.recalled
	q.sections, q.extra, q.figures, q.tables = q.sections+o.sections, q.extra+o.extra, q.figures+o.figures, q.tables+o.tables
	q.judged += o.judged
	q.empty, q.references, q.fidelity = q.empty+o.empty, q.references+o.references, q.fidelity.Plus(o.fidelity)
	q.longReference = max(q.longReference, o.longReference)
	return q
}

func (q quality) String() string {
	return fmt.Sprintf("%d pages, outline %d/%d, sections %d (%d of %d not in the outline), %d figures, %d tables (%d empty), "+
		"%d references (longest %d), %.2f%% of the words lost, order %.3f",
		q.pages, q.recalled, q.entries, q.sections, q.extra, q.judged, q.figures, q.tables, q.empty, q.references, q.longReference, 100*q.fidelity.LostShare(), q.fidelity.Order())
}

// starred matches sections that LaTeX omits from the outline.
var starred = regexp.MustCompile(`(?i)^(references|bibliography|acknowledg|contents|affiliation|limitations|appendi|supplement|ethic|broader|` +
	`abstract|changehistory|index|r[ée]f[ée]rences|literatur|r[ée]sum[ée]|listade|agradecimentos|致谢)`)

var headNumber = regexp.MustCompile(`^(?i:appendix |chapter )?([A-Z]|[IVX]+|\d+)?(\.\d+)*[.:]?\s+`)

// title removes the number of an entry unless nothing else is left.
func title(s string) string { return plain(headNumber.ReplaceAllString(strings.TrimSpace(s), "")) }

// sameTitle ignores a label, such as "Appendix A", of the printed title.
func sameTitle(printed, entry string) bool {
	const longestLabel = 14
	got, want := plain(printed), title(entry)
	return strings.HasSuffix(got, want) && len(got) <= len(want)+longestLabel || got == plain(entry)
}

func measure(p paperdb.Paper, outline []pdf.Heading) quality {
	q := quality{pages: len(p.Pages), sections: len(p.Sections), figures: len(p.Images), tables: len(p.Tables), references: len(p.References)}
	if len(outline) > 2 {
		q.compare(p, outline)
	}
	for _, table := range p.Tables {
		if table.Content == "" {
			q.empty++
			q.remarks += fmt.Sprintf("\n    empty table, page %d: %.70s", pageNumber(p, table.PageID), table.Caption)
		}
	}
	for _, r := range p.References {
		q.longReference = max(q.longReference, len(r.Content))
	}
	for _, problem := range p.File.Problems {
		q.remarks += "\n    problem: " + problem
	}
	return q
}

// compare counts the outline entries found on their page or a neighbouring one, and the sections without an entry. The
// abstract, the paper's title and the letters of an index need not be found. A numbered section without an entry is no
// error if the outline has its parent or predecessor: outlines stop at some level.
func (q *quality) compare(p paperdb.Paper, outline []pdf.Heading) {
	used, numbers := make([]bool, len(p.Sections)), map[string]bool{}
	for _, e := range outline {
		found := slices.IndexFunc(p.Sections, func(s paperdb.Section) bool {
			off := s.PageNumbers[0] - e.Page
			return !used[s.Ordinal] && off*off <= 1 && sameTitle(s.Title, e.Title)
		})
		if found >= 0 {
			used[found] = true
		}
		name := title(e.Title)
		if len(name) < 2 || name == plain(p.Metadata.Title) || name == "abstract" {
			continue
		}
		q.entries++
		if found >= 0 {
			q.recalled++
		} else {
			q.remarks += fmt.Sprintf("\n    not found: page %d, %s", e.Page, e.Title)
		}
	}
	for i, s := range p.Sections {
		if starred.MatchString(title(s.Title)) && !used[i] {
			continue
		}
		q.judged++
		number := decimal.FindString(s.Title)
		if !used[i] && !numbers[before(number)] && !numbers[above(number)] {
			q.extra++
			q.remarks += fmt.Sprintf("\n    not in the outline: page %d, %.100s", s.PageNumbers[0], s.Title)
			continue
		}
		numbers[number] = number != ""
	}
}

var decimal = regexp.MustCompile(`^([A-Z]|\d+)(\.\d+)*\b`)

// above returns the number of the parent section: "3" of "3.1".
func above(number string) string { return number[:max(0, strings.LastIndexByte(number, '.'))] }

// before returns the previous number at the same level: "3.1" before "3.2".
func before(number string) string {
	at := strings.LastIndexByte(number, '.') + 1
	n, err := strconv.Atoi(number[at:])
	if err != nil {
		return ""
	}
	return number[:at] + strconv.Itoa(n-1)
}

// listing lists the parts of a paper, one per line.
func listing(p paperdb.Paper) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "title %s\nabstract %s\n", p.Metadata.Title, p.Metadata.Abstract)
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "section p%d %s (%d)\n", s.PageNumbers[0], s.Title, len(s.Content))
	}
	for _, f := range p.Images {
		fmt.Fprintf(&b, "figure p%d %v %.80s\n", pageNumber(p, f.PageID), f.Box, f.Caption)
	}
	for _, t := range p.Tables {
		fmt.Fprintf(&b, "table p%d %v %.80s\n  %s\n", pageNumber(p, t.PageID), t.Box, t.Caption, t.Content)
	}
	for _, r := range p.References {
		fmt.Fprintf(&b, "reference p%d %s\n", pageNumber(p, r.PageID), r.Content)
	}
	fmt.Fprintf(&b, "chunks %d, equations %d\n", len(p.Chunks), len(p.Equations))
	for _, problem := range p.File.Problems {
		fmt.Fprintf(&b, "problem %s\n", problem)
	}
	for _, page := range p.Pages {
		fmt.Fprintf(&b, "page %d\n%s\n", page.Number, page.Content)
	}
	return b.String()
}
