package cause_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"airqa/qa"
	"airqa/runlog"
	"airqa/trace/cause"
)

const (
	heron = "11111111-1111-5111-8111-111111111111"
	egret = "22222222-2222-5222-8222-222222222222"
	table = "33333333-3333-5333-8333-333333333333"
)

// turn is one turn of a hand-made episode: an action with its result.
type turn struct {
	tool, sql string
	o         qa.Observation
}

// find is a Retrieve: shown rows, hits with their rank as page, of which the last beyond were not given to the model.
func find(paper string, pages []int, beyond int, texts ...string) turn {
	o := qa.Observation{Status: qa.StatusOK}
	for i, page := range pages {
		o.Hits = append(o.Hits, qa.Hit{
			Rank: i + 1, ID: qa.PartUUID(paper, page, "chunk", 1), PaperID: paper, Page: page, Beyond: i >= len(pages)-beyond,
		})
		if i < len(texts) {
			o.Text += line("text", texts[i], "pdf_id", paper, "page_number", page)
		}
	}
	o.Text += fmt.Sprintf("(%d rows)", len(texts))
	return turn{tool: "Retrieve", o: o}
}

// cutAfter shows only the first n rows of a result.
func (t turn) cutAfter(n int) turn {
	t.o.Full = t.o.Text
	t.o.Text = strings.Join(strings.SplitAfter(t.o.Text, "\n")[:n], "") + "(cut)"
	t.o.Cut = &qa.Cut{Reason: "tokens", RowsShown: n}
	return t
}

func query(sql string, touched qa.Touched, lines ...string) turn {
	return turn{tool: "Query", sql: sql, o: qa.Observation{Status: qa.StatusOK, Text: strings.Join(lines, "") + "(rows)", Touched: &touched}}
}

func view(paper string, page int, box ...float64) turn {
	return turn{tool: "View", o: qa.Observation{Status: qa.StatusOK, Text: "Page.", Images: []qa.Image{{PaperID: paper, Page: page, Box: box}}}}
}

// line is a row of a result: names and values.
func line(pairs ...any) string {
	cells := make(map[string]any)
	for i := 0; i < len(pairs); i += 2 {
		cells[pairs[i].(string)] = pairs[i+1]
	}
	raw, _ := json.Marshal(cells)
	return string(raw) + "\n"
}

// episode answers after the turns; the last request shows the task and the last window turns.
func episode(window int, turns ...turn) runlog.Recorded {
	rec := runlog.Recorded{Trajectory: qa.Trajectory{
		Outcome: qa.Answered, Messages: []qa.Message{{Role: qa.System, Text: "s"}, {Role: qa.User, Text: "[Question]: q"}},
	}}
	for i, t := range append(turns, turn{tool: "Answer"}) {
		s := qa.Step{
			N: i + 1, By: qa.ByModel, Reply: &qa.Reply{Text: t.tool}, Kept: len(t.tool),
			Action: &qa.Action{Name: t.tool, Args: map[string]any{"sql": t.sql}}, Shown: []qa.Span{{First: 0, End: len(rec.Messages)}},
		}
		if n := len(rec.Messages); n > 2+2*window {
			s.Shown = []qa.Span{{First: 0, End: 2}, {First: n - 2*window, End: n}}
		}
		rec.Messages = append(rec.Messages, s.Message())
		if t.tool != "Answer" {
			s.Observation = &t.o
			rec.Messages = append(rec.Messages, s.ObservationMessage())
		}
		rec.Steps = append(rec.Steps, s)
	}
	return rec
}

// plain is an episode of a baseline that asks once, with a context.
func plain(context string, program ...turn) runlog.Recorded {
	rec := runlog.Recorded{Trajectory: qa.Trajectory{Outcome: qa.Answered}}
	for _, t := range program {
		rec.Steps = append(rec.Steps, qa.Step{N: len(rec.Steps) + 1, By: qa.ByProgram, Action: &qa.Action{Name: t.tool}, Observation: &t.o})
		context += t.o.Text
	}
	rec.Messages = []qa.Message{{Role: qa.User, Text: "[Question]: q\n[Context]: " + context}, {Role: qa.Assistant, Text: "a"}}
	rec.Steps = append(rec.Steps, qa.Step{N: len(rec.Steps) + 1, By: qa.ByModel, Reply: &qa.Reply{Text: "a"}, Kept: 1, Shown: []qa.Span{{End: 1}}})
	return rec
}

