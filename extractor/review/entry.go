package review

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"airqa/extractor/candidate"
	"airqa/internal/ledger"
)

// Format is the format number of a review file.
const Format = 1

// Entry is a line of a review file: the texts of a row as they are or as edited, and the decision.
type Entry struct {
	Format    int                `json:"format"`
	Candidate string             `json:"candidate"`
	Category  candidate.Category `json:"category"`
	// Row identifies the texts that the reviewer saw.
	Row      string             `json:"row"`
	Decision candidate.Decision `json:"decision"`
	Reviewer string             `json:"reviewer"`
	// Time is the time of the decision; zero means that of applying it.
	Time time.Time `json:"time,omitzero"`
	Note string    `json:"note"`
	candidate.Texts
	// Evidence are quotes from the paper, for the reader.
	Evidence []string `json:"evidence,omitempty"`
}

// entry returns the row without a decision.
func (r Row) entry() Entry {
	d := Entry{Format: Format, Candidate: r.Synth.Candidate, Category: r.Synth.Category, Row: r.texts().Hash(), Texts: r.texts()}
	for _, e := range r.Synth.Evidence {
		if e.Quote != "" {
			d.Evidence = append(d.Evidence, e.Quote)
		}
	}
	return d
}

// WriteForm writes the entry of each row without a decision, for a text editor.
func WriteForm(w io.Writer, rows []Row) error {
	for _, r := range rows {
		line, err := ledger.Encode(r.entry())
		if err == nil {
			_, err = w.Write(line)
		}
		if err != nil {
			return fmt.Errorf("write the review: %w", err)
		}
	}
	return nil
}

// Read reads a review file, with the entries without a decision. Each error names its line.
func Read(path string) ([]Entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	var all []Entry
	seen := map[string]bool{}
	for n := 1; in.Scan(); n++ {
		raw := bytes.TrimSpace(bytes.TrimPrefix(in.Bytes(), []byte("\ufeff")))
		if len(raw) == 0 {
			continue
		}
		d, err := decode(raw)
		if err == nil && seen[d.Candidate] {
			err = fmt.Errorf("a second decision about %s", d.Candidate)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		seen[d.Candidate] = true
		all = append(all, d)
	}
	return all, in.Err()
}

func decode(raw []byte) (Entry, error) {
	var d Entry
	if err := ledger.Strict(raw, &d); err != nil {
		return d, err
	}
	d.Decision = candidate.Decision(strings.ToLower(strings.TrimSpace(string(d.Decision))))
	switch {
	case d.Format != Format:
		return d, fmt.Errorf("format %d; this program reads %d", d.Format, Format)
	case !slices.Contains([]candidate.Decision{"", candidate.Keep, candidate.Fix, candidate.Reject}, d.Decision):
		return d, fmt.Errorf("decision %q: want accept, fix or reject", d.Decision)
	case d.Decision == candidate.Fix && strings.TrimSpace(d.Question) == "":
		return d, fmt.Errorf("the fixed question is empty")
	}
	if _, err := candidate.ParseID(d.Candidate); err != nil {
		return d, err
	}
	return d, nil
}
