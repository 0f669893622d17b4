package report

import (
	"strconv"
	"strings"

	"airqa/qa"
)

// Answer is one repeat of one question, for tables read by other programs.
type Answer struct {
	UUID     string `json:"uuid"`
	Repeat   int    `json:"repeat"`
	Function string `json:"eval_func"`
	// Verdict is empty and Score nil for an answer that has not been scored; Score is also nil for an unscored one.
	// Counted reports whether the answer is in the average.
	Verdict qa.Verdict `json:"verdict"`
	Score   *float64   `json:"score"`
	Counted bool       `json:"counted"`
	// FormatOnly marks a wrong answer that would be right without its wrapping.
	FormatOnly bool `json:"format_only"`
	// Outcome is one of the names in [Row.Outcomes].
	Outcome    string   `json:"outcome"`
	Turns      int      `json:"turns"`
	Prompt     int      `json:"prompt_tokens"`
	Completion int      `json:"completion_tokens"`
	Working    float64  `json:"seconds_working"`
	Waiting    float64  `json:"seconds_waiting"`
	Cost       *float64 `json:"cost_usd"`
	Tags       []string `json:"tags"`
	Conference []string `json:"conference"`
	Papers     int      `json:"papers"`
}

// answers lists every repeat of every question, in order.
func answers(questions []question, price *qa.Price) []Answer {
	var list []Answer
	for _, q := range questions {
		for repeat, t := range q.tries {
			a := Answer{
				UUID: q.UUID, Repeat: repeat, Function: q.Evaluator.Func, Counted: t.scored() && !q.dropped, Outcome: t.outcome(),
				Tags: q.Tags, Conference: q.Conference, Papers: len(q.Papers()),
			}
			if t.score != nil {
				a.Verdict, a.FormatOnly = t.score.Verdict, t.score.FormatOnly
			}
			if t.scored() {
				a.Score = &t.score.Value
			}
			if e := t.episode; e != nil {
				a.Turns, a.Prompt, a.Completion, a.Working, a.Waiting = e.turns, e.usage.Prompt, e.usage.Completion, e.working, e.waiting
				if price != nil {
					a.Cost = known(price.Of(e.usage.Add(e.charged)))
				}
			}
			list = append(list, a)
		}
	}
	return list
}

// answerTable has a line per answer and run.
func answerTable(rows []Row, _ Options) (*Table, error) {
	t := Table{Title: "Answers", Label: "uuid", Section: "run", Flat: true, Tidy: true}
	for i, name := range []string{
		"baseline", "model", "repeat", "eval_func", "verdict", "score", "counted", "format_only", "outcome", "turns",
		"prompt_tokens", "completion_tokens", "seconds_working", "seconds_waiting", "cost_usd", "tags", "conference", "papers",
	} {
		t.Heads = append(t.Heads, Head{Name: name, Left: i < 5})
	}
	for i, r := range rows {
		for _, a := range r.Each {
			precisely := func(v *float64) Value {
				if v == nil {
					return plain("-")
				}
				return plain(strconv.FormatFloat(*v, 'f', -1, 64))
			}
			t.Lines = append(t.Lines, Line{Label: a.UUID, Section: r.Dir, Row: &rows[i], Values: []Value{
				plain(r.Baseline), plain(r.Model), number(a.Repeat), plain(a.Function), plain(orDash(string(a.Verdict))),
				precisely(a.Score), plain(strconv.FormatBool(a.Counted)), plain(strconv.FormatBool(a.FormatOnly)), plain(a.Outcome),
				number(a.Turns), number(a.Prompt), number(a.Completion),
				plain(decimals(a.Working, 3)), plain(decimals(a.Waiting, 3)), precisely(a.Cost),
				plain(orDash(strings.Join(a.Tags, ";"))), plain(orDash(strings.Join(a.Conference, ";"))), number(a.Papers),
			}})
		}
	}
	t.Notes = []string{"One line per repeat of each question. Counted: whether it is in the average. Multiple tags or conferences are " +
		"separated by a semicolon."}
	return &t, nil
}