func gold(v any, papers ...string) qa.Example {
	kwargs, _ := json.Marshal(map[string]any{"gold": v})
	return qa.Example{
		UUID: "u", Question: "At which lake do herons nest in spring?", AnchorPDF: papers,
		Evaluator: qa.Evaluator{Func: "eval_string_exact_match", Kwargs: kwargs},
	}
}

func asking(question string, ex qa.Example) qa.Example {
	ex.Question = question
	return ex
}

// located is a synthesized question.
func located(evidence string) qa.Example {
	ex := gold("Loch Ard", heron)
	ex.Extra = map[string]json.RawMessage{"synth": json.RawMessage(`{"evidence": ` + evidence + `}`)}
	return ex
}

const quote = "every spring the grey herons of the valley nest at Loch Ard"

var (
	atPage    = located(`[{"paper": "` + heron + `", "page": 3}]`)
	atTable   = located(`[{"paper": "` + heron + `", "page": 3, "element": "` + table + `", "kind": "table", "box": [50, 100, 200, 80]}]`)
	atQuote   = located(`[{"paper": "` + heron + `", "page": 3, "element": "` + table + `", "quote": "` + quote + `"}]`)
	wholly    = located(`{"paper": "` + egret + `", "element": "` + egret + `", "kind": "metadata"}`)
	retrieval = qa.Example{UUID: "u", Question: "Which paper is about egrets?", Conference: []string{"aviary2030"}, Tags: []string{"retrieval"}, Evaluator: qa.Evaluator{
		Func: "eval_paper_relevance_with_reference_answer", Kwargs: json.RawMessage(`{"reference_answer": "Egrets of the North"}`),
	}}
	egrets = qa.PaperUUID("Egrets of the North", "aviary2030")
)

