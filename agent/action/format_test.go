package action_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/agent/action"
	"airqa/qa"
)

func TestReadFormats(t *testing.T) {
	tests := []struct {
		name    string
		format  action.Format
		reply   string
		want    string // canonical call
		thought string
		dropped string
	}{
		{"json", action.JSON, "[Thought]: t\n[Action]: {\"action_type\": \"Retrieve\", \"parameters\": {\"query\": \"a b\", \"limit\": 3}}", "Retrieve(query='a b', limit=3)", "t", ""},
		{"json over lines and in a fence", action.JSON, "[Action]:\n```json\n{\n \"action_type\": \"Answer\",\n \"parameters\": {\"answer\": [1, 2.5, true, null]}\n}\n```\nprose", "Answer(answer=[1, 2.5, True, None])", "", "\nprose"},
		{"json without a label", action.JSON, "I look.\n{\"action_type\": \"Query\", \"parameters\": {\"sql\": \"SELECT '{'\"}}", "Query(sql=\"SELECT '{'\")", "I look.", ""},
		{"json with the keys of other protocols", action.JSON, "[Action]: {\"name\": \"Query\", \"arguments\": {\"sql\": \"S\"}}", "Query(sql='S')", "", ""},
		{"json then a made-up observation", action.JSON, "[Action]: {\"action_type\": \"Query\", \"parameters\": {\"sql\": \"S\"}}\n[Observation]: 7", "Query(sql='S')", "", "\n[Observation]: 7"},
		{"json with a brace in the thought", action.JSON, "[Thought]: the set {a, b}\n[Action]: {\"action_type\": \"Query\", \"parameters\": {\"sql\": \"S\"}}", "Query(sql='S')", "the set {a, b}", ""},
		{"xml", action.XML, "[Thought]: t\n[Action]: <action><action_type>Query</action_type><parameters><sql>SELECT a FROM t WHERE a < 3 AND b > 'x & y'</sql></parameters></action>", "Query(sql=\"SELECT a FROM t WHERE a < 3 AND b > 'x & y'\")", "t", ""},
		{"xml over lines", action.XML, "[Action]:\n<action>\n <action_type>View</action_type>\n <parameters>\n  <paper_id>p</paper_id>\n  <page_number>3</page_number>\n  <bounding_box>1</bounding_box>\n  <bounding_box>2.5</bounding_box>\n  <bounding_box>3</bounding_box>\n  <bounding_box>4</bounding_box>\n </parameters>\n</action>", "View(paper_id='p', page_number=3, bounding_box=[1.0, 2.5, 3.0, 4.0])", "", ""},
		{"xml list as a literal", action.XML, "<action><action_type>View</action_type><parameters><paper_id>p</paper_id><page_number>3</page_number><bounding_box>[1, 2, 3, 4]</bounding_box></parameters></action>", "View(paper_id='p', page_number=3, bounding_box=[1, 2, 3, 4])", "", ""},
		{"xml escaped and CDATA", action.XML, "<action><action_type>Query</action_type><parameters><sql><![CDATA[a < b]]></sql></parameters></action>", "Query(sql='a < b')", "", ""},
		{"xml entities", action.XML, "<action><action_type>Query</action_type><parameters><sql>a &lt; b</sql></parameters></action>", "Query(sql='a < b')", "", ""},
		{"yaml", action.YAML, "[Thought]: t\n[Action]:\naction_type: Retrieve\nparameters:\n  query: \"a: b\"\n  limit: 3\n", "Retrieve(query='a: b', limit=3)", "t", "\n"},
		{"yaml block and fence", action.YAML, "[Action]:\n```yaml\naction_type: Query\nparameters:\n  sql: |\n    SELECT 1\n    FROM t\n```\nprose", "Query(sql='SELECT 1\\nFROM t\\n')", "", "\nprose"},
		{"yaml list", action.YAML, "action_type: Answer\nparameters:\n  answer: [a, 1, true]", "Answer(answer=['a', 1, True])", "", ""},
		{"yaml then a made-up observation", action.YAML, "[Action]:\naction_type: Query\nparameters: {sql: S}\n[Observation]: 7", "Query(sql='S')", "", "\n[Observation]: 7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := grammar()
			g.Format = tt.format
			r := g.Read(tt.reply)
			if r.Error != nil {
				t.Fatalf("error: %s", r.Error.Reason)
			}
			if diff := cmp.Diff(tt.want, r.Action.Text); diff != "" {
				t.Errorf("call (-want +got):\n%s", diff)
			}
			if got := tt.reply[r.Thought.First:r.Thought.End]; got != tt.thought {
				t.Errorf("thought %q, want %q", got, tt.thought)
			}
			if got := tt.reply[r.Kept:]; got != tt.dropped {
				t.Errorf("dropped %q, want %q", got, tt.dropped)
			}
		})
	}
}

