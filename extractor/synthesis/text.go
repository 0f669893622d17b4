package synthesis

import (
	"encoding/json"
	"fmt"
	"strings"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/qa/dataset"
)

// Text prints the result of an invocation for a terminal width; 0 means any. It is empty if there is none.
func (r Result) Text(f Making, width int) string {
	if r.Estimate != nil {
		return r.Estimate.Text(width)
	}
	if r.Candidates == 0 {
		return ""
	}
	yields, err := extractor.ReadYields(f.Out)
	if err != nil {
		return ""
	}
	text := yields.Text(width)
	if f.Preview > 0 {
		text = preview(f.Out) + "\n" + text
	}
	return text
}

// preview prints the candidates of a preview: question, answer format and gold, or why there is none.
func preview(dir string) string {
	var b strings.Builder
	drafts := make(map[string]candidate.Draft)
	for line, err := range candidate.Lines(dir) {
		if err != nil {
			break
		}
		switch line.Stage {
		case candidate.Explore:
			var d candidate.Draft
			if json.Unmarshal(line.Data, &d) == nil {
				drafts[line.Candidate] = d
			}
		case candidate.Accept:
			_, _ = fmt.Fprintf(&b, "%s: %s", line.Candidate, line.Outcome)
			if line.Reason != "" {
				_, _ = fmt.Fprintf(&b, " (%s) %s", line.Reason, line.Detail)
			}
			b.WriteString("\n" + textOf(line, drafts[line.Candidate]) + "\n")
		}
	}
	return b.String()
}

// textOf prints the row of an accepted candidate, or the draft of another one.
func textOf(line candidate.Line, d candidate.Draft) string {
	switch {
	case line.Data != nil:
		return rowText(line.Data) + "\n"
	case d.Question != "":
		return "  " + d.Question + "\n  " + d.Answer + "\n"
	}
	return ""
}

// rowText prints a row for a reader.
func rowText(raw []byte) string {
	ex, _, ok := dataset.Decode(raw)
	if !ok {
		return ""
	}
	return fmt.Sprintf("  %s\n  %s\n  %s %s", ex.Question, ex.AnswerFormat, ex.Evaluator.Func, ex.Evaluator.Kwargs)
}