func TestOf(t *testing.T) {
	missing := &runlog.MissingPapers{Choice: runlog.MissingRun, Named: []string{"u"}}
	searched := &runlog.MissingPapers{Choice: runlog.MissingRun, Searched: []string{"u"}}
	tests := []struct {
		name    string
		ex      qa.Example
		rec     runlog.Recorded
		missing *runlog.MissingPapers
		want    cause.Level
		weak    bool
		steps   []int
		why     string
	}{
		{name: "the run lacks the paper", ex: atPage, rec: episode(5, find(heron, []int{3}, 0, "x")), missing: missing, want: cause.LevelDB, why: "lacks a paper"},
		{name: "the run lacks the conference", ex: retrieval, rec: episode(5), missing: searched, want: cause.LevelDB},
		{
			name: "View says that there is no such paper", ex: gold("Loch Ard", heron), rec: episode(5, turn{tool: "View", o: qa.Observation{
				Status: qa.StatusError, Text: `[Error]: There is no paper with the id "` + heron + `". Take a paper_id`,
			}}), want: cause.LevelDB, why: "not in the database",
		},
		{name: "no action", ex: atPage, rec: episode(5), want: cause.LevelHits, why: "no result contains page 3"},
		{name: "other pages of the paper", ex: atPage, rec: episode(5, find(heron, []int{1, 2, 4, 5}, 2, "x", "y")), want: cause.LevelHits},
		{name: "the page of another paper", ex: atPage, rec: episode(5, find(egret, []int{3}, 0, "x")), want: cause.LevelHits},
		{name: "an error mentions it", ex: atPage, rec: episode(5, turn{tool: "Query", o: qa.Observation{Status: qa.StatusError, Text: line("paper_id", heron, "page_number", 3)}}), want: cause.LevelHits},
		{name: "the gold paper was never read", ex: gold("Loch Ard", heron, egret), rec: episode(5, find(heron, []int{1}, 0, "at Loch Ard")), want: cause.LevelHits, why: "no result contains paper " + egret},
		{name: "the gold text is in no result", ex: gold("Loch Ard", heron), rec: episode(5, find(heron, []int{1}, 0, "at a lake")), want: cause.LevelHits, weak: true, why: `no result contains "Loch Ard"`},
		{name: "the words run on in others", ex: gold("Loch Ard", heron), rec: episode(5, find(heron, []int{1}, 0, "at Loch Ardent")), want: cause.LevelHits, weak: true},

		{name: "beyond the limit", ex: atPage, rec: episode(5, find(heron, []int{1, 2, 3, 4}, 2, "x", "y")), want: cause.LevelLimit, steps: []int{1}, why: "page 3 of paper " + heron + " is hit 3 of step 1"},
		{name: "its page is beyond the limit, with more than the quote", ex: atQuote, rec: episode(5, find(heron, []int{1, 3}, 1, "x")), want: cause.LevelLimit, weak: true, steps: []int{1}},
		{name: "the passage is beyond the limit", ex: located(`[{"paper": "` + heron + `", "page": 3, "element": "` + qa.PartUUID(heron, 3, "chunk", 1) + `", "quote": "` + quote + `"}]`), rec: episode(5, find(heron, []int{1, 3}, 1, "x")), want: cause.LevelLimit, steps: []int{1}},
		{name: "the paper is beyond the limit", ex: retrieval, rec: episode(5, find(egrets, []int{1}, 1)), want: cause.LevelLimit, steps: []int{1}},

		{name: "a row was cut off", ex: atPage, rec: episode(5, find(heron, []int{1, 3}, 0, "x", "y").cutAfter(1)), want: cause.LevelCut, steps: []int{1}},
		{name: "the log has no text of the row", ex: atPage, rec: episode(5, find(heron, []int{1, 3}, 0, "x")), want: cause.LevelCut, steps: []int{1}},
		{name: "the gold text was cut off", ex: gold("Loch Ard", heron), rec: episode(5, find(heron, []int{1, 2}, 0, "x", "at Loch Ard").cutAfter(1)), want: cause.LevelCut, weak: true, steps: []int{1}},
		{name: "the cell was shortened before the quote", ex: atQuote, rec: shortened(), want: cause.LevelCut, steps: []int{1}},
		{name: "the context was cut", ex: gold("Loch Ard", heron), rec: plain("herons nest\n(cut here: the limit of 5000 tokens is reached)"), want: cause.LevelCut, weak: true, steps: []int{1}},

		{name: "it left the window", ex: atPage, rec: episode(1, find(heron, []int{3}, 0, "x"), find(heron, []int{5}, 0, "y")), want: cause.LevelWindow, steps: []int{1}, why: "the last reply, step 3, no longer saw it"},
		{name: "the image left the window", ex: atTable, rec: episode(1, view(heron, 3), view(heron, 4)), want: cause.LevelWindow, steps: []int{1}},
		{name: "no turn was left to use it", ex: atPage, rec: unanswered(), want: cause.LevelWindow, steps: []int{2}},

		{name: "in view", ex: atPage, rec: episode(5, find(heron, []int{3}, 0, "x")), want: cause.LevelAnswer, steps: []int{1}, why: "the last reply saw it"},
		{name: "shown again", ex: atPage, rec: episode(1, find(heron, []int{3}, 0, "x"), find(heron, []int{9}, 0, "y"), find(heron, []int{3}, 0, "x")), want: cause.LevelAnswer, steps: []int{3}},
		{name: "found later after the limit", ex: atPage, rec: episode(5, find(heron, []int{1, 3}, 1, "x"), view(heron, 3)), want: cause.LevelAnswer, steps: []int{2}},
		{name: "the quote", ex: atQuote, rec: episode(5, find(heron, []int{3}, 0, "We saw that Every spring the grey  he-\nrons of the valley nest at Loch Ard.")), want: cause.LevelAnswer, steps: []int{1}},
		{name: "most words of the quote on its page", ex: atQuote, rec: episode(5, find(heron, []int{3}, 0, "in spring, grey herons of the valley nest at")), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "the row without the quote", ex: atQuote, rec: episode(5, query("SELECT", qa.Touched{}, line("table_id", table, "table_caption", "Nests."))), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "the row by its id", ex: atTable, rec: episode(5, query("SELECT", qa.Touched{}, line("table_id", table, "table_caption", "Nests."))), want: cause.LevelAnswer, steps: []int{1}},
		{name: "the area on the page", ex: atTable, rec: episode(5, view(heron, 3, 0, 90, 100, 40)), want: cause.LevelAnswer, steps: []int{1}},
		{name: "another area of the page", ex: atTable, rec: episode(5, view(heron, 3, 0, 300, 100, 40)), want: cause.LevelHits},
		{name: "a query names paper and page", ex: atPage, rec: episode(5, query("", qa.Touched{Papers: []string{heron}, Pages: []qa.PaperPage{{PaperID: heron, Page: 3}}}, line("page_content", "x"))), want: cause.LevelAnswer, steps: []int{1}},
		{name: "the paper itself", ex: wholly, rec: episode(5, query("", qa.Touched{}, line("paper_id", egret))), want: cause.LevelAnswer, steps: []int{1}},
		{name: "the paper by its title and conference", ex: retrieval, rec: episode(5, find(egrets, []int{7}, 0, "x")), want: cause.LevelAnswer, steps: []int{1}},
		{name: "the title alone", ex: retrieval, rec: episode(5, query("", qa.Touched{}, line("title", "Egrets of the North"))), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "the title in another paper", ex: retrieval, rec: episode(5, find(heron, []int{7}, 0, "see Egrets of the North")), want: cause.LevelHits},
		{name: "the gold text", ex: gold("Loch Ard", heron), rec: episode(5, find(heron, []int{2}, 0, "nests at Loch  Ard.")), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "a short gold near words of the question", ex: gold(json.Number("12"), heron), rec: episode(5, find(heron, []int{2}, 0, "In spring, 12 herons nest.")), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "a short gold anywhere", ex: gold(json.Number("12"), heron), rec: episode(5, find(heron, []int{2}, 0, "batches of 12")), want: cause.LevelHits, weak: true},
		{name: "a number in words", ex: gold(json.Number("3"), heron), rec: episode(5, find(heron, []int{2}, 0, "three herons nest")), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "a small number as printed", ex: gold(json.Number("2e-05"), heron), rec: episode(5, find(heron, []int{2}, 0, "herons nest, 2 × 10−5")), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "a share in percent", ex: gold(json.Number("0.125"), heron), rec: episode(5, find(heron, []int{2}, 0, "12.5% of herons nest")), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "most words of a long gold", ex: gold("Reeds hide the broods from foxes and martens", heron), rec: episode(5, find(heron, []int{2}, 0, "broods are hidden: reeds hide from martens, foxes")), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "a formula", ex: gold(`\mathrm{T}_t=\frac{\eta_t}{\eta_0}-\kappa`, heron), rec: episode(5, find(heron, []int{2}, 0, "as Tt = ηt / η0 − κ and")), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "all parts of a gold", ex: gold([]string{"Loch Ard", "Loch Lomond"}, heron), rec: episode(5, find(heron, []int{2}, 0, "Loch Ard, Loch Lomond")), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "a part of a gold is missing", ex: gold([]string{"Loch Ard", "Loch Lomond"}, heron), rec: episode(5, find(heron, []int{2}, 0, "Loch Ard")), want: cause.LevelHits, weak: true, why: "Loch Lomond"},
		{name: "the context of the baseline", ex: gold("Loch Ard", heron), rec: plain("herons nest at Loch Ard"), want: cause.LevelAnswer, weak: true, steps: []int{1}},
		{name: "passages in a context", ex: atPage, rec: plain("", find(heron, []int{3, 4}, 1, "x")), want: cause.LevelAnswer, steps: []int{1}},
		{name: "no context", ex: gold("Loch Ard", heron), rec: plain("none, because the question names no paper."), want: cause.LevelHits},

		{name: "nothing to look for", ex: gold(true), rec: episode(5, find(heron, []int{2}, 0, "x")), want: cause.LevelUnknown},
		{name: "only the paper is known", ex: gold(true, heron), rec: episode(5, find(heron, []int{2}, 0, "x")), want: cause.LevelUnknown, steps: []int{1}, why: "which of them"},
		{name: "a number that is computed", ex: asking("By how many herons do the lakes differ?", gold(json.Number("4711"), heron)), rec: episode(5, find(heron, []int{2}, 0, "x")), want: cause.LevelUnknown, why: "computed"},
	}
	wrong := &qa.Score{Verdict: qa.Wrong}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := new(cause.Finder).FindLoss(tt.ex, tt.rec, wrong, runlog.Config{Note: runlog.Note{Missing: tt.missing}})
			if got.Level != tt.want || got.Weak != tt.weak || !slices.Equal(got.Steps, tt.steps) || !strings.Contains(got.Why, tt.why) {
				t.Errorf("got %q (weak %v) at steps %v: %s\nwant %q (weak %v) at %v: %s", got.Level, got.Weak, got.Steps, got.Why, tt.want, tt.weak, tt.steps, tt.why)
			}
		})
	}
}

