package llm_test

import (
	"testing"

	"airqa/llm"
	"airqa/qa"
)

func TestForecast(t *testing.T) {
	forecast := llm.Forecast(500)
	short := forecast(qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "one two three"}}})
	if short.Prompt < 3 || short.Prompt > 20 || short.Completion != 500 || !short.Estimated {
		t.Errorf("forecast %+v", short)
	}
	withTool := forecast(qa.Request{
		Messages: []qa.Message{{Role: qa.User, Text: "one two three"}},
		Tools:    []qa.ToolSpec{{Name: "Query", Description: "Run a query.", Parameters: []byte(`{"type":"object"}`)}},
	})
	if withTool.Prompt <= short.Prompt {
		t.Errorf("%d tokens with a tool, %d without", withTool.Prompt, short.Prompt)
	}
	withImage := forecast(qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "one two three", Images: []qa.Image{{Width: 512, Height: 512}}}}})
	if withImage.Prompt != short.Prompt+255 {
		t.Errorf("%d tokens with an image of one tile, %d without", withImage.Prompt, short.Prompt)
	}
}
