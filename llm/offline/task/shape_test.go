package task_test

import (
	"testing"

	"airqa/llm/offline/task"

	"github.com/google/go-cmp/cmp"
)

func TestReadShape(t *testing.T) {
	text, integer, float := task.Shape{Decimals: -1}, task.Shape{Class: task.AsInteger, Decimals: -1}, task.Shape{Class: task.AsFloat, Decimals: -1}
	tests := []struct {
		name, format string
		want         task.Shape
	}{
		{"decimals as a word", "a float rounded to two decimal places", task.Shape{Class: task.AsFloat, Decimals: 2}},
		{"uuid", "a single string of a paper_uuid", task.Shape{Class: task.AsUUID, Decimals: -1}},
		{"list", "a Python list of 2 elements. The first one is an integer. The second one is a float.", task.Shape{Class: task.AsList, Count: 2, Decimals: -1, Parts: []task.Shape{integer, float}}},
		{"kind of the whole", "a list of two numbers, an integer and a float", task.Shape{Class: task.AsList, Count: 2, Decimals: -1, Parts: []task.Shape{integer, float}}},
		{"one part in two words", "a list of two elements, the number of seeds as an integer and the name as a string", task.Shape{Class: task.AsList, Count: 2, Decimals: -1, Parts: []task.Shape{integer, text}}},
		{"keys", `a dictionary with the keys "MRR" and "F1"`, task.Shape{Class: task.AsDict, Decimals: -1, Keys: []string{"MRR", "F1"}}},
		{"keys of an example", `a dictionary, e.g., {"a b": 1, "c": ["x"]}`, task.Shape{Class: task.AsDict, Decimals: -1, Keys: []string{"a b", "c"}}},
		{"list with a dictionary", "a list of 2 elements, a dictionary and a string", task.Shape{Class: task.AsList, Count: 2, Decimals: -1, Parts: []task.Shape{text}}},
		{"no dictionary", "a list of verdicts", task.Shape{Class: task.AsList, Decimals: -1}},
		{"sentences", "two or three sentences", task.Shape{Class: task.AsProse, Count: 3, Decimals: -1}},
		{"word", "a single word", task.Shape{Word: true, Decimals: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := task.ReadShape(tt.format)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("shape (-want +got):\n%s", diff)
			}
		})
	}
}