// A paper that Retrieve does not search is lost there only if no other tool reaches it, and no result is from it.
func TestOutOfScope(t *testing.T) {
	const ibis = "44444444-4444-5444-8444-444444444444"
	retrieves := []string{"Retrieve", "Answer"}
	cited := gold("Loch Ard", heron)
	cited.ReferencePDF = []string{strings.ToUpper(egret), ibis}
	found := episode(5, find(heron, []int{1}, 0, "at Loch Ard"))
	tests := []struct {
		name    string
		ex      qa.Example
		rec     runlog.Recorded
		tools   []string
		outside []string
		missing *runlog.MissingPapers
		want    cause.Level
		why     string
	}{
		{"a cited paper", cited, found, retrieves, []string{strings.ToUpper(egret), ibis}, nil, cause.LevelScope, strings.ToUpper(egret) + " is outside the scope of Retrieve (--scope conference)"},
		{"passages before the only call", cited, plain("", find(heron, []int{1}, 0, "x")), []string{"Retrieve"}, []string{ibis}, nil, cause.LevelScope, ibis},
		{"the place of a synthesized question", atPage, episode(5, find(egret, []int{3}, 0, "x")), retrieves, []string{heron}, nil, cause.LevelScope, heron},
		{"the anchor was not found either", cited, episode(5), retrieves, []string{ibis}, nil, cause.LevelScope, ibis},
		{"the paper that a question asks for", wholly, episode(5, find(heron, []int{3}, 0, "x")), retrieves, []string{egret}, nil, cause.LevelScope, egret},
		{"Query reaches it", cited, found, []string{"Retrieve", "Query", "Answer"}, []string{egret, ibis}, nil, cause.LevelHits, "no result contains"},
		{"no Retrieve", cited, plain("herons"), nil, []string{egret, ibis}, nil, cause.LevelHits, "no result contains"},
		{"all in scope", cited, found, retrieves, nil, nil, cause.LevelHits, "no result contains"},
		{"a paper without evidence", atPage, episode(5), retrieves, []string{egret}, nil, cause.LevelHits, "page 3"},
		{"a result is from it all the same", atPage, episode(5, find(heron, []int{3}, 0, "x")), retrieves, []string{heron}, nil, cause.LevelAnswer, ""},
		{"not in the database", cited, found, retrieves, []string{egret}, &runlog.MissingPapers{Named: []string{"u"}}, cause.LevelDB, "lacks"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := runlog.Config{
				Shape: runlog.Shape{Settings: map[string]any{"scope": "conference"}},
				Note:  runlog.Note{Tools: tt.tools, Missing: tt.missing, OutOfScope: map[string][]string{"u": tt.outside, "other": {heron}}},
			}
			score := &qa.Score{Verdict: qa.Wrong}
			got := new(cause.Finder).FindLoss(tt.ex, tt.rec, score, run)
			if got.Level != tt.want || got.Weak && got.Level == cause.LevelScope || !strings.Contains(got.Why, tt.why) {
				t.Errorf("got %q (weak %v): %s\nwant %q: %s", got.Level, got.Weak, got.Why, tt.want, tt.why)
			}
			why := new(cause.Finder).Of(t.Context(), cause.Episode{Example: tt.ex, Recorded: tt.rec, Score: score, Loss: got})
			blamed := why.Code == cause.OutsideScope
			if blamed != (tt.want == cause.LevelScope) || blamed && (len(why.Evidence) < 2 || why.Evidence[0].Quote != "conference" || !strings.Contains(tt.why, why.Evidence[1].Quote)) {
				t.Errorf("cause %s with %+v", why.Code, why.Evidence)
			}
			if right := new(cause.Finder).FindLoss(tt.ex, tt.rec, &qa.Score{Verdict: qa.Right}, run); right.Level != "" {
				t.Errorf("a right answer lost evidence at %q", right.Level)
			}
		})
	}
}

