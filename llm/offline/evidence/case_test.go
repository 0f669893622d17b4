package evidence_test

import (
	"testing"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/evidence"
	"airqa/llm/offline/task"
)

const (
	prose = "AnchorWeave is a retriever. The encoder has 12 layers. It is trained with a learning rate of 0.002 on 4 GPUs. The baseline does not use dropout."
	cells = "<table><tr><td>System</td><td>Recall</td></tr><tr><td>BM25</td><td>53.2</td></tr><tr><td>Weave</td><td>71.8</td></tr></table>"
)

func TestCase(t *testing.T) {
	tests := []struct {
		name, question string
		want           task.Shape
		item           task.Item
		find           func(*evidence.Case) pyliteral.Value
		answer         string
	}{
		{"number", "How many layers does the encoder have?", task.Shape{Class: task.AsInteger}, task.Item{Text: prose}, (*evidence.Case).Number, "12"},
		{"cell", "What is the recall of BM25?", task.Shape{Class: task.AsFloat, Decimals: 1}, task.Item{Kind: task.IsTable, Text: cells}, (*evidence.Case).Number, "53.2"},
		{"row of the highest", "Which system has the highest recall?", task.Shape{}, task.Item{Kind: task.IsTable, Text: cells}, (*evidence.Case).Text, "'Weave'"},
		{"negation", "Does the baseline use dropout?", task.Shape{Class: task.AsYesNo}, task.Item{Text: prose}, (*evidence.Case).Truth, "'No'"},
		{"nothing seen", "How many layers?", task.Shape{Class: task.AsInteger}, task.Item{}, (*evidence.Case).Number, "None"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			read := &task.Task{Question: tt.question, Want: tt.want, Items: []task.Item{tt.item}}
			got := pyliteral.Repr(tt.find(evidence.New(read, tt.question, tt.want, nil)))
			if got != tt.answer {
				t.Errorf("answer %s, want %s", got, tt.answer)
			}
		})
	}
}
