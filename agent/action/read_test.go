package action_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/agent/action"
	"airqa/qa"
)

func grammar() action.Grammar {
	return action.Grammar{Specs: []action.Spec{
		{Name: "Retrieve", Params: []action.Param{
			{Name: "query", Kind: action.Str, Required: true}, {Name: "limit", Kind: action.Int, Default: int64(5)},
		}},
		{Name: "Query", Params: []action.Param{{Name: "sql", Kind: action.Str, Required: true}}},
		{Name: "View", Params: []action.Param{
			{Name: "paper_id", Kind: action.Str, Required: true},
			{Name: "page_number", Kind: action.Int, Required: true},
			{Name: "bounding_box", Kind: action.Floats, Default: []any{}},
		}},
		{Name: "Answer", Params: []action.Param{{Name: "answer", Kind: action.Any, Required: true}}},
	}}
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, reply string
		want        string // canonical call
		thought     string
		kept        string // dropped text at the end of the reply
	}{
		{"as asked", "[Thought]: look it up\n[Action]: Retrieve(query=\"a b\", limit=3)", "Retrieve(query='a b', limit=3)", "look it up", ""},
		{"on the next line", "[Thought]: t\n[Action]:\nAnswer(answer=42)", "Answer(answer=42)", "t", ""},
		{"all on one line", "[Thought]: t [Action]: Answer(answer=42)", "Answer(answer=42)", "t", ""},
		{"without brackets", "Thought: t\nAction: Answer(answer=42)", "Answer(answer=42)", "t", ""},
		{"bold labels", "**Thought:** t\n**Action:** Answer(answer=42)", "Answer(answer=42)", "t", ""},
		{"bold brackets", "**[Thought]**: t\n**[Action]**: Answer(answer=42)", "Answer(answer=42)", "t", ""},
		{"positional", "[Action]: Retrieve(\"q\", 2)", "Retrieve(query='q', limit=2)", "", ""},
		{"default filled in", "[Action]: View('p', 3)", "View(paper_id='p', page_number=3, bounding_box=[])", "", ""},
		{"fenced", "[Action]:\n```python\nQuery(sql=\"SELECT 1\")\n```", "Query(sql='SELECT 1')", "", ""},
		{"single backticks", "[Action]: `Answer(answer='x')`", "Answer(answer='x')", "", ""},
		{"bare call", "I will look.\nRetrieve(query='q')", "Retrieve(query='q', limit=5)", "I will look.", ""},
		{"prose between label and call", "[Action]: I call Retrieve(query='q') now", "Retrieve(query='q', limit=5)", "", " now"},
		{"trailing prose", "[Action]: Answer(answer='x') and that is it.", "Answer(answer='x')", "", " and that is it."},
		{"made-up observation", "[Action]: Query(sql='S')\n[Observation]: 7\n[Thought]: so\n[Action]: Answer(answer=7)", "Query(sql='S')", "", "\n[Observation]: 7\n[Thought]: so\n[Action]: Answer(answer=7)"},
		{"label inside SQL", "[Action]: Query(sql=\"SELECT '[Observation]: x', 'Action:'\")", "Query(sql=\"SELECT '[Observation]: x', 'Action:'\")", "", ""},
		{"the word action in a thought", "[Thought]: my next action: search. The Action: label comes below\n[Action]: Answer(answer=1)", "Answer(answer=1)", "my next action: search. The Action: label comes below", ""},
		{"a label named in a thought", "[Thought]: I must write [Action]: first\n[Action]: Answer(answer=1)", "Answer(answer=1)", "I must write [Action]: first", ""},
		{"JSON constants", "[Action]: Answer(answer=[true, null, false])", "Answer(answer=[True, None, False])", "", ""},
		{"dictionary and tuple", "[Action]: Answer(answer={'a': (1, 2.50)})", "Answer(answer={'a': (1, 2.5)})", "", ""},
		{"triple quotes", "[Action]: Query(sql=\"\"\"SELECT 'a'\nFROM t\"\"\")", "Query(sql=\"SELECT 'a'\\nFROM t\")", "", ""},
		{"LaTeX escapes", `[Action]: Answer(answer="\d \lambda")`, `Answer(answer='\\d \\lambda')`, "", ""},
		{"after thinking", "<think>[Action]: Answer(answer=0)</think>\n[Action]: Answer(answer=1)", "Answer(answer=1)", "", ""},
		{"digits in quotes", "[Action]: Retrieve(query='q', limit='7')", "Retrieve(query='q', limit=7)", "", ""},
		{"whole float", "[Action]: View('p', 3.0, (1, 2, 3, 4))", "View(paper_id='p', page_number=3, bounding_box=[1, 2, 3, 4])", "", ""},
		{"None for a box", "[Action]: View('p', 3, None)", "View(paper_id='p', page_number=3, bounding_box=[])", "", ""},
		{"trailing comment", "[Action]: Answer(answer=1)  # done", "Answer(answer=1)", "", "  # done"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := grammar().Read(tt.reply)
			if r.Error != nil {
				t.Fatalf("error: %v", r.Error)
			}
			if diff := cmp.Diff(tt.want, r.Action.Text); diff != "" {
				t.Errorf("call (-want +got):\n%s", diff)
			}
			if got := tt.reply[r.Thought.First:r.Thought.End]; got != tt.thought {
				t.Errorf("thought = %q, want %q", got, tt.thought)
			}
			if got := tt.reply[r.Kept:]; got != tt.kept {
				t.Errorf("dropped %q, want %q", got, tt.kept)
			}
			if !strings.HasPrefix(tt.reply[r.Action.Start:r.Action.End], r.Action.Name) {
				t.Errorf("range %d-%d is %q", r.Action.Start, r.Action.End, tt.reply[r.Action.Start:r.Action.End])
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	tests := []struct {
		name, reply  string
		kind         string
		line, column int
		want         string
	}{
		{"nothing", "I do not know.", qa.ErrNoAction, 1, 1, "no action found"},
		{"empty", "", qa.ErrNoAction, 1, 1, "no action found"},
		{"label alone", "[Thought]: t\n[Action]: search for it", qa.ErrNoAction, 2, 10, "no action found"},
		{"unknown action", "[Action]: Search(q='x')", qa.ErrUnknownAction, 1, 11, "there is no action Search"},
		{"unclosed string", "[Thought]: t\n[Action]: Answer(answer=\"x)", qa.ErrSyntax, 2, 25, "cannot be read"},
		{"a name", "[Action]: Answer(answer=foo)", qa.ErrSyntax, 1, 25, "cannot be read"},
		{"arithmetic", "[Action]: Answer(answer=1+2)", qa.ErrSyntax, 1, 26, "cannot be read"},
		{"a call inside", "[Action]: Answer(answer=exit())", qa.ErrSyntax, 1, 25, "cannot be read"},
		{"unknown parameter", "[Action]: Answer(value=1)", qa.ErrParameter, 1, 18, `no parameter "value"`},
		{"missing parameter", "[Action]: Query()", qa.ErrParameter, 1, 11, `needs the parameter "sql"`},
		{"given twice", "[Action]: Query('a', sql='b')", qa.ErrParameter, 1, 22, "given twice"},
		{"too many", "[Action]: Query('a', 'b')", qa.ErrParameter, 1, 11, "takes 1 argument(s), not 2"},
		{"wrong kind", "[Action]: Query(sql=1)", qa.ErrParameter, 1, 11, "must be str, not 1"},
		{"half a page", "[Action]: View('p', 1.5)", qa.ErrParameter, 1, 11, "must be int, not 1.5"},
		{"columns count characters", "[Thought]: é\n[Action]: Answer(answer='é', b=1)", qa.ErrParameter, 2, 30, `no parameter "b"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := grammar().Read(tt.reply)
			if r.Error == nil {
				t.Fatalf("read as %s", r.Action.Text)
			}
			e := r.Error
			if e.Kind != tt.kind || e.Line != tt.line || e.Column != tt.column || !strings.Contains(e.Reason, tt.want) {
				t.Errorf("got %s at %d:%d %q, want %s at %d:%d with %q", e.Kind, e.Line, e.Column, e.Reason, tt.kind, tt.line, tt.column, tt.want)
			}
			if r.Kept != len(tt.reply) {
				t.Errorf("kept %d of %d bytes: an unread reply stays whole", r.Kept, len(tt.reply))
			}
		})
	}
}

func TestLastBlock(t *testing.T) {
	tests := []struct{ name, reply, want string }{
		{"one", "so\n```txt\n42\n```", "42"},
		{"the last", "```\na\n```\nno:\n```sql\nSELECT 1\n```\n", "SELECT 1"},
		{"inline", "It is ```42```.", "42"},
		{"none", "  just text \n", "just text"},
		{"two lines", "```txt\na\nb\n```", "a\nb"},
		{"after thinking", "<think>```txt\nno\n```</think>yes", "yes"},
		{"Windows line ends", "so\r\n```txt\r\n42\r\n```\r\n", "42"},
		{"a space before the language", "``` txt\n42\n```", "42"},
		{"never closed", "Thinking\n```txt\n42", "42"},
		{"the last one never closed", "```txt\nno\n```\nor\n```txt\n42\n", "42"},
		{"backticks after the block", "```txt\n42\n```\nwith ``` around", "42"},
		{"tildes", "so\n~~~txt\n42\n~~~", "42"},
		{"tildes in a text", "~~~ is not ```42```", "42"},
		{"four backticks", "````md\n```\n42\n```\n````", "```\n42\n```"},
		{"a tag in the block", "```txt\n<think>\n```", "<think>"},
		{"tags in the block", "```txt\nfrom <think> to </think>\n```", "from <think> to </think>"},
		{"a tag named in the text", "The model adds a <think> token.", "The model adds a <think> token."},
		{"an unopened draft", "maybe\n```txt\nno\n```\nor not\n</think>\n```txt\n42\n```", "42"},
		{"an unopened draft that is cut", "maybe\n```txt\nno\n</think>\n```txt\n42\n```", "42"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := action.LastBlock(tt.reply); got != tt.want {
				t.Errorf("LastBlock = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMakeAndValue(t *testing.T) {
	spec := grammar().Specs[0]
	a, err := action.Make(spec, map[string]any{"query": "it's"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `Retrieve(query="it's", limit=5)`; a.Text != want {
		t.Errorf("Text = %s, want %s", a.Text, want)
	}
	if v, ok := action.Value(a, "query"); !ok || v != "it's" {
		t.Errorf("Value = %v, %v", v, ok)
	}
	if _, err := action.Make(spec, map[string]any{"limit": int64(1)}); err == nil {
		t.Error("a call without its required parameter was made")
	}
}

func TestSignature(t *testing.T) {
	want := "View(paper_id: str, page_number: int, bounding_box: List[float] = [])"
	if got := grammar().Specs[2].Signature(); got != want {
		t.Errorf("Signature = %s, want %s", got, want)
	}
}

// For any reply: no panic, exactly one of action and error, and ranges inside the reply. The action prints as a call
// that reads back as the same.
func FuzzRead(f *testing.F) {
	f.Add("[Thought]: t\n[Action]: Retrieve(query=\"a b\", limit=3)")
	f.Add("[Action]: ```python\nAnswer(answer={'a': [1, (2,)]})\n```")
	f.Add("Action: View('p', 1e3, [1,2,3,4])")
	f.Add("</think>[action] Query(\"\\u12\")")
	f.Add("<|channel|>analysis<|message|>a<|end|>```b [THINK] <musing>\n</musing> <!-- assistantfinal")
	f.Fuzz(func(t *testing.T, reply string) {
		if n := max(len(action.Visible(reply)), len(grammar().WithoutThinking(reply)), len(action.LastBlock(reply))); n > len(reply) {
			t.Fatalf("%d bytes are visible of %d", n, len(reply))
		}
		g := grammar()
		r := g.Read(reply)
		if (r.Action == nil) == (r.Error == nil) {
			t.Fatalf("action %v and error %v", r.Action, r.Error)
		}
		if r.Kept < 0 || r.Kept > len(reply) || r.Thought.First < 0 || r.Thought.End > len(reply) || r.Thought.First > r.Thought.End {
			t.Fatalf("kept %d, thought %v of %d bytes", r.Kept, r.Thought, len(reply))
		}
		if r.Action == nil {
			return
		}
		again := g.Read("[Action]: " + r.Action.Text)
		if again.Action == nil || again.Action.Text != r.Action.Text {
			t.Fatalf("%q does not read back: %v", r.Action.Text, again.Error)
		}
	})
}