// shortened is an episode whose only row lost the end of its longest cell.
func shortened() runlog.Recorded {
	turn := find(heron, []int{3}, 0, "long "+quote)
	turn.o.Full = turn.o.Text
	turn.o.Text = line("text", "long every …[cut]", "pdf_id", heron, "page_number", 3) + "(1 of 1 row shown)"
	turn.o.Cut = &qa.Cut{Reason: "cell", RowsShown: 1}
	return episode(5, turn)
}

// unanswered reaches the turn limit with the evidence in the last observation.
func unanswered() runlog.Recorded {
	rec := episode(5, find(heron, []int{1}, 0, "x"), find(heron, []int{3}, 0, "y"))
	rec.Outcome, rec.Steps, rec.Messages = qa.TurnLimit, rec.Steps[:2], rec.Messages[:6]
	return rec
}

func TestVerdicts(t *testing.T) {
	rec := episode(5, find(heron, []int{3}, 0, "x"))
	failed, open := rec, rec
	failed.Outcome, open.Outcome = qa.EndpointError, ""
	tests := []struct {
		name  string
		rec   runlog.Recorded
		score *qa.Score
		want  cause.Level
	}{
		{"right", rec, &qa.Score{Verdict: qa.Right}, ""},
		{"wrong", rec, &qa.Score{Verdict: qa.Wrong}, cause.LevelAnswer},
		{"unparseable", rec, &qa.Score{Verdict: qa.Unparseable}, cause.LevelAnswer},
		{"unscored", rec, &qa.Score{Verdict: qa.Unscored}, cause.LevelUnknown},
		{"not scored", rec, nil, cause.LevelUnknown},
		{"failed", failed, &qa.Score{Verdict: qa.Wrong}, cause.LevelUnknown},
		{"not finished", open, nil, cause.LevelUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := new(cause.Finder).FindLoss(atPage, tt.rec, tt.score, runlog.Config{}); got.Level != tt.want {
				t.Errorf("got %q (%s), want %q", got.Level, got.Why, tt.want)
			}
		})
	}
}

