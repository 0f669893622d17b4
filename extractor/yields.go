package extractor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/internal/terminal"
	"airqa/qa/dataset"
)

// Summary is the result of a run.
type Summary struct {
	Yields
	// Suspended is why a budget stopped the run, Failure the first failed call; empty if there was none.
	Suspended, Failure string
	// Stopped means that the run ended before the quotas were filled or the candidates ran out.
	Stopped bool
}

// Missing returns the categories with fewer rows, or drafts, than asked for.
func (s Summary) Missing() []CategoryYield {
	return slices.DeleteFunc(slices.Clone(s.Categories), func(c CategoryYield) bool {
		return c.NotRun || c.Accepted+c.Reasons[candidate.NotTracked] >= c.Wanted
	})
}

// StageYield counts what a stage did with the candidates that reached it.
type StageYield struct {
	Stage   string `json:"stage"`
	Reached int    `json:"reached"`
	// Passed counts accepted candidates in stage accept.
	Passed  int `json:"passed"`
	Lost    int `json:"lost"`
	Pending int `json:"pending"`
	// Reasons counts lost and pending candidates.
	Reasons map[candidate.Reason]int `json:"reasons"`
	// Spent counts each reply once, also if several candidates used it.
	candidate.Spent
}

// CategoryYield counts the candidates of a category.
type CategoryYield struct {
	candidate.Tally
	Category candidate.Category `json:"category"`
	Wanted   int                `json:"wanted"`
	// Reasons counts the candidates that were not accepted. Drafts are pending as [candidate.NotTracked].
	Reasons map[candidate.Reason]int `json:"-"`
	// NotRun is set in a [Summary] if the run did not get to the category.
	NotRun bool `json:"-"`
}

// Yields counts the candidates of a synthesis: how many each stage passed and why it lost the others.
type Yields struct {
	candidate.Tally
	Categories []CategoryYield `json:"categories"`
	Stages     []StageYield    `json:"stages"`
	Spent      candidate.Spent `json:"spent"`
}

// ReadYields counts the candidates and stages of a directory.
func ReadYields(dir string) (Yields, error) {
	settings, err := candidate.ReadSettings(dir)
	if err != nil {
		return Yields{}, err
	}
	history, err := candidate.ReadHistory(dir)
	if err != nil {
		return Yields{}, err
	}
	return count(history, settings.Quotas), nil
}

// count counts the candidates and stages of a ledger.
func count(history candidate.History, quotas []candidate.Quota) Yields {
	y := Yields{Spent: history.Spent(), Stages: stageYields(history.LastLines())}
	by := make(map[candidate.Category]*CategoryYield)
	yieldOf := func(c candidate.Category) *CategoryYield {
		if by[c] == nil {
			by[c] = &CategoryYield{Category: c, Reasons: make(map[candidate.Reason]int)}
		}
		return by[c]
	}
	for _, q := range quotas {
		yieldOf(q.Category).Wanted = q.Count
	}
	for _, s := range history.States() {
		y.Add(s.Outcome)
		c := yieldOf(s.Category)
		c.Add(s.Outcome)
		if s.Outcome != candidate.Accepted {
			c.Reasons[s.Reason]++
		}
	}
	for _, c := range candidate.Categories() {
		if by[c] != nil {
			y.Categories = append(y.Categories, *by[c])
		}
	}
	return y
}

// stageYields sums the last lines of each stage, in the order in which the stages run.
func stageYields(lines []candidate.Line) []StageYield {
	by := make(map[string]*StageYield)
	for _, line := range lines {
		s := by[line.Stage]
		if s == nil {
			s = &StageYield{Stage: line.Stage, Reasons: make(map[candidate.Reason]int), Spent: candidate.NewSpent()}
			by[line.Stage] = s
		}
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
	for _, line := range candidate.PaidOnce(lines) {
		by[line.Stage].Add(line)
	}
	list := make([]StageYield, 0, len(by))
	for _, stage := range slices.Sorted(maps.Keys(by)) {
		list = append(list, *by[stage])
	}
	slices.SortStableFunc(list, func(a, b StageYield) int { return cmp.Compare(gate.Place(a.Stage), gate.Place(b.Stage)) })
	return list
}

// Text prints the counts for a terminal width; 0 means any.
func (y Yields) Text(width int) string {
	total := CategoryYield{Category: "total", Tally: y.Tally}
	for _, c := range y.Categories {
		total.Wanted += c.Wanted
	}
	categories := terminal.Table{Head: []string{"category", "wanted", "accepted", "rejected", "failed", "pending"}}
	for _, c := range append(y.Categories, total) {
		categories.Rows = append(categories.Rows, []string{
			string(c.Category), fmt.Sprint(c.Wanted), fmt.Sprint(c.Accepted), fmt.Sprint(c.Rejected), fmt.Sprint(c.Failed), fmt.Sprint(c.Pending),
		})
	}
	stages := terminal.Table{Head: []string{"stage", "reached", "passed", "lost", "calls", "tokens", "cost", "reasons"}}
	for _, s := range y.Stages {
		stages.Rows = append(stages.Rows, []string{
			s.Stage, fmt.Sprint(s.Reached), fmt.Sprint(s.Passed), fmt.Sprint(s.Lost + s.Pending), fmt.Sprint(s.Calls),
			terminal.Compact(float64(s.Usage.Prompt + s.Usage.Completion)), terminal.Cost(s.USD, "unknown"), ReasonsText(s.Reasons),
		})
	}
	sum := fmt.Sprintf("%s = %d accepted + %d rejected + %d failed + %d pending; %s, %d tokens, %s",
		terminal.Plural(y.Candidates, "candidate"), y.Accepted, y.Rejected, y.Failed, y.Pending,
		terminal.Plural(y.Spent.Calls, "call"), y.Spent.Usage.Prompt+y.Spent.Usage.Completion, terminal.Cost(y.Spent.USD, "unknown"))
	return strings.Join([]string{categories.Text(width), stages.Text(width), sum}, "\n\n")
}

// ReasonsText lists counts of reasons, the most frequent one first.
func ReasonsText(counts map[candidate.Reason]int) string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b candidate.Reason) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	parts := make([]string, len(keys))
	for i, key := range keys {
		parts[i] = fmt.Sprintf("%s %d", key, counts[key])
	}
	return strings.Join(parts, ", ")
}

// PreviewText prints the candidates of a synthesis: question, answer format and evaluator of an accepted one, the draft and
// the reason of another.
func PreviewText(dir string) (string, error) {
	var b strings.Builder
	drafts := make(map[string]candidate.Draft)
	for line, err := range candidate.Lines(dir) {
		if err != nil {
			return b.String(), err
		}
		draft := drafts[line.Candidate]
		switch line.Stage {
		case candidate.Explore:
			if json.Unmarshal(line.Data, &draft) == nil {
				drafts[line.Candidate] = draft
			}
			continue
		case candidate.Accept:
		default:
			continue
		}
		_, _ = fmt.Fprintf(&b, "%s: %s", line.Candidate, line.Outcome)
		if line.Reason != "" {
			_, _ = fmt.Fprintf(&b, " (%s) %s", line.Reason, line.Detail)
		}
		b.WriteString("\n")
		if ex, _, ok := dataset.Decode(line.Data); ok {
			_, _ = fmt.Fprintf(&b, "  %s\n  %s\n  %s %s\n", ex.Question, ex.AnswerFormat, ex.Evaluator.Func, ex.Evaluator.Kwargs)
		} else if draft.Question != "" {
			_, _ = fmt.Fprintf(&b, "  %s\n  %s\n", draft.Question, draft.Answer)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}
