package offline_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"airqa/agent/action"
	"airqa/llm/offline"
	"airqa/prompts"
	"airqa/qa"
	"airqa/tools"

	"github.com/google/go-cmp/cmp"
)

// say returns the reply to a conversation.
func say(t *testing.T, messages ...qa.Message) string {
	t.Helper()
	r, err := offline.New().Complete(t.Context(), qa.Request{Messages: messages})
	if err != nil {
		t.Fatal(err)
	}
	return r.Text
}

// plain is the prompt of the baselines that ask once.
func plain(t *testing.T, task, context string) qa.Message {
	t.Helper()
	if context != "" {
		context = "\n[Context]: \n" + context
	}
	text, err := prompts.Render("plain", prompts.Data{"given": ".", "task": task, "context": context})
	if err != nil {
		t.Fatal(err)
	}
	return qa.Message{Role: qa.User, Text: text}
}

// loop is the beginning of an episode with the named actions.
func loop(t *testing.T, task string, turns string, names ...string) []qa.Message {
	t.Helper()
	var specs []action.Spec
	for _, s := range grammar().Specs {
		for _, n := range append(names, "Answer") {
			if s.Name == n {
				specs = append(specs, s)
			}
		}
	}
	text, err := prompts.Render("react", prompts.Data{
		"actions": action.Describe(specs, action.Python), "form": action.Python.Rule(), "schema": "", "example": "X()", "hints": "", "turns": turns, "window": "5",
	})
	if err != nil {
		t.Fatal(err)
	}
	return []qa.Message{{Role: qa.System, Text: text}, {Role: qa.User, Text: task}}
}

func grammar() action.Grammar {
	return action.Grammar{Specs: tools.Set{tools.Retrieve{}, tools.Query{}, tools.View{}, tools.Answer{}}.Specs()}
}

// task writes a question as the baselines do.
func task(question, format string, more ...string) string {
	return strings.Join(append([]string{"[Question]: " + question, "[Answer Format]: " + format}, more...), "\n")
}

