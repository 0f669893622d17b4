package questions

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/chart"
	"airqa/internal/terminal"
)

// WriteFindings prints findings of a file: text as compilers do, JSON an object a line, HTML as a part of the page of
// its statistics s.
func WriteFindings(w io.Writer, list []Finding, s Stats, o Options) error {
	switch o.Format {
	case "text":
		return findingsText(w, list, s)
	case "json":
		for _, f := range list {
			if err := writeJSON(w, f); err != nil {
				return err
			}
		}
		return nil
	case "csv":
		lines := [][]string{findingHead}
		for _, line := range cells(list) {
			lines = append(lines, terminal.CSV(line))
		}
		return csv.NewWriter(w).WriteAll(lines)
	case "md":
		return findingsMarkdown(w, list, s)
	case "html":
		p := page(s, o.WithPaper)
		p.Sections = append([]chart.Section{findingsSection(list)}, p.Sections...)
		return p.Write(w)
	}
	return unknown(o.Format)
}

var findingHead = []string{"severity", "file", "line", "uuid", "rule", "mode", "text"}

func cells(list []Finding) [][]string {
	rows := make([][]string, len(list))
	for i, f := range list {
		rows[i] = []string{string(f.Severity), f.File, strconv.Itoa(f.Line), f.UUID, string(f.Rule), string(f.Mode), f.Text}
	}
	return rows
}

// FindingsSummary is how many findings there are, in one line.
func FindingsSummary(list []Finding, s Stats) string {
	questions := make(map[string]bool)
	for _, f := range list {
		questions[f.File+":"+strconv.Itoa(f.Line)] = true
	}
	errs := Errors(list)
	return fmt.Sprintf("%s: %s, %s and %s in %s", s.Source, plural(s.Questions, "question"), plural(errs, "error"),
		plural(len(list)-errs, "warning"), plural(len(questions), "line"))
}

func findingsText(w io.Writer, list []Finding, s Stats) error {
	var b strings.Builder
	for _, f := range list {
		uuid := ""
		if f.UUID != "" {
			uuid = " " + terminal.Line(f.UUID) + ":"
		}
		_, _ = fmt.Fprintf(&b, "%s:%d:%s %s: %s (%s)\n", terminal.Line(f.File), f.Line, uuid, f.Severity, terminal.Line(f.Text), f.Rule)
	}
	b.WriteString(terminal.Line(FindingsSummary(list, s)) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func findingsMarkdown(w io.Writer, list []Finding, s Stats) error {
	var b strings.Builder
	b.WriteString(cell(FindingsSummary(list, s)) + "\n")
	if len(list) > 0 {
		b.WriteString("\n| " + strings.Join(findingHead, " | ") + " |\n|" + strings.Repeat(" --- |", len(findingHead)) + "\n")
	}
	for _, r := range cells(list) {
		for i := range r {
			r[i] = cell(r[i])
		}
		b.WriteString("| " + strings.Join(r, " | ") + " |\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// findingsSection lists findings with the errors first.
func findingsSection(list []Finding) chart.Section {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	t := chart.Table{Head: []string{"severity", "line", "uuid", "rule", "what"}, Texts: 5}
	for _, f := range sorted {
		t.Rows = append(t.Rows, []string{string(f.Severity), strconv.Itoa(f.Line), f.UUID, string(f.Rule), f.Text})
	}
	errs := Errors(list)
	s := chart.Section{Title: "Findings", Text: []string{plural(errs, "error") + ", " + plural(len(list)-errs, "warning") + "."}}
	if len(list) > 0 {
		s.Tables = append(s.Tables, t.HTML())
	}
	return s
}