// The log of a version without hits and touched rows: papers and pages are read from the texts.
func TestOldLog(t *testing.T) {
	retrieve := find(heron, []int{3, 4}, 1, "at Loch Ard")
	retrieve.o.Hits = nil
	sql := query("SELECT page_content FROM pages WHERE ref_paper_id = '"+egret+"'", qa.Touched{}, line("page_content", "white"))
	sql.o.Touched = nil
	rec := episode(5, retrieve, sql)
	for _, tt := range []struct {
		name string
		ex   qa.Example
		want cause.Level
	}{
		{"page of a passage", atPage, cause.LevelAnswer},
		{"paper of a statement", wholly, cause.LevelAnswer},
		{"a page that is not there", located(`{"paper": "` + heron + `", "page": 4}`), cause.LevelHits},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := new(cause.Finder).FindLoss(tt.ex, rec, &qa.Score{Verdict: qa.Wrong}, runlog.Config{}); got.Level != tt.want || got.Weak {
				t.Errorf("got %+v, want %s", got, tt.want)
			}
		})
	}
}

// Golds of the evaluation functions, as texts to look for.
func TestGolds(t *testing.T) {
	tests := []struct{ name, kwargs, passage string }{
		{"eval_conjunction", `{"eval_func_list": ["eval_string_exact_match", "eval_int_exact_match"], "eval_kwargs_list": [{"gold": "Loch Ard"}, {"gold": 1200}]}`, "in spring 1,200 herons nest at Loch Ard"},
		{"eval_disjunction", `{"eval_func_list": ["eval_string_exact_match", "eval_string_exact_match"], "eval_kwargs_list": [{"gold": "Loch Ness"}, {"gold": "Loch Ard"}]}`, "Loch Ard"},
		{"eval_element_included", `{"gold": ["Loch Ness", "Loch Ard"]}`, "Loch Ard"},
		{"eval_structured_object_exact_match", `{"gold": {"lake": "Loch Ard", "bird": "bittern"}}`, "bittern of Loch Ard"},
		{"eval_reference_answer_and_scoring_points_with_llm", `{"reference_answer": "Something else", "scoring_points": ["Loch Ard", "bittern"]}`, "bittern of Loch Ard"},
		{"eval_partial_scoring_points_with_llm", `{"scoring_points": ["Loch Ness", "bittern"]}`, "bittern of Loch Ard"},
		{"eval_complex_math_formula_with_llm", `{"formulas": "a = b"}`, "In spring, herons nest: $a = b$"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ex := gold("", heron)
			ex.Evaluator = qa.Evaluator{Func: tt.name, Kwargs: json.RawMessage(tt.kwargs)}
			if got := new(cause.Finder).Evidence(ex, episode(5, find(heron, []int{1}, 0, tt.passage))); got.Level != cause.LevelAnswer || !got.Weak {
				t.Errorf("got %+v, want a weak match in view", got)
			}
			if got := new(cause.Finder).Evidence(ex, episode(5, find(heron, []int{1}, 0, "a mill"))); got.Level != cause.LevelHits {
				t.Errorf("got %+v, want nothing found", got)
			}
		})
	}
}

