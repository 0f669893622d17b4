package extractor

import (
	"encoding/json"
	"fmt"
	"strings"

	"airqa/extractor/candidate"
	"airqa/qa/dataset"
)

// PreviewText prints the candidates of a synthesis: question, answer format and evaluator of an accepted one, the draft and
// the reason of another.
func PreviewText(dir string) (string, error) {
	var b strings.Builder
	drafts := make(map[string]candidate.Draft)
	for line, err := range candidate.Lines(dir) {
		if err != nil {
			return b.String(), err
		}
		draft := drafts[line.Candidate]
		switch line.Stage {
		case candidate.Explore:
			if json.Unmarshal(line.Data, &draft) == nil {
				drafts[line.Candidate] = draft
			}
			continue
		case candidate.Accept:
		default:
			continue
		}
		_, _ = fmt.Fprintf(&b, "%s: %s", line.Candidate, line.Outcome)
		if line.Reason != "" {
			_, _ = fmt.Fprintf(&b, " (%s) %s", line.Reason, line.Detail)
		}
		b.WriteString("\n")
		if ex, _, ok := dataset.Decode(line.Data); ok {
			_, _ = fmt.Fprintf(&b, "  %s\n  %s\n  %s %s\n", ex.Question, ex.AnswerFormat, ex.Evaluator.Func, ex.Evaluator.Kwargs)
		} else if draft.Question != "" {
			_, _ = fmt.Fprintf(&b, "  %s\n  %s\n", draft.Question, draft.Answer)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}
