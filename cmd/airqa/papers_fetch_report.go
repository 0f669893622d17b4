package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"airqa/ingest/wanted"
	"airqa/internal/files"
	"airqa/internal/terminal"
)

// fetchReport is the JSON of airqa papers fetch.
type fetchReport struct {
	Format    int           `json:"format"`
	DryRun    bool          `json:"dry_run"`
	Questions int           `json:"questions"`
	Papers    []fetchCount  `json:"papers"`
	Reasons   []fetchReason `json:"reasons"`
	Venues    []fetchVenue  `json:"venues"`
	Received  int64         `json:"received_bytes"`
}

type fetchCount struct {
	State     wanted.State `json:"state"`
	Anchor    int          `json:"anchor"`
	Reference int          `json:"reference"`
	Venue     int          `json:"venue"`
	Total     int          `json:"total"`
}

type fetchReason struct {
	State  wanted.State `json:"state"`
	Reason string       `json:"reason"`
	Papers int          `json:"papers"`
}

type fetchVenue struct {
	Venue     string `json:"venue"`
	Questions int    `json:"questions"`
	Papers    int    `json:"papers"`
	Present   int    `json:"present"`
}

// missingLine is a line of the file of --missing.
type missingLine struct {
	PaperID string       `json:"paper_id"`
	Role    wanted.Role  `json:"role"`
	Title   string       `json:"title"`
	Venue   string       `json:"venue"`
	URL     string       `json:"url"`
	State   wanted.State `json:"state"`
	Reason  string       `json:"reason"`
}

func newFetchReport(dry bool, questions int, plan wanted.Plan, received int64) fetchReport {
	r := fetchReport{
		Format: 1, DryRun: dry, Questions: questions, Received: received,
		Papers: []fetchCount{}, Reasons: []fetchReason{}, Venues: []fetchVenue{},
	}
	for _, n := range plan.Tally() {
		r.Papers = append(r.Papers, fetchCount{n.State, n.ByRole[wanted.Anchor], n.ByRole[wanted.Reference], n.ByRole[wanted.Venue], n.Total})
	}
	for _, n := range plan.Reasons() {
		r.Reasons = append(r.Reasons, fetchReason{n.State, n.Reason, n.Total})
	}
	for _, v := range plan.Venues {
		r.Venues = append(r.Venues, fetchVenue{v.Venue, v.Questions, v.Papers, v.Present})
	}
	return r
}

func (c papersFetchCmd) print(a *app, r fetchReport) error {
	if c.JSON {
		return a.printJSON(r)
	}
	for i, t := range r.tables() {
		text := t.Text(a.width)
		if i > 0 {
			text = "\n" + text
		}
		if err := a.print(text); err != nil {
			return err
		}
	}
	return nil
}

// maxReasons is the number of reasons in the table; --json has all.
const maxReasons = 12

// tables are the papers by state, the venues and the reasons.
func (r fetchReport) tables() []terminal.Table {
	papers := terminal.Table{Head: []string{"papers", "anchor", "reference", "venue", "total"}}
	needed := fetchCount{State: "needed"}
	for _, n := range r.Papers {
		needed.Anchor, needed.Reference, needed.Venue = needed.Anchor+n.Anchor, needed.Reference+n.Reference, needed.Venue+n.Venue
		needed.Total += n.Total
	}
	for _, n := range append([]fetchCount{needed}, r.Papers...) {
		papers.Rows = append(papers.Rows, append([]string{string(n.State)}, numbers(n.Anchor, n.Reference, n.Venue, n.Total)...))
	}
	tables := []terminal.Table{papers}
	if len(r.Venues) > 0 {
		venues := terminal.Table{Head: []string{"venue", "questions", "papers in metadata", "present before"}}
		for _, v := range r.Venues {
			venues.Rows = append(venues.Rows, append([]string{v.Venue}, numbers(v.Questions, v.Papers, v.Present)...))
		}
		tables = append(tables, venues)
	}
	if len(r.Reasons) > 0 {
		tables = append(tables, r.reasons())
	}
	return tables
}

func (r fetchReport) reasons() terminal.Table {
	t := terminal.Table{Head: []string{"missing", "papers", "reason"}}
	for i, n := range r.Reasons {
		if i == maxReasons {
			t.Rows = append(t.Rows, []string{"", "", fmt.Sprintf("and %d more reasons; --json lists them", len(r.Reasons)-i)})
			break
		}
		t.Rows = append(t.Rows, []string{string(n.State), strconv.Itoa(n.Papers), n.Reason})
	}
	return t
}

func numbers(list ...int) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return texts
}

// writeMissing writes the file of --missing.
func (c papersFetchCmd) writeMissing(plan wanted.Plan) error {
	if c.Missing == "" {
		return nil
	}
	var b bytes.Buffer
	for _, p := range plan.Missing() {
		line, err := json.Marshal(missingLine{p.ID, p.Role, p.Title, p.Venue, p.URL, p.State, p.Reason})
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return files.WriteFile(c.Missing, b.Bytes())
}
