package action_test

import (
	"strings"
	"testing"

	"airqa/agent/action"
	"airqa/qa"
)

// firstCalls are carriers of a call of Retrieve. Markup that cannot be read is an error, which is as good.
var firstCalls = []string{
	`[Action]: Retrieve(query="x")`,
	"[Action]:\n```python\nRetrieve(query=\"x\")\n```",
	`So I look. [Action]: Retrieve(query="x")`,
	`[Action]: I call Retrieve(query="x") now.`,
	`Retrieve(query="x")`,
	"I look it up.\n\n> Retrieve(query=\"x\")",
	"```python\nRetrieve(query=\"x\")\n```",
	"```\nRetrieve(query=\"x\")\n```",
	"~~~\nRetrieve(query=\"x\")\n~~~",
	"```tool_code\nprint(Retrieve(query=\"x\"))\n```",
	"```tool_code\nresult = default_api.Retrieve(query=\"x\")\n```",
	"<tool_call>\n{\"name\": \"Retrieve\", \"arguments\": {\"query\": \"x\"}}\n</tool_call>",
	"<tool_call>Retrieve(query=\"x\")</tool_call>",
	"<tool_call>\n{\"name\": \"Retrieve\", \"arguments\": {\"query\": \"x\"", // cut
	"<function=Retrieve>\n<parameter=query>\nx\n</parameter>\n</function>",
	`<function_calls><invoke name="Retrieve"><parameter name="query">x</parameter></invoke></function_calls>`,
	`[TOOL_CALLS]Retrieve[ARGS]{"query": "x"}`,
	`[TOOL_CALLS][{"name": "Retrieve", "arguments": {"query": "x"}}]`,
	`<|tool_calls_section_begin|><|tool_call_begin|>functions.Retrieve:0<|tool_call_argument_begin|>{"query": "x"}<|tool_call_end|>`,
	"<tool_call>Retrieve\n<arg_key>query</arg_key>\n<arg_value>x</arg_value>\n</tool_call>",
	"<|future_markup|>Retrieve<|with|>{\"query\": \"x\"}<|future_end|>",
	`<|python_start|>[Retrieve(query="x")]<|python_end|>`,
	`<start_function_call>call:Retrieve{query:<escape>x<escape>}<end_function_call>`,
	"[Action]: Retrieve(qry=\"x\")",
	"Retrieve(query=foo)",
}

// results are texts that a model may make up for the result of its call.
var results = []string{
	"", "[Observation]: it is 0.9", "Observation: it is 0.9", "Obs: 0.9", "Tool: 0.9", "工具结果：0.9", "```\n0.9\n```", "```output\n0.9\n```", "```tool_output\n0.9\n```",
	"<tool_response>\n0.9\n</tool_response>", "<result>0.9</result>", "<|im_start|>user\n0.9<|im_end|>\n<|im_start|>assistant", "]~b]tool\n0.9", "<|tool_response>0.9",
	"[TOOL_RESULTS]0.9[/TOOL_RESULTS]", "<seed:bos>tool\n0.9<seed:eos>", "The passage says 0.9.", "| a |\n|---|\n| 0.9 |", "# -> 0.9", "Out[1]: 0.9",
}

var answers = []string{
	"[Action]: Answer(answer=0.9)", "Answer(answer=0.9)", "```python\nAnswer(answer=0.9)\n```", "[Thought]: so\n[Action]:\n```\nAnswer(answer=0.9)\n```",
	"<tool_call>\n{\"name\": \"Answer\", \"arguments\": {\"answer\": 0.9}}\n</tool_call>", "```tool_code\nAnswer(answer=0.9)\n```", "So it is 0.9: [Action]: Answer(answer=0.9)",
}

// The first call is the action, whatever carries it; an answer after a result that the model made up never runs.
func TestFirstCall(t *testing.T) {
	for _, call := range firstCalls {
		for _, result := range results {
			for _, answer := range answers {
				for _, words := range []string{"", "So:\n"} {
					reply := call + "\n" + result + "\n" + words + answer
					got := ran(reply, "", "stop")
					if got != "" && got != "Retrieve(query='x', limit=5)" {
						t.Errorf("%q runs %q", reply, got)
					}
				}
			}
		}
		got := ran(call, "", "stop")
		broken := strings.Contains(call, "qry") || strings.Contains(call, "foo") || strings.Contains(call, "escape") || strings.HasSuffix(call, `"x"`)
		if broken != (got == "") {
			t.Errorf("%q runs %q", call, got)
		}
	}
}

