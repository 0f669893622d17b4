package candidate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/candidate"
)

func TestFields(t *testing.T) {
	want := map[string]string{"question": "How many?", "answer_format": "an integer"}
	tests := []struct {
		name, text string
		want       map[string]string
		err        string
	}{
		{"as asked", "[Thought]: hm\n```txt\n[Question]: How many?\n[Answer Format]: an integer\n```", want, ""},
		{"emphasis", "```\n**Question:** How many?\n**[answer_format]**: an integer\n```", want, ""},
		{"no block", "[question]: How many?\n[answer_format]: an integer", want, ""},
		{"thinking with a block", "<think>\n```txt\n[Question]: Draft?\n[Answer Format]: none\n```\n</think>\n```txt\n[Question]: How many?\n[Answer Format]: an integer\n```", want, ""},
		{"a draft first", "```txt\n[Question]: Draft?\n[Answer Format]: x\n```\nBetter:\n```txt\n[Question]: How many?\n[Answer Format]: an integer\n```", want, ""},
		{"Windows lines", "```txt\r\n[Question]: How many?\r\n[Answer Format]: an integer\r\n```", want, ""},
		{"several lines", "```\n[Question]:\nHow\nmany: all?\n[Answer Format]: an integer\n```", map[string]string{"question": "How\nmany: all?", "answer_format": "an integer"}, ""},
		{"nothing", "I cannot.", nil, "no block"},
		{"empty", "", nil, "no block"},
		{"a field is missing", "```\n[Question]: How many?\n```", nil, "[answer_format]"},
		{"a field is empty", "```\n[Question]:\n[Answer Format]: x\n```", nil, "[question]"},
		{"a field twice", "```\n[Question]: a\n[Question]: b\n[Answer Format]: x\n```", nil, "twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := candidate.Fields(tt.text, "question", "answer_format")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}

func FuzzFields(f *testing.F) {
	f.Add("```txt\n[Question]: How many?\n[Answer]: 3\n```")
	f.Add("<think>\n[Question]: [Answer]:\n```")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := candidate.Fields(text, "question", "answer")
		if err == nil && (got["question"] == "" || got["answer"] == "") {
			t.Errorf("empty fields without an error: %q", got)
		}
	})
}
