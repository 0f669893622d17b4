package export

import (
	"bytes"
	"encoding/json"
	"testing"

	"airqa/internal/testkit/golden"
	"airqa/qa"
	"airqa/train"
	"airqa/train/format"
	"airqa/train/preflight"
)

// pair is a row with its rejected side.
type pair struct {
	row     train.Row
	against *train.Row
}

// textRow is a row of the paper's protocol, with an image.
func textRow() *pair {
	image := qa.Image{SHA256: "00ff", MIME: "image/png", Width: 28, Height: 28, Data: []byte("png")}
	return &pair{row: train.Row{
		ID: "a1",
		Context: []qa.Message{
			{Role: qa.System, Text: "Answer.\nOne action a turn."},
			{Role: qa.User, Text: "[Question]: What is <image>?"},
			{Role: qa.Assistant, Text: "[Action]: View(paper_id='p', page_number=1)"},
			{Role: qa.User, Text: "[Observation]: page 1 \"of\" p", Images: []qa.Image{image, image}},
		},
		Target: qa.Message{Role: qa.Assistant, Text: "[Thought]: a tag.\n[Action]: Answer(answer='<|im_end|>')"},
	}, against: &train.Row{ID: "b1", Target: qa.Message{Role: qa.Assistant, Text: "[Action]: Answer(answer='no')"}}}
}

// nativeRow has native calls: with words and without, several at once, and arguments of every kind.
func nativeRow() *pair {
	call := func(id, name, args string) qa.ToolCall {
		return qa.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
	}
	return &pair{row: train.Row{
		ID: "a2",
		Context: []qa.Message{
			{Role: qa.System, Text: "Answer."},
			{Role: qa.User, Text: "[Question]: What?"},
			{Role: qa.Assistant, ToolCalls: []qa.ToolCall{call("1", "Query", `{"sql":"SELECT '<image>', 1"}`)}},
			{Role: qa.ToolResult, ToolCallID: "1", Text: "1 row"},
			{Role: qa.Assistant, Text: "Look twice.", ToolCalls: []qa.ToolCall{
				call("2", "View", `{"paper_id":"p","page_number":1,"bounding_box":[1,2.5,3,4]}`), call("3", "Retrieve", `{"query":"x","limit":"five","k":1}`),
			}},
			{Role: qa.ToolResult, ToolCallID: "2", Text: "page 1", Others: []qa.CallResult{{ID: "3", Text: qa.NotRunResult}}, Images: []qa.Image{{SHA256: "00ff", MIME: "image/png", Data: []byte("png")}}},
			{Role: qa.Assistant, ToolCalls: []qa.ToolCall{call("4", "Query", `"broken {{idx}}"`), call("5", "Query", `{}`)}},
			{Role: qa.ToolResult, ToolCallID: "4", Text: "[Error]", Others: []qa.CallResult{{ID: "5", Text: qa.NotRunResult}}},
		},
		Target: qa.Message{Role: qa.Assistant, ToolCalls: []qa.ToolCall{call("6", "Answer", `{"answer":[3,true]}`)}},
		Tools: []qa.ToolSpec{
			tool("Retrieve", `"query":{"type":"string"},"limit":{"type":"integer"}`), tool("Query", `"sql":{"type":"string"}`),
			tool("View", `"paper_id":{"type":"string"},"page_number":{"type":"integer"},"bounding_box":{"type":"array","items":{"type":"number"}}`),
			tool("Answer", `"answer":{"type":"string"}`),
		},
	}, against: &train.Row{ID: "b2", Target: qa.Message{Role: qa.Assistant, Text: "I do not know."}}}
}

func tool(name, properties string) qa.ToolSpec {
	return qa.ToolSpec{Name: name, Description: name + " <something>.", Parameters: json.RawMessage(`{"type":"object","properties":{` + properties + `}}`)}
}

// plainRow is a row of a baseline that asks once, in an export with tools and images.
func plainRow() *pair {
	return &pair{row: train.Row{
		ID: "a3", Context: []qa.Message{{Role: qa.User, Text: "What?"}}, Target: qa.Message{Role: qa.Assistant, Text: "42"},
	}, against: &train.Row{ID: "b3", Target: qa.Message{Role: qa.Assistant, Text: "43"}}}
}

// The lines of every format, as a person reads them.
func TestFormats(t *testing.T) {
	shapes := map[string]format.Rows{"text": {}, "all": {Tools: true, Images: true}}
	rows := map[string][]*pair{"text": {plainRow(), plainRow()}, "all": {textRow(), nativeRow(), plainRow()}}
	for _, f := range []Format{ShareGPT, OpenAI, TRL, DPO} {
		for name, s := range shapes {
			for _, enc := range encoders(f) {
				var b bytes.Buffer
				counts := texts{commands: preflight.NewSpecial(commands...), changed: make(map[string]int)}
				for _, p := range rows[name] {
					row := *p
					if f != DPO {
						row.against = nil
					}
					line := s.Append(nil, enc.form, counts.conversation(enc.form, &row.row, row.against))
					if err := json.Indent(&b, line, "", " "); err != nil {
						t.Fatalf("%s: %v in %s", f, err, line)
					}
					b.WriteByte('\n')
				}
				golden.Check(t, string(f)+"-"+enc.dir+"-"+name+".txt", b.String())
			}
		}
	}
}