// A place is where the words are, near words of the question; never a part of a word.
func TestPlaces(t *testing.T) {
	const other = egret
	row := func(paper, text string) string {
		return `{"page_number": 17, "text": "` + text + `", "pdf_id": "` + paper + `"}` + "\n"
	}
	result := row(other, "We counted 4 nests of herons.") +
		row(heron, `It took 31 years, 4 boats, and 94.4 % of the money.\nIn spring, the herons had four nests; λ was 0.5.`)
	tests := []struct{ name, question, gold, want string }{
		{"near the question", "How many nests had the herons in spring?", "4", "four"},
		{"no part of a number", "How many years did it take, for the money?", "31", "31"},
		{"over an escape", "How many nests, of money?", `"money in spring"`, `money.\nIn spring`},
		{"by its name", "Which herons had which nests?", `"lambda"`, "λ"},
		{"page numbers are places", "Which page has nests of herons?", "17", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ex := qa.Example{
				UUID: "u", Question: tt.question,
				Evaluator: qa.Evaluator{Func: "eval_string_exact_match", Kwargs: json.RawMessage(`{"gold": ` + tt.gold + `}`)},
			}
			step := qa.Step{N: 1, By: qa.ByModel, Reply: &qa.Reply{Text: "r"}, Action: &qa.Action{Name: "Query"}, Observation: &qa.Observation{Status: qa.StatusOK, Text: result}}
			loss := new(cause.Finder).Evidence(ex, runlog.Recorded{Trajectory: qa.Trajectory{Steps: []qa.Step{step}}})
			got := ""
			for _, p := range loss.Places {
				if p.Step == 1 && p.Field == "observation.text" {
					got += result[p.First:p.End]
				}
			}
			if got != tt.want {
				t.Errorf("got %q (%+v), want %q", got, loss, tt.want)
			}
		})
	}
}
