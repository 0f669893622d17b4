package candidate

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
)

// Review is the stage of a reviewer's decision. A candidate has a line for each; the last one counts. Its Data is a
// [Reviewed].
const Review = "review"

// ByReviewer is the reason of a candidate that a reviewer rejected.
const ByReviewer Reason = "reviewer"

// Decision is what a reviewer decided about a row; empty means nothing yet.
type Decision string

// The decisions.
const (
	Keep Decision = "accept"
	// Fix replaces the row by an edited one, if that passes the gates.
	Fix    Decision = "fix"
	Reject Decision = "reject"
)

// Reviewed is a reviewer's decision about a candidate.
type Reviewed struct {
	Decision Decision  `json:"decision"`
	Reviewer string    `json:"reviewer"`
	Time     time.Time `json:"time"`
	Note     string    `json:"note,omitempty"`
	// Row is the hash of the texts that the reviewer saw, Base that of the tracker's. The decision is void if the tracker
	// has written other texts since.
	Row  string `json:"row"`
	Base string `json:"base"`
	// Texts replace the tracker's; nil if they are the same.
	Texts *Texts `json:"texts,omitempty"`
}

// Texts are what a reviewer sees of a row and can change.
type Texts struct {
	Question string `json:"question"`
	// Answer is the right answer as a respondent gives it; empty for a merged question.
	Answer       string       `json:"answer"`
	AnswerFormat string       `json:"answer_format"`
	Evaluator    qa.Evaluator `json:"evaluator"`
}

// Hash identifies texts. Whitespace around them, and in the evaluator's JSON, order of keys and escapes there are ignored;
// 3 and 3.0 differ.
func (t Texts) Hash() string {
	var kwargs any
	in := json.NewDecoder(bytes.NewReader(t.Evaluator.Kwargs))
	in.UseNumber()
	if in.Decode(&kwargs) != nil {
		kwargs = string(t.Evaluator.Kwargs)
	}
	raw, err := ledger.Encode([]any{
		strings.TrimSpace(t.Question), strings.TrimSpace(t.Answer), strings.TrimSpace(t.AnswerFormat), t.Evaluator.Func, kwargs,
	})
	if err != nil {
		return ""
	}
	return files.Hash(raw)[:16]
}
