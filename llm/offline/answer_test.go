package offline_test

import (
	"testing"

	"airqa/agent/action"

	"github.com/google/go-cmp/cmp"
)

func TestAnswers(t *testing.T) {
	const text = "Otter has 12 layers and 3.5 million weights. We train it for 40 epochs with a learning rate of 2 × 10−5. " +
		"No layer of Otter is shared. The passages stem from the river logs of Port Ellery and the tide tables of Kestrel Bay. " +
		"We call this fault backwash. It occurs because the gauge is read too late."
	const rows = `{"table_caption": "Table 1: Rivers.", "table_content": "<table><tr><th>River</th><th>Depth</th><th>Speed</th></tr>` +
		`<tr><td>Wey</td><td>4.1</td><td>0.7</td></tr><tr><td>Ouse</td><td>5.2</td><td>0.3</td></tr></table>", "paper_id": "x", "page_number": 1}` + "\n(1 row)"
	tests := []struct{ name, question, format, context, want string }{
		{"integer", "How many layers does Otter have?", "Your answer should be a Python integer.", text, "12"},
		{"float", "How many million weights does Otter have?", "Your answer should be a Python float rounded to 1 decimal place.", text, "3.5"},
		{"row of a table", "What is the depth of the Wey?", "Your answer should be a Python float rounded to 1 decimal place.", rows, "4.1"},
		{"negated", "Is any layer of Otter shared?", "Your answer should be a Python boolean, True or False.", text, "False"},
		{"text", "Which place keeps river logs?", "Your answer should be a single string.", text, "The passages stem from the river logs of Port Ellery and the tide tables of Kestrel Bay."},
		{
			"two statements", "Which number completes the statement “Otter has ___ layers”? And which one completes “We train it for ___ epochs”?",
			"Your answer should be a Python list of two numbers.", text, "[12, 40]",
		},
		{"why", "Why does the fault occur?", "Your answer should be one sentence.", text, "It occurs because the gauge is read too late."},
		{
			"title", "Which paper measures tides?", "Your answer should be the title of the paper only.",
			"[Title]: Otter: Measuring Tides\n[Abstract]: We measure tides.", "Otter: Measuring Tides",
		},
		{
			"title from a passage", "Which paper measures tides?", "Your answer should be the title of the paper only.",
			`{"text": "Otter: Measuring Tides\nJane Doe\nWe measure tides.", "pdf_id": "x", "page_number": 1}`, "Otter: Measuring Tides",
		},
		{"formula", "How is the tide defined?", "Your answer should be a single formula in LaTeX format.", `{"equation_content": "$$ t = a + d \\tag{1} $$"}`, `t = a + d \tag{1}`},
		{"guessed integer", "How many layers does Otter have?", "Your answer should be a Python integer.", "", "2"},
		{"guessed list", "Which two rivers?", "Your answer should be a Python list of two floats.", "none, because the question names no paper.", "[0.5, 0.5]"},
		{"guess after an error", "What is Otter?", "a name", "[Error]: no such column", "otter"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := action.LastBlock(say(t, plain(t, task(tt.question, tt.format), tt.context)))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}
