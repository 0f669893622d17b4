package text_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"airqa/agent/action"
	"airqa/internal/terminal"
	"airqa/internal/testkit/golden"
	"airqa/qa"
	"airqa/runlog"
	"airqa/tools"
	"airqa/trace"
	"airqa/trace/cause"
	"airqa/trace/text"
)

// paper is an id as in the database.
const paper = "484197f1-1997-5f33-b56c-5306eb27d631"

// steps has everything that a step can have.
func steps() []qa.Step {
	at := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	calls := []qa.ToolCall{{ID: "a", Name: "View", Arguments: json.RawMessage(`{"page_number":2}`)}, {ID: "b", Name: "Query", Arguments: json.RawMessage(`{"sql":"S"}`)}}
	sql := "SELECT r.table_caption, r.table_content, p.page_number FROM tables r JOIN pages p ON r.ref_page_id = p.page_id WHERE r.ref_paper_id = '" + paper + "' LIMIT 6"
	return []qa.Step{
		{
			N: 1, By: qa.ByModel, Shown: []qa.Span{{End: 2}},
			Reply: &qa.Reply{
				Text: "[Thought]: look it up\n[Action]: Retrieve", Reasoning: "the user asks", Usage: qa.Usage{Prompt: 1203, Completion: 21},
				Attempts: []qa.Attempt{{Seconds: 0.2, Status: 429, Error: "rate_limit"}, {Seconds: 1.4, Wait: 2, Status: 200}},
			},
			ThoughtAt: qa.Span{First: 11, End: 21}, Action: &qa.Action{Name: "Retrieve", Text: "Retrieve(query='speed', limit=2)", Start: 32, End: 40},
			Observation: &qa.Observation{
				Status: qa.StatusOK,
				Text: `{"score": 0.608, "text": "TABLE II SIZE AND SPEED\nRegionScribe 258 M 1.9", "pdf_id": "` + paper + `", "title": "LumenParse", "page_number": 2}` +
					"\n" + `{"score": 0.5, "text": "the first …[cut]", "pdf_id": "` + paper + `", "title": "LumenParse", "page_number": 3}` + "\n(2 of 3 rows shown)",
				Full: `{"score": 0.608, "text": "TABLE II SIZE AND SPEED\nRegionScribe 258 M 1.9", "pdf_id": "` + paper + `", "title": "LumenParse", "page_number": 2}` +
					"\n" + `{"score": 0.5, "text": "the first and the second half", "pdf_id": "` + paper + `", "title": "LumenParse", "page_number": 3}` +
					"\n" + `{"score": 0.4, "text": "third", "pdf_id": "` + paper + `", "title": "LumenParse", "page_number": 4}` + "\n",
				Cut: &qa.Cut{Reason: "cell", RowsShown: 2, RowsTotal: 3, Tokens: 90, TokenLimit: 100},
				Hits: []qa.Hit{
					{Rank: 1, ID: "i1", PaperID: paper, Page: 2, Score: 0.608},
					{Rank: 2, ID: "i2", PaperID: paper, Page: 3, Score: 0.5},
					{Rank: 3, ID: "i3", PaperID: paper, Page: 4, Score: 0.4},
					{Rank: 4, ID: "i4", PaperID: paper, Page: 9, Score: 0.1, Beyond: true},
				},
			},
			Started: at, Ended: at.Add(3 * time.Second),
		},
		{
			N: 2, By: qa.ByModel, Shown: []qa.Span{{End: 2}, {First: 4, End: 6}}, Reply: &qa.Reply{Usage: qa.Usage{Prompt: 90, Completion: 9, Estimated: true}},
			Action: &qa.Action{Name: "Query", Args: map[string]any{"sql": sql}, Text: "Query(sql=…)"},
			Observation: &qa.Observation{
				Status: qa.StatusOK, Text: `{"table_caption": "TABLE II", "table_content": "<table><tr><td>Method</td><td>Parameters</td><td>Pages per second</td></tr><tr><td>RegionScribe</td></tr></table>", "page_number": 2}` + "\n(1 row)",
			},
		},
		{
			N: 3, By: qa.ByModel, Reply: &qa.Reply{Cached: true, Finish: "content_filter"}, Action: &qa.Action{Name: "Query", Args: map[string]any{"sql": "SELECT n, title FROM metadata"}, Text: "Query(sql='…')"},
			Observation: &qa.Observation{
				Status: qa.StatusOK, Text: `{"n": 1, "title": "A | B"}` + "\n" + `{"n": 22, "title": null}` + "\n(the first 2 rows)",
				Full: `{"n": 1, "title": "A | B"}` + "\n" + `{"n": 22, "title": null}` + "\n" + `{"n": 3, "title": "漢字"}` + "\n" + `{"n": 4`,
				Cut:  &qa.Cut{Reason: "rows", RowsShown: 2, RowsTotal: -1, TokenLimit: 100},
			},
		},
		{
			N: 4, By: qa.ByModel, Called: &calls[0], Others: []qa.CallResult{{Text: qa.NotRunResult}}, Reply: &qa.Reply{ToolCalls: calls}, Action: &qa.Action{Name: "View", Text: "View(page_number=2)"},
			Observation: &qa.Observation{Status: qa.StatusOK, Text: "Box [1,2,3,4] of page 2.", Images: []qa.Image{{SHA256: "ab12", PaperID: paper, Page: 2, Box: []float64{1, 2, 3, 4}, Width: 373, Height: 127}}},
		},
		{
			N: 5, By: qa.ByProgram, Action: &qa.Action{Name: "Query", Args: map[string]any{"sql": "S"}, Text: "Query(sql='S')"},
			Observation: &qa.Observation{Status: qa.StatusError, Text: "[Error]: near \"S\"\x1b[2J\u202e\n  ^"},
		},
		{N: 6, By: qa.ByModel, Reply: &qa.Reply{Text: "```\n# no action\n" + strings.Repeat("very", 30), Finish: qa.FinishLength}, ParseError: &qa.ParseError{Kind: qa.ErrNoAction, Reason: "the reply has no action"}},
	}
}

