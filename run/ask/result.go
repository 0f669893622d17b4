package ask

import (
	"context"
	"fmt"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
)

// Result is what an invocation found. Its texts come from people, papers and models and are not safe to print.
type Result struct {
	Format int `json:"format"`
	// Run is the run directory, Data the data directory of its papers.
	Run      string     `json:"run"`
	Data     string     `json:"data"`
	Baseline string     `json:"baseline"`
	Model    string     `json:"model"`
	Answers  []Answered `json:"answers"`
}

// Answered is one question with its answer.
type Answered struct {
	UUID     string `json:"uuid"`
	Question string `json:"question"`
	// Outcome is empty if the question was not finished; Reason is why there is no answer.
	Outcome qa.Outcome `json:"outcome"`
	Reason  string     `json:"reason,omitempty"`
	// Answer is nil without an answer.
	Answer *string `json:"answer"`
	// Sources are the places that support the answer, best first.
	Sources []Cited  `json:"sources"`
	Usage   qa.Usage `json:"usage"`
	// USD is the cost; nil if the price is unknown.
	USD *float64 `json:"usd"`
}

// Cited is a source with the command that shows it, which is empty if none does.
type Cited struct {
	Source
	Command string `json:"command,omitempty"`
}

// read collects the answers of a run directory.
func (a Asking) read(ctx context.Context, list []qa.Example) (*Result, error) {
	result := &Result{
		Format: 1, Run: a.Job.Dir, Data: a.Data, Baseline: a.Job.Baseline.Name, Model: a.Job.Spec, Answers: []Answered{},
	}
	r, err := runlog.Open(a.Job.Dir)
	if err != nil {
		return nil, err
	}
	searched := a.Papers
	if len(searched) == 0 {
		const mostSearched = 50 // the number of papers that are searched for a text that names no paper
		if searched, err = a.World.Papers().IDs(ctx, mostSearched); err != nil {
			return nil, err
		}
	}
	recorded := make(map[string]runlog.Recorded)
	for rec, err := range r.Episodes() {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Job.Dir, err)
		}
		recorded[rec.UUID] = rec
	}
	for _, ex := range list {
		answered, err := a.answered(ctx, ex, recorded[ex.UUID], searched)
		if err != nil {
			return nil, err
		}
		result.Answers = append(result.Answers, answered)
	}
	return result, nil
}

// answered is the answer to a question with its sources. A text that names no paper is searched in some.
func (a Asking) answered(ctx context.Context, ex qa.Example, rec runlog.Recorded, searched []string) (Answered, error) {
	one := Answered{UUID: ex.UUID, Question: ex.Question, Outcome: rec.Outcome, Reason: rec.Reason, Sources: []Cited{}}
	one.Usage = rec.Usage().Add(rec.Charged())
	if a.Job.Price != nil {
		one.USD = new(a.Job.Price.Of(one.Usage))
	}
	if !rec.Answer.Given {
		return one, nil
	}
	one.Answer = &rec.Answer.Text
	found, err := FindSources(ctx, Question{Text: ex.Question, Papers: searched}, rec.Trajectory, a.World)
	if err != nil {
		return one, fmt.Errorf("find the sources of %s: %w", ex.UUID, err)
	}
	for _, s := range found {
		one.Sources = append(one.Sources, Cited{s, a.command(s)})
	}
	return one, nil
}

// sqlCommand is the command line of a query; empty if it would be another statement on one line.
func sqlCommand(data, query string) string {
	sql := strings.Join(strings.Fields(query), " ")
	if sql == "" || strings.Contains(sql, "--") || terminal.Line(sql) != sql || sql != query && strings.ContainsAny(sql, `'"`) {
		return ""
	}
	return "airqa sql " + data + " " + terminal.ShellWord(sql)
}

// idLength is the number of characters of an id in commands.
const idLength = 8

// command is the command line that shows a source; empty if there is none. It is safe to print and to paste.
func (a Asking) command(s Source) string {
	data := "-d " + terminal.ShellWord(a.Data)
	switch {
	case terminal.Line(a.Data) != a.Data:
		return ""
	case s.Kind == QueryRow:
		return sqlCommand(data, s.SQL)
	case s.Page < 1 || !qa.IsUUID(s.PaperID) || s.Box == nil && s.Kind != Page:
		return ""
	}
	command := fmt.Sprintf("airqa page %s --paper %s --page %d", data, s.PaperID[:idLength], s.Page)
	if len(s.Box) == 4 {
		command += fmt.Sprintf(" --box %g,%g,%g,%g", s.Box[0], s.Box[1], s.Box[2], s.Box[3])
	}
	return command
}
