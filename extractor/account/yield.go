// Package account reports on a synthesis from its ledger: how many candidates each stage passed and why it lost the
// others ([Yields]), and what happened to one candidate ([Story]).
package account

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/extractor/syndir"
	"airqa/internal/terminal"
	"airqa/qa"
)

// Stage counts what a stage did with the candidates that reached it.
type Stage struct {
	Stage   string `json:"stage"`
	Reached int    `json:"reached"`
	// Passed counts accepted candidates in stage accept.
	Passed  int `json:"passed"`
	Lost    int `json:"lost"`
	Pending int `json:"pending"`
	// Reasons counts lost and pending candidates.
	Reasons map[candidate.Reason]int `json:"reasons"`
	// Calls, Usage and USD count each reply once, also if several candidates used it.
	Calls int      `json:"calls"`
	Usage qa.Usage `json:"usage"`
	USD   *float64 `json:"usd"`
}

// Category counts the candidates of a category.
type Category struct {
	syndir.Tally
	Category candidate.Category `json:"category"`
	Wanted   int                `json:"wanted"`
}

// Yields is the account of a synthesis.
type Yields struct {
	syndir.Tally
	Categories []Category   `json:"categories"`
	Stages     []Stage      `json:"stages"`
	Spent      syndir.Spent `json:"spent"`
}

// Read counts the candidates and stages of a directory.
func Read(dir string) (Yields, error) {
	config, err := syndir.Read(dir)
	if err != nil {
		return Yields{}, err
	}
	y := Yields{}
	states, err := syndir.States(dir)
	if err != nil {
		return y, err
	}
	by := make(map[candidate.Category]*Category)
	for _, q := range config.Quotas {
		by[q.Category] = &Category{Category: q.Category, Wanted: q.Count}
	}
	for _, s := range states {
		if by[s.Category] == nil {
			by[s.Category] = &Category{Category: s.Category}
		}
		y.Add(s.Outcome)
		by[s.Category].Add(s.Outcome)
	}
	for _, c := range candidate.Categories() {
		if by[c] != nil {
			y.Categories = append(y.Categories, *by[c])
		}
	}
	if y.Spent, err = syndir.SpentIn(dir); err != nil {
		return y, err
	}
	y.Stages, err = stages(dir)
	return y, err
}

// lastLines returns the last line of each candidate and stage, without data.
func lastLines(dir string) (map[[2]string]candidate.Line, error) {
	lines := make(map[[2]string]candidate.Line)
	for line, err := range syndir.Lines(dir) {
		if err != nil {
			return nil, err
		}
		line.Data = nil
		lines[[2]string{line.Candidate, line.Stage}] = line
	}
	return lines, nil
}

// stages sums the last lines of each stage.
func stages(dir string) ([]Stage, error) {
	lines, err := lastLines(dir)
	if err != nil {
		return nil, err
	}
	by := make(map[string]*Stage)
	keys := slices.SortedFunc(maps.Keys(lines), func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0])) })
	for _, key := range keys {
		line := lines[key]
		s := by[line.Stage]
		if s == nil {
			s = &Stage{Stage: line.Stage, Reasons: make(map[candidate.Reason]int), USD: new(float64)}
			by[line.Stage] = s
		}
		s.add(line)
	}
	for _, line := range syndir.PaidOnce(slices.Collect(maps.Values(lines))) {
		by[line.Stage].pay(line)
	}
	list := slices.Collect(maps.Values(by))
	slices.SortFunc(list, func(a, b *Stage) int { return cmp.Compare(gate.Place(a.Stage), gate.Place(b.Stage)) })
	result := make([]Stage, len(list))
	for i, s := range list {
		result[i] = *s
	}
	return result, nil
}

func (s *Stage) add(line candidate.Line) {
	s.Reached++
	switch line.Outcome {
	case candidate.Done, candidate.Accepted:
		s.Passed++
	case candidate.Pending:
		s.Pending++
	default:
		s.Lost++
	}
	if line.Reason != "" {
		s.Reasons[line.Reason]++
	}
}

// pay adds the calls of a line.
func (s *Stage) pay(line candidate.Line) {
	s.Calls += len(line.Calls)
	s.Usage = s.Usage.Add(line.Usage)
	switch {
	case s.USD == nil:
	case line.USD == nil:
		s.USD = nil
	default:
		*s.USD += *line.USD
	}
}

// Text prints the account for a terminal width; 0 means any.
func (y Yields) Text(width int) string {
	categories := terminal.Table{Head: []string{"category", "wanted", "accepted", "rejected", "failed", "pending"}}
	for _, c := range append(y.Categories, Category{Category: "total", Tally: y.Tally, Wanted: y.wanted()}) {
		categories.Rows = append(categories.Rows, []string{
			string(c.Category), fmt.Sprint(c.Wanted), fmt.Sprint(c.Accepted), fmt.Sprint(c.Rejected), fmt.Sprint(c.Failed), fmt.Sprint(c.Pending),
		})
	}
	stages := terminal.Table{Head: []string{"stage", "reached", "passed", "lost", "calls", "tokens", "cost", "reasons"}}
	for _, s := range y.Stages {
		stages.Rows = append(stages.Rows, []string{
			s.Stage, fmt.Sprint(s.Reached), fmt.Sprint(s.Passed), fmt.Sprint(s.Lost + s.Pending), fmt.Sprint(s.Calls),
			terminal.Compact(float64(s.Usage.Prompt + s.Usage.Completion)), dollars(s.USD), Reasons(s.Reasons),
		})
	}
	total := fmt.Sprintf("%s = %d accepted + %d rejected + %d failed + %d pending; %s, %d tokens, %s", terminal.Plural(y.Candidates, "candidate"),
		y.Accepted, y.Rejected, y.Failed, y.Pending, terminal.Plural(y.Spent.Calls, "call"), y.Spent.Usage.Prompt+y.Spent.Usage.Completion, dollars(y.Spent.USD))
	return strings.Join([]string{categories.Text(width), stages.Text(width), total}, "\n\n")
}

func (y Yields) wanted() int {
	n := 0
	for _, c := range y.Categories {
		n += c.Wanted
	}
	return n
}

// dollars formats a cost; nil is unknown.
func dollars(usd *float64) string {
	if usd == nil {
		return "unknown"
	}
	return terminal.USD(*usd)
}

// Reasons lists counts of reasons, the most frequent one first.
func Reasons(counts map[candidate.Reason]int) string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b candidate.Reason) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	parts := make([]string, len(keys))
	for i, key := range keys {
		parts[i] = fmt.Sprintf("%s %d", key, counts[key])
	}
	return strings.Join(parts, ", ")
}