func TestFormatErrors(t *testing.T) {
	tests := []struct {
		name   string
		format action.Format
		reply  string
		kind   string
		says   string
	}{
		{"no action", action.JSON, "I am done.", qa.ErrNoAction, `for example {"action_type": "Retrieve", "parameters": {"query": "..."}}`},
		{"python in json", action.JSON, "[Action]: Query(sql='S')", qa.ErrNoAction, "one action in JSON"},
		{"broken json", action.JSON, "[Action]: {\"action_type\": \"Query\", \"parameters\": {", qa.ErrSyntax, "no JSON object"},
		{"no type", action.JSON, "[Action]: {\"parameters\": {}}", qa.ErrSyntax, "action_type is missing"},
		{"parameters are a list", action.JSON, "[Action]: {\"action_type\": \"Query\", \"parameters\": [1]}", qa.ErrSyntax, "not a mapping"},
		{"unknown", action.JSON, "[Action]: {\"action_type\": \"Search\", \"parameters\": {}}", qa.ErrUnknownAction, "no action Search"},
		{"missing parameter", action.JSON, "[Action]: {\"action_type\": \"Query\"}", qa.ErrParameter, `needs the parameter "sql"`},
		{"unknown parameter", action.YAML, "action_type: Query\nparameters: {sqll: x}", qa.ErrParameter, `no parameter "sqll"`},
		{"open tag", action.XML, "<action><action_type>Query</action_type>", qa.ErrSyntax, "</action> is missing"},
		{"open parameter", action.XML, "<action><action_type>Query</action_type><parameters><sql>S</parameters></action>", qa.ErrSyntax, "</sql> is missing"},
		{"text among parameters", action.XML, "<action><action_type>Query</action_type><parameters>SELECT 1</parameters></action>", qa.ErrSyntax, "a parameter is due"},
		{"broken yaml", action.YAML, "action_type: Query\nparameters: {sql: [", qa.ErrSyntax, "YAML"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := grammar()
			g.Format = tt.format
			r := g.Read(tt.reply)
			if r.Action != nil || r.Error == nil {
				t.Fatalf("read %+v", r.Action)
			}
			if r.Error.Kind != tt.kind || !strings.Contains(r.Error.Reason, tt.says) {
				t.Errorf("%s: %s\nwant %s: %s", r.Error.Kind, r.Error.Reason, tt.kind, tt.says)
			}
			if r.Kept != len(tt.reply) {
				t.Errorf("%d bytes kept of %d: a reply that failed is shown whole", r.Kept, len(tt.reply))
			}
		})
	}
}

// Every format can read what it writes.
func TestWriteAndRead(t *testing.T) {
	args := map[string]any{"paper_id": `a "quoted" id`, "page_number": int64(3), "bounding_box": []any{1.5, 2.0, 3.0, 4.25}}
	g := grammar()
	for _, name := range action.Formats() {
		g.Format = action.Format(name)
		text := g.Format.Write(g.Specs[2], args)
		r := g.Read("[Thought]: t\n[Action]: \n" + text)
		if r.Error != nil {
			t.Errorf("%s: %s in\n%s", name, r.Error.Reason, text)
			continue
		}
		want := `View(paper_id='a "quoted" id', page_number=3, bounding_box=[1.5, 2.0, 3.0, 4.25])`
		if g.Format != action.Python && g.Format != action.XML {
			want = strings.Replace(want, "2.0, 3.0", "2, 3", 1) // JSON has no distinct whole floats
		}
		if r.Action.Text != want {
			t.Errorf("%s: read %s\nfrom %s", name, r.Action.Text, text)
		}
	}
}

