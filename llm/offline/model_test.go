package offline_test

import (
	"context"
	"errors"
	"os"
	"slices"
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
	text, err := prompts.Set{}.Render("plain", prompts.Data{"given": ".", "task": task, "context": context})
	if err != nil {
		t.Fatal(err)
	}
	return qa.Message{Role: qa.User, Text: text}
}

// loop is the beginning of an episode with the named tools.
func loop(t *testing.T, task string, format action.Format, names ...string) []qa.Message {
	t.Helper()
	var specs []action.Spec
	for _, s := range grammar(format).Specs {
		if slices.Contains(append(names, "Answer"), s.Name) {
			specs = append(specs, s)
		}
	}
	text, err := prompts.Set{}.Render("react", prompts.Data{
		"actions": action.Describe(specs, format), "form": format.Rule(), "schema": schema, "example": "X()", "hints": "", "turns": "20", "window": "5",
	})
	if err != nil {
		t.Fatal(err)
	}
	return []qa.Message{{Role: qa.System, Text: text}, {Role: qa.User, Text: task}}
}

// schema is the form in which prompts show the database.
const schema = `
-- One row per paper. Each of the other tables points to it by ref_paper_id.
CREATE TABLE metadata (
    paper_id UUID PRIMARY KEY, -- id of the paper
    num_pages INTEGER, -- number of pages of the PDF
    authors VARCHAR[] -- names of the authors in printed order
);

-- One row per figure of a paper.
CREATE TABLE images (
    ref_paper_id UUID -- the paper, metadata.paper_id
);
`

func grammar(f action.Format) action.Grammar {
	return action.Grammar{Format: f, Specs: tools.Called(nil).Specs()}
}

// task writes a question as the baselines do.
func task(question, format string, more ...string) string {
	return strings.Join(append([]string{"[Question]: " + question, "[Answer Format]: " + format}, more...), "\n")
}

func TestAlwaysAnswers(t *testing.T) {
	observations := []string{"", "[Error]: broken", "[Warning]: the result is empty.", `{"text": "cut`, "nonsense"}
	for _, o := range observations {
		// Window 1 shows the first two messages and the last turn.
		messages := loop(t, task("Which figure shows the river of the cited paper?", "a list of two strings"), action.Python, "Retrieve", "Query", "View")
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
			if r := grammar(action.Python).Read(text); r.Error != nil {
				t.Errorf("the reply cannot be read: %v\n%s", r.Error, text)
			}
		}
		if again := say(t, messages...); again != text {
			t.Errorf("two replies to the same messages:\n%s\n%s", text, again)
		}
	})
}