func episode() trace.Episode {
	ex := qa.Example{
		UUID: "dd4b5912", Question: "How *many* pages\nper second \x1b[31mdoes RegionScribe process according to the table?", AnswerFormat: "a float",
		Tags: []string{"single", "table"}, Evaluator: qa.Evaluator{Func: "eval_float_exact_match"},
	}
	rec := runlog.Recorded{Trajectory: qa.Trajectory{
		Episode: "dd4b5912#0", UUID: "dd4b5912", Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: "91.6"}, Steps: steps(),
		Messages:       []qa.Message{{Role: qa.System, Text: "be brief"}, {Role: qa.User, Text: "[Question]: How\tmany?"}, {Role: qa.Assistant}},
		FailedAttempts: []qa.Attempt{{Seconds: 1, Error: "timeout"}},
	}}
	e := trace.Episode{
		Row:    trace.Row{Run: "runs/a", Episode: "dd4b5912#0", UUID: "dd4b5912", Asked: trace.Asked{Gold: "1.9"}, Facts: trace.Facts{Status: trace.Wrong, Seconds: 4.25}},
		Traced: trace.NewTraced(ex, rec, &qa.Score{Verdict: qa.Wrong, Func: "eval_float_exact_match"}),
		Loss:   cause.Loss{Level: cause.LevelAnswer, Weak: true, Why: `step 2 showed "1.9"`},
		Why:    cause.Cause{Code: cause.VisualReasoning, Rule: "misread-figure", Confidence: 0.8, Why: "a figure was shown"},
		Marks:  append(trace.Marks(rec), trace.Mark{Step: 5, Kind: trace.MarkRepeated, First: 2, Wasted: 99}),
	}
	return e
}

var comments = []trace.Note{
	{Episode: "dd4b5912#0", Cause: cause.WrongGold, Author: "ada"},
	{Episode: "dd4b5912#0", Text: "look at\nthis", Author: "ada"},
	{Episode: "dd4b5912#0", Step: 5, Text: "bad SQL"},
}

func TestWrite(t *testing.T) {
	for _, width := range []int{0, 80, 40} {
		var b strings.Builder
		if err := text.Episode(&b, episode(), text.PageOptions{Width: width, Notes: comments}); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, fmt.Sprintf("episode.%d.txt", width), b.String())
		for line := range strings.Lines(b.String()) {
			if n := terminal.Width(strings.TrimSuffix(line, "\n")); width > 0 && n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
	}
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := text.Markdown(&b, episode(), comments); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "episode.md", b.String())
}

