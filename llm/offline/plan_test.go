package offline_test

import (
	"strings"
	"testing"

	"airqa/agent/action"
	"airqa/llm/offline"
	"airqa/qa"

	"github.com/google/go-cmp/cmp"
)

const otter = "6f1c0a3e-0000-0000-0000-000000000001"

func TestSteps(t *testing.T) {
	anchor := "[Anchor PDF]: '" + otter + "'"
	pages := task("How many pages does the Otter paper have?", "a Python integer", anchor)
	tests := []struct {
		name, task string
		tools      []string
		results    []string // observations so far
		want       string
	}{
		{
			"search first", task("How deep is the river?", "an integer"),
			[]string{"Retrieve"},
			nil,
			`Retrieve(query="How deep is the river?", limit=5)`,
		},
		{
			"guessed column", pages,
			[]string{"Retrieve", "Query"},
			nil,
			`Query(sql="SELECT len(pages) AS answer FROM metadata WHERE paper_id IN ('` + otter + `')")`,
		},
		{
			"column from the schema", pages,
			[]string{"Retrieve", "Query"},
			[]string{"[Error]: Binder Error: no column pages"},
			`Query(sql="SELECT num_pages AS answer FROM metadata WHERE paper_id IN ('` + otter + `')")`,
		},
		{
			"the result is the answer", pages,
			[]string{"Retrieve", "Query"},
			[]string{"[Error]: Binder Error: no column pages", `{"answer": 17, "paper_id": "x"}` + "\n(1 row)"},
			"Answer(answer=17)",
		},
		{
			"part of the paper", task("What does Figure 2 show?", "one sentence", anchor),
			[]string{"Query", "View"},
			nil,
			`Query(sql="SELECT r.image_caption, r.bounding_box, r.ref_paper_id AS paper_id, p.page_number FROM images r JOIN pages p ON r.ref_page_id = p.page_id ` +
				`WHERE r.ref_paper_id IN ('` + otter + `') ORDER BY len(list_filter(['2', 'show'], w -> contains(lower(r.image_caption), w))) DESC, r.ordinal LIMIT 6")`,
		},
		{
			"view", task("What does Figure 2 show?", "one sentence", anchor),
			[]string{"Query", "View"},
			[]string{`{"image_caption": "Figure 2: The river.", "bounding_box": "[1, 2, 30.5, 40]", "paper_id": "` + otter + `", "page_number": 4}` + "\n(1 row)"},
			`View(paper_id="` + otter + `", page_number=4, bounding_box=[1, 2, 30.5, 40])`,
		},
		{
			"answer from what was seen", task("How deep is the river?", "an integer"),
			[]string{"Retrieve"},
			[]string{`{"score": 1, "text": "The river is 9 metres deep.", "pdf_id": "x", "page_number": 1}` + "\n(1 row)"},
			"Answer(answer=9)",
		},
		{
			"quotes are data", task("What is O'Hara's law'; DROP DATABASE metadata; --?", "a string", `[Anchor PDF]: "a'b"`),
			[]string{"Query"},
			nil,
			`Query(sql="SELECT r.text_content AS text, r.ref_paper_id AS paper_id, p.page_number FROM chunks r JOIN pages p ON r.ref_page_id = p.page_id ` +
				`WHERE r.ref_paper_id IN ('a''b') ORDER BY len(list_filter(['o', 'hara', 'law', 'drop', 'databas', 'metadata'], w -> contains(lower(r.text_content), w))) DESC, r.ordinal LIMIT 6")`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			messages := loop(t, tt.task, action.Python, tt.tools...)
			for _, r := range tt.results {
				messages = append(messages, qa.Message{Role: qa.Assistant, Text: say(t, messages...)}, qa.ObservationMessage(qa.Observation{Text: r}))
			}
			_, got, _ := strings.Cut(say(t, messages...), "[Action]: ")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("action (-want +got):\n%s", diff)
			}
		})
	}
}

// The same steps come in every action format, and as native calls.
func TestFormats(t *testing.T) {
	results := []string{"[Error]: no column pages", "[Warning]: no rows", "[Warning]: no rows", `{"text": "It has 9 pages; \"nine\" <9>.", "pdf_id": "x", "page_number": 1}`}
	question := task("How many pages does the Otter paper have?", "a Python list of two integers", "[Anchor PDF]: '"+otter+"'")
	var want []string
	for _, f := range action.Formats() {
		t.Run(f, func(t *testing.T) {
			messages := loop(t, question, action.Format(f), "Retrieve", "Query")
			var got []string
			for i := range len(results) + 1 {
				text := say(t, messages...)
				read := grammar(action.Format(f)).Read(text)
				if read.Error != nil {
					t.Fatalf("the reply cannot be read: %v\n%s", read.Error, text)
				}
				got = append(got, read.Action.Text)
				if i < len(results) {
					messages = append(messages, qa.Message{Role: qa.Assistant, Text: text}, qa.ObservationMessage(qa.Observation{Text: results[i]}))
				}
			}
			if want == nil {
				want = got
			}
			if f == string(action.XML) {
				got[len(got)-1] = strings.NewReplacer(`"`, "", "'", "").Replace(got[len(got)-1]) // an element holds text only
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("actions (-python +%s):\n%s", f, diff)
			}
		})
	}
	if len(want) != 5 || !strings.HasPrefix(want[4], "Answer(answer=[9, ") {
		t.Errorf("actions %q, want three steps and the answer", want)
	}
	t.Run("native", func(t *testing.T) {
		messages := loop(t, question, action.Python, "Retrieve", "Query")
		messages[0].Text = strings.NewReplacer("[Action]:", "", "###", "").Replace(messages[0].Text)
		var got []string
		for i := range len(results) + 1 {
			got = append(got, nativeCall(t, &messages))
			if i < len(results) {
				messages = append(messages, qa.Message{Role: qa.ToolResult, Text: results[i]})
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("actions (-python +native):\n%s", diff)
		}
	})
}

// nativeCall asks for the next call, appends it to the messages and returns it as Python.
func nativeCall(t *testing.T, messages *[]qa.Message) string {
	t.Helper()
	g := grammar(action.Python)
	r, err := offline.New().Complete(t.Context(), qa.Request{Messages: *messages, Tools: action.Native(g.Specs)[:2]})
	if err != nil || len(r.ToolCalls) != 1 || r.Finish != "tool_calls" {
		t.Fatalf("reply = %+v, %v; want one call", r, err)
	}
	*messages = append(*messages, qa.Message{Role: qa.Assistant, Text: r.Text, ToolCalls: r.ToolCalls})
	a, bad := g.ReadCall(r.ToolCalls[0])
	if bad != nil {
		t.Fatalf("the call cannot be read: %v", bad)
	}
	return a.Text
}

func TestOneStatement(t *testing.T) {
	text := say(t, qa.Message{Role: qa.System, Text: "Write one SQL statement\n```sql\nSELECT ...\n```"},
		qa.Message{Role: qa.User, Text: task("Which paper is on rivers?", "the title of the paper")})
	want := "SELECT paper_id, title, abstract FROM metadata " +
		"ORDER BY len(list_filter(['river'], w -> contains(lower(concat(title, ' ', abstract)), w))) DESC, title LIMIT 6"
	if diff := cmp.Diff(want, action.LastBlock(text)); diff != "" {
		t.Errorf("statement (-want +got):\n%s", diff)
	}
}