func FuzzReadFormats(f *testing.F) {
	for _, seed := range []string{
		"[Action]: {\"action_type\": \"Query\", \"parameters\": {\"sql\": \"S\"}}", "<action><action_type>Query</action_type><parameters><sql>S</sql></parameters></action>",
		"action_type: Query\nparameters: {sql: S}", "[Thought]: x\n[Action]: Answer(answer=[1])", "```yaml\naction_type: a\n```", "<action>", "{\"name\":",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		for _, name := range action.Formats() {
			g := grammar()
			g.Format = action.Format(name)
			r := g.Read(reply)
			if (r.Action == nil) == (r.Error == nil) {
				t.Fatalf("%s: action %v, error %v", name, r.Action, r.Error)
			}
			if r.Kept < 0 || r.Kept > len(reply) || r.Thought.First > r.Thought.End || r.Thought.End > len(reply) {
				t.Fatalf("%s: kept %d, thought %v of %d bytes", name, r.Kept, r.Thought, len(reply))
			}
			if r.Action != nil {
				if _, ok := action.Value(*r.Action, g.Specs[0].Params[0].Name); !ok && r.Action.Name == g.Specs[0].Name {
					t.Fatalf("%s: the call %s cannot be read back", name, r.Action.Text)
				}
			}
		}
	})
}

func TestNative(t *testing.T) {
	specs := grammar().Specs
	specs[0].Text = "Finds passages.\nOnly in named papers.\n\nParameters:\n- query (str, required): what to look for.\n- limit (int, default 5): how many.\n\nExamples:\n- Five: Retrieve(query=\"a\")"
	got := action.Native(specs)[0]
	if got.Description != "Finds passages.\nOnly in named papers." {
		t.Errorf("description %q", got.Description)
	}
	want := `{"type":"object","properties":{"query":{"type":"string","description":"what to look for."},"limit":{"type":"integer","description":"how many. Default: 5."}},"required":["query"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(got.Parameters)); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	for _, tool := range action.Native(specs) {
		if !json.Valid(tool.Parameters) {
			t.Errorf("%s: %s", tool.Name, tool.Parameters)
		}
	}
}

func TestReadCall(t *testing.T) {
	tests := []struct {
		name, tool, args string
		want, kind       string
	}{
		{"call", "Retrieve", `{"query": "a", "limit": 2}`, "Retrieve(query='a', limit=2)", ""},
		{"default", "Retrieve", `{"query": "a"}`, "Retrieve(query='a', limit=5)", ""},
		{"null", "Retrieve", `{"query": "a", "limit": null}`, "Retrieve(query='a', limit=5)", ""},
		{"object", "Answer", `{"answer": {"b": 1, "a": [true]}}`, "Answer(answer={'b': 1, 'a': [True]})", ""},
		{"unknown", "Search", `{}`, "", qa.ErrUnknownAction},
		{"no arguments", "Query", ``, "", qa.ErrParameter},
		{"text", "Query", `"{sql: "`, "", qa.ErrSyntax},
		{"list", "Query", `["SELECT 1"]`, "", qa.ErrSyntax},
		{"Python's repr", "Query", `"{'sql': \"SELECT 'a'\"}"`, `Query(sql="SELECT 'a'")`, ""},
		{"Python's repr with an escape", "Query", `{'sql': 'SELECT \'a\''}`, `Query(sql="SELECT 'a'")`, ""},
		{"wrong type", "Query", `{"sql": 3}`, "", qa.ErrParameter},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, e := grammar().ReadCall(qa.ToolCall{Name: tt.tool, Arguments: json.RawMessage(tt.args)})
			if tt.kind != "" {
				if e == nil || e.Kind != tt.kind || a != nil {
					t.Fatalf("action %v, error %v, want %s", a, e, tt.kind)
				}
				return
			}
			if e != nil || a.Text != tt.want {
				t.Errorf("action %v, error %v, want %s", a, e, tt.want)
			}
		})
	}
}