// An answer is final unless another call or a result is before or after it, in any language.
func TestFinalAnswer(t *testing.T) {
	const other = "Retrieve(query='x', limit=5)"
	tests := []struct{ name, reply, want string }{
		{"words after a label", "[Action]: Answer(answer=1)\nNo further steps are needed.", "Answer(answer=1)"},
		{"words on the line of a label", "[Action]: Answer(answer=1) as the table says.", "Answer(answer=1)"},
		{"words after a fence", "```python\nAnswer(answer=1)\n```\nПоэтому ответ 1.", "Answer(answer=1)"},
		{"words after markup", "<tool_call>{\"name\": \"Answer\", \"arguments\": {\"answer\": 1}}</tool_call>\nFertig.", "Answer(answer=1)"},
		{"taken back in Hungarian", "[Action]: Answer(answer=1)\nVárj, ezt még ellenőrizni kell.\n[Action]: Retrieve(query=\"x\")", other},
		{"taken back in Vietnamese, in a fence", "```\nAnswer(answer=1)\n```\nKhoan đã.\n```\nRetrieve(query=\"x\")\n```", other},
		{"one step later", "[Thought]: a\n[Action]: Answer(answer=1)\n[Thought]: b\n[Action]: Retrieve(query=\"x\")", other},
		{"followed by a result", "[Action]: Answer(answer=1)\n[Observation]: Correct!", ""},
		{"followed by another turn", "[Action]: Answer(answer=1)<|im_end|>\n<|im_start|>user\nThanks.", ""},
		{"after a label without a call, and a table", "[Action]: look it up\n\n| a |\n|---|\n| 1 |\n\n[Action]: Answer(answer=1)", ""},
		{"said twice", "[Action]: Answer(answer=1)\n\nThat is:\n[Action]: Answer(answer=1)", "Answer(answer=1)"},
		{"two answers", "[Action]: Answer(answer=1)\n[Action]: Answer(answer=2)", ""},
		{"bare, alone", "So it must be this.\nAnswer(answer=1)", "Answer(answer=1)"},
		{"bare, with end tokens", "Answer(answer=1)<|eot_id|>\n```\n", "Answer(answer=1)"},
		{"bare, with words", "Answer(answer=1)\nAber das ist noch nicht sicher.", ""},
		{"in a sentence behind a label", "[Action]: I could give Answer(answer=1) soon.", ""},
		{"behind a label within a line, with words", "[Thought]: I end with [Action]: Answer(answer=1) when I am sure.", ""},
		{"in quotation marks", "[Action]: \"Answer(answer=1)\"", ""},
		{"under a condition", "```python\nif found:\n    Answer(answer=1)\n```", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ran(tt.reply, "", "stop"); got != tt.want {
				t.Errorf("%q runs %q, want %q", tt.reply, got, tt.want)
			}
		})
	}
}

// A name with a prefix or in another letter case is the tool if exactly one fits.
func TestToolNames(t *testing.T) {
	for name, want := range map[string]bool{
		"Retrieve": true, "functions.Retrieve": true, "proxy_Retrieve": true, "retrieve": true, "RETRIEVE": true, "mcp__airqa__Retrieve": true,
		"Retrieve<|channel|>commentary": true, "Retriever": false, "MyRetrieve": false, "Retrieve_or_Query": false, "search": false, "": false,
	} {
		a, bad := grammar().ReadCall(qa.ToolCall{Name: name, Arguments: []byte(`{"query": "x"}`)})
		if (a != nil) != want {
			t.Errorf("%s as a native call: %+v, %+v", name, a, bad)
		}
		if strings.ContainsAny(name, "<|") || name == "" {
			continue
		}
		if got := ran("[Action]: "+name+"(query=\"x\")", action.Python, "stop"); (got != "") != want {
			t.Errorf("%s in text runs %q", name, got)
		}
	}
}