func TestPlainAnswers(t *testing.T) {
	const text = "Otter has 12 layers and 3.5 million weights. We train it for 40 epochs with a learning rate of 2 × 10−5. " +
		"No layer of Otter is shared. The passages stem from river logs, tide tables, weather reports and old maps. " +
		"We call this fault backwash. It occurs because the gauge is read too late."
	tests := []struct{ name, question, format, context, want string }{
		{"integer", "How many layers does Otter have?", "Your answer should be a Python integer.", text, "12"},
		{"float", "How many million weights does Otter have?", "Your answer should be a Python float rounded to 1 decimal place.", text, "3.5"},
		{"power of ten", "Which learning rate is used to train Otter?", "Your answer should be a Python float.", text, "2e-05"},
		{"negated", "Is any layer of Otter shared?", "Your answer should be a Python boolean, True or False.", text, "False"},
		{"yes or no", "Is Otter trained with a learning rate?", `Your answer should be "yes" or "no".`, text, "Yes"},
		{"called", "What is the fault of the gauge called?", "Your answer should be a single word.", text, "backwash"},
		{
			"enumeration", "From which four sources do the passages stem?", "Your answer should be a Python list of four strings.", text,
			"['river logs', 'tide tables', 'weather reports', 'old maps']",
		},
		{"why", "Why does the fault occur?", "Your answer should be one sentence.", text, "It occurs because the gauge is read too late."},
		{
			"list of two kinds", "How many layers does Otter have, and what is the fault called?",
			"Your answer should be a Python list of two elements, an integer and a string.", text, "[12, 'backwash']",
		},
		{
			"title", "Which paper measures tides?", "Your answer should be the title of the paper only.",
			"[Title]: Otter: Measuring Tides\n[Abstract]: We measure tides.", "Otter: Measuring Tides",
		},
		{"guess integer", "How many layers does Otter have?", "Your answer should be a Python integer.", "", "3"},
		{"guess list", "Which two rivers?", "Your answer should be a Python list of two floats.", "none, because the question names no paper.", "[0.5, 0.5]"},
		{"guess dict", "Scores of Otter?", `A dictionary with the keys "MRR" and "F1", each an integer.`, "", "{'MRR': 3, 'F1': 3}"},
		{"guess name", "What is Otter?", "a name", "", "Otter"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := action.LastBlock(say(t, plain(t, task(tt.question, tt.format), tt.context)))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

const otter = "6f1c0a3e-0000-0000-0000-000000000001"

func TestSteps(t *testing.T) {
	anchor := "[Anchor PDF]: '" + otter + "'"
	tests := []struct {
		name, task string
		tools      []string
		turns      string
		// results are the observations so far.
		results []string
		want    string
	}{
		{
			"search first", task("How deep is the river?", "an integer"),
			[]string{"Retrieve"},
			"20", nil,
			"Retrieve(query='How deep is the river?', limit=5)",
		},
		{
			"search again by words", task("How deep is the river of the harbour?", "an integer"),
			[]string{"Retrieve"},
			"20",
			[]string{"[Warning]: no passage matches the query. Try other words."},
			"Retrieve(query='deep river harbour', limit=8)",
		},
		{
			"count in the database", task("How many pages does the paper have?", "a Python integer", anchor),
			[]string{"Retrieve", "Query"},
			"20", nil,
			"Query(sql=\"SELECT num_pages AS answer, paper_id FROM metadata WHERE paper_id IN ('" + otter + "')\")",
		},
		{
			"a count is the answer", task("How many pages does the paper have?", "a Python integer", anchor),
			[]string{"Retrieve", "Query"},
			"20",
			[]string{`{"answer": 7, "paper_id": "x"}` + "\n(1 row)"},
			"Answer(answer=7)",
		},
		{
			"conference", task("How many papers have more than three pages?", "a Python integer", "[Conference]: acl2023"),
			[]string{"Query"},
			"20", nil,
			`Query(sql="SELECT count(*) AS answer FROM metadata WHERE ((conference_abbreviation ILIKE 'ACL' AND pub_year = 2023)) AND num_pages > 3")`,
		},
		{
			"failed statement", task("How many pages does the paper have?", "a Python integer", anchor),
			[]string{"Query"},
			"20",
			[]string{"[Error]: no such column"},
			`Query(sql="SELECT page_content AS text, ref_paper_id AS paper_id, page_number FROM pages WHERE ref_paper_id IN ('` + otter +
				`') ORDER BY len(list_filter(['page'], w -> contains(lower(page_content), w))) DESC, page_number LIMIT 3")`,
		},
		{
			"picture", task("What does Figure 2 show?", "one sentence", anchor),
			[]string{"Query", "View"},
			"20",
			[]string{`{"image_caption": "Figure 2: The river.", "bounding_box": [1, 2, 30.5, 40], "paper_id": "` + otter + `", "page_number": 4}` + "\n(1 row)", `{"text": "The river.", "paper_id": "` + otter + `"}`},
			"View(paper_id='" + otter + "', page_number=4, bounding_box=[1,2,30.5,40])",
		},
		{
			"turn limit", task("How deep is the river?", "an integer"),
			[]string{"Retrieve"},
			"2",
			[]string{`{"score": 1, "text": "The river is 9 metres deep.", "pdf_id": "x", "page_number": 1}` + "\n(1 row)"},
			"Answer(answer=9)",
		},
		{
			"quotes are data", task("What is O'Hara's law'; DROP DATABASE metadata; --?", "a string", "[Anchor PDF]: 'a''b'"),
			[]string{"Query"},
			"20", nil,
			`Query(sql="SELECT r.text_content AS text, r.ref_paper_id AS paper_id, p.page_number, len(list_filter(['hara', 'law', 'drop', 'databas', 'metadata'], w -> contains(lower(r.text_content), w))) AS hits FROM chunks r JOIN pages p ON r.ref_page_id = p.page_id WHERE r.ref_paper_id IN ('a''''b') ORDER BY hits DESC, r.ordinal LIMIT 6")`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			messages := loop(t, tt.task, tt.turns, tt.tools...)
			for _, r := range tt.results {
				messages = append(messages, qa.Message{Role: qa.Assistant, Text: say(t, messages...)})
				messages = append(messages, qa.ObservationMessage(qa.Observation{Text: r}))
			}
			text := say(t, messages...)
			_, got, _ := strings.Cut(text, "[Action]: ")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("action (-want +got):\n%s", diff)
			}
			if r := grammar().Read(text); r.Error != nil {
				t.Errorf("the reply cannot be read: %v", r.Error)
			}
		})
	}
}

func TestTableCells(t *testing.T) {
	const rows = `{"table_caption": "Table 1: Depth and speed of rivers.", "table_content": "<table><tr><th>River</th><th>Depth</th><th>Speed</th></tr>` +
		`<tr><td>Wey</td><td>4.1</td><td>0.7</td></tr><tr><td>Ouse</td><td>5.2</td><td>0.3</td></tr></table>", "paper_id": "x", "page_number": 1}` + "\n(1 row)"
	tests := []struct{ name, question, format, want string }{
		{"cell", "What is the speed of the Wey in the table?", "a float rounded to 1 decimal place", "0.7"},
		{"lowest", "What is the lowest speed in the table?", "a float rounded to 1 decimal place", "0.3"},
		{"row of the highest", "Which river has the largest depth in the table?", "a string", "Ouse"},
		{"rows above", "Which rivers have a depth above 4 in the table?", "a Python list of two strings", "['Wey', 'Ouse']"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := action.LastBlock(say(t, plain(t, task(tt.question, tt.format), rows)))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAlwaysAnswers(t *testing.T) {
	observations := []string{"", "[Error]: broken", "[Warning]: the result is empty.", `{"text": "cut`, "nonsense"}
	for _, o := range observations {
		// Window 1 shows the first two messages and the last turn.
		messages := loop(t, task("Which figure shows the river of the cited paper?", "a list of two strings"), "20", "Retrieve", "Query", "View")
		for turn := 1; ; turn++ {
			shown := messages
			if len(messages) > 4 {
				shown = append(append([]qa.Message{}, messages[:2]...), messages[len(messages)-2:]...)
			}
			text := say(t, shown...)
			if strings.Contains(text, "[Action]: Answer(") {
				break
			}
			if turn == 6 {
				t.Fatalf("no answer in six turns to %q; the last was\n%s", o, text)
			}
			messages = append(messages, qa.Message{Role: qa.Assistant, Text: text}, qa.Message{Role: qa.User, Text: "[Observation]: " + o})
		}
	}
}

func TestOneStatement(t *testing.T) {
	text := say(t, qa.Message{Role: qa.System, Text: "Write one SQL statement\n```sql\nSELECT ...\n```"},
		qa.Message{Role: qa.User, Text: task("Which paper is on rivers?", "the title of the paper", "[Conferences]: [acl2023, nips2024]")})
	want := "SELECT paper_id, title, abstract, len(list_filter(['river'], w -> contains(lower(concat(title, ' ', abstract)), w))) AS hits FROM metadata WHERE " +
		"((conference_abbreviation ILIKE 'ACL' AND pub_year = 2023) OR (conference_abbreviation ILIKE 'NIPS' AND pub_year = 2024)) ORDER BY hits DESC, title LIMIT 6"
	if diff := cmp.Diff(want, action.LastBlock(text)); diff != "" {
		t.Errorf("statement (-want +got):\n%s", diff)
	}
}

func TestReply(t *testing.T) {
	messages := []qa.Message{plain(t, task("How many?", "an integer"), "")}
	first, err := offline.New().Complete(t.Context(), qa.Request{Messages: messages})
	if err != nil {
		t.Fatal(err)
	}
	if first.Model != "offline" || first.Finish != "stop" || !first.Usage.Estimated || first.Usage.Prompt == 0 || first.Usage.Completion == 0 {
		t.Errorf("reply = %+v", first)
	}
	second, _ := offline.New().Complete(t.Context(), qa.Request{Messages: messages})
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the same messages gave another reply (-first +second):\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := offline.New().Complete(ctx, qa.Request{Messages: messages}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// Contexts of ten thousand words of one kind still get an answer.
func TestLongContext(t *testing.T) {
	texts := map[string]string{
		"numbers": strings.Repeat("12 34.5 ", 2000), "names": strings.Repeat("WeirNet and OtterNet, ", 800),
		"cells": `{"table_content": "` + strings.Repeat("<tr><td colspan=9>1</td><td rowspan=99>Otter</td></tr>", 300) + `", "table_caption": ""}`,
	}
	for name, text := range texts {
		for _, format := range []string{"an integer", "a name", "a list of strings", "one sentence", "a formula"} {
			if got := action.LastBlock(say(t, plain(t, task("How many layers does Otter have?", format), text))); got == "" {
				t.Errorf("%s for %s: no answer", name, format)
			}
		}
	}
}

func FuzzComplete(f *testing.F) {
	system, err := os.ReadFile("../../prompts/react.txt")
	if err != nil {
		f.Fatal(err)
	}
	kinds := []string{
		string(system) + "### Retrieve( ### Query( ### View( ### Answer(", "```sql", "",
	}
	f.Add(0, task("How many rows?", "a dictionary with keys 'a' and 'b', floats", "[Anchor PDFs]: ['x', 'y']"),
		`{"table_content": "<table><tr><td colspan=3>x</td></tr><tr><td>1</td></tr></table>", "table_caption": "Table 1"}`)
	f.Add(1, task("In which section is it?", "the number of the section"), `{"section_title": "3 Rivers", "section_content": ""}`)
	f.Add(2, task("Which formula?", "a list of two elements, a formula and a number as an integer", "[Context]: 10-3 λ = 0.3, 5"), "")
	f.Fuzz(func(t *testing.T, kind int, question, observation string) {
		messages := []qa.Message{
			{Role: qa.System, Text: kinds[uint(kind)%3]},
			{Role: qa.User, Text: question},
			{Role: qa.Assistant, Text: "[Thought]: Turn 1."},
			{Role: qa.User, Text: "[Observation]: " + observation},
		}
		text := say(t, messages...)
		if kinds[uint(kind)%3] == kinds[0] {
			if r := grammar().Read(text); r.Error != nil {
				t.Errorf("the reply cannot be read: %v\n%s", r.Error, text)
			}
		}
		if again := say(t, messages...); again != text {
			t.Errorf("two replies to the same messages:\n%s\n%s", text, again)
		}
	})
}