// An episode that is not finished, damaged or very long is printed as far as it can be read.
func TestParts(t *testing.T) {
	write := func(e trace.Episode) string {
		var b strings.Builder
		if err := text.Episode(&b, e, text.PageOptions{Width: 80}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	unfinished := trace.Episode{Row: trace.Row{Facts: trace.Facts{Status: trace.Damaged}}, Damage: errors.New("log.jsonl:7: not JSON")}
	for _, want := range []string{"Status    damaged\n", "log.jsonl:7: not JSON", "(none)", "not scored yet", "not in questions.jsonl"} {
		if got := write(unfinished); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := write(episode()); strings.Contains(got, "Measures") {
		t.Errorf("measures of a question of AirQA:\n%s", got)
	}
	companion := episode()
	companion.Traced.Score = &qa.Score{
		Verdict: qa.Right, Value: 2.0 / 3, Func: "bench_qasper", Measures: map[string]float64{"Evidence-F1": 0, "Answer-F1": 2.0 / 3}, Match: "boolean",
	}
	for _, want := range []string{"score 0.6667 by bench_qasper", "Score     0.6667 (right) by bench_qasper\nMeasures  Answer-F1 0.6667; Evidence-F1 0; best match: boolean\n"} {
		if got := write(companion); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	long := episode()
	long.Traced.Steps[4].Observation.Text = "begin " + strings.Repeat("漢", 1<<20) + " end of it"
	got := write(long)
	for _, want := range []string{"begin", "end of it", "bytes left out here"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in a long result", want)
		}
	}
	if len(got) > 200<<10 {
		t.Errorf("%d bytes for a result of 3 MB", len(got))
	}
}

// Every word of a reply is shown, whatever the grammar makes of its tags; escapes of a terminal stay escapes.
func TestWholeReply(t *testing.T) {
	for _, thought := range []string{
		"<script>alert(1)</script> then more", "I compare <table> tags: <b>bold</b>", "<p>First</p><p>second</p>", "<tool>none</tool> I should search",
		"<plan>1. search 2. answer</plan>", "<summary>found 3</summary> continue", "<details>d</details>", "<reflection>I was wrong</reflection> so retry",
		"<cite>Smith</cite> said", "<a href='x'>link</a> text", "<musing kind=\"x\">\nnested <plan>one</plan>\n</musing>\nout", "<think>unclosed",
		"◁think▷hm◁/think▷ now", "[THINK]a b[/THINK] c", "<notes>\x1b[31mred\u202e</notes> end", "<draft>```\ncode\n```</draft> x", "",
	} {
		for _, after := range []string{"", " and so on", "\n```\nmore ``` fences", "\n[Observation]: made up\n<plan>later</plan>"} {
			reply := "[Thought]: " + thought + "\n[Action]: Retrieve(query='x')" + after
			s := qa.Step{N: 1, By: qa.ByModel, Reply: &qa.Reply{Text: reply}}
			action.Grammar{Specs: tools.Called(nil).Specs()}.ReadStep(&s, action.AsText)
			e := trace.Episode{Traced: trace.NewTraced(qa.Example{}, runlog.Recorded{Trajectory: qa.Trajectory{Steps: []qa.Step{s}}}, nil)}
			var page, document strings.Builder
			if err := errors.Join(text.Episode(&page, e, text.PageOptions{}), text.Markdown(&document, e, nil)); err != nil {
				t.Fatal(err)
			}
			for name, out := range map[string]string{"terminal": page.String(), "Markdown": document.String()} {
				_, rest, _ := strings.Cut(strings.ToLower(out), "step 1")
				for word := range strings.FieldsSeq(strings.ToLower(terminal.Safe(thought + " " + after))) {
					if strings.Contains(rest, word) {
						continue
					}
					t.Errorf("%s: %q of %q is not shown:\n%s", name, word, reply, out)
				}
				if strings.ContainsAny(out, "\x1b\u202e") {
					t.Errorf("%s: a control character is shown", name)
				}
			}
		}
	}
}
