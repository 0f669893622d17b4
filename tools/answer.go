package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"airqa/agent/action"
	"airqa/internal/python"
	"airqa/qa"
)

// Answer ends the episode: Answer(answer), with the evidence or the ranking that a kind of question asks for.
type Answer struct {
	Kind qa.Kind
	Texts
}

// AnswerName is the name of Answer.
const AnswerName = "Answer"

// Field is the argument that has the answer.
func (t Answer) Field() string {
	if t.Kind == qa.Rank {
		return "ranking"
	}
	return "answer"
}

// Spec describes Answer.
func (t Answer) Spec() action.Spec {
	answer := action.Param{Name: t.Field(), Kind: action.Any, Required: true}
	evidence := action.Param{Name: "evidence", Kind: action.Any, Default: []any{}}
	switch t.Kind {
	case qa.WithEvidence, qa.Dialogue:
		return action.Spec{Name: AnswerName, Text: t.of("answer_evidence"), Params: []action.Param{answer, evidence}}
	case qa.Rank:
		return action.Spec{Name: AnswerName, Text: t.of("answer_ranking"), Params: []action.Param{answer}}
	default:
		return action.Spec{Name: AnswerName, Text: t.of("answer"), Plain: t.of("answer_plain"), Params: []action.Param{answer}}
	}
}

// Call returns a final observation with the answer as Python would print it. An empty text or None is a mistake.
func (t Answer) Call(_ context.Context, a qa.Action) (qa.Observation, error) {
	final := qa.Answer{Given: true}
	if v, ok := action.Value(a, t.Field()); ok {
		text, isText := v.(string)
		visible := func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
		if v == nil || isText && !strings.ContainsFunc(text, visible) {
			return refuse("the answer is empty: give the value that the question asks for."), nil
		}
	}
	ranking, ranked := action.Value(a, "ranking")
	if ranked {
		final.Ranking = ids(ranking)
		final.Text = strings.Join(final.Ranking, ", ")
		return qa.Observation{Status: qa.StatusFinal, Answer: &final}, nil
	}
	v, ok := action.Value(a, "answer")
	if !ok {
		return refuse("the answer could not be read back."), nil
	}
	final.Text, final.Literal = python.Str(v), python.Repr(v)
	if kept, ok := action.LaTeXValue(a, "answer"); ok {
		final.LaTeX = python.Str(kept)
	}
	if evidence, ok := action.Value(a, "evidence"); ok {
		final.Evidence = ids(evidence)
	}
	return qa.Observation{Status: qa.StatusFinal, Answer: &final}, nil
}

// ReadAnswer reads the answer to a question of a kind from the text that a model was asked for: the answer itself, or an
// object with the keys answer and evidence, or a list of ids. A text of another form is an answer without evidence, or a
// list of its words.
func ReadAnswer(kind qa.Kind, text string) qa.Answer {
	final := qa.Answer{Given: true, Text: text}
	switch kind {
	case qa.WithEvidence, qa.Dialogue:
		var object struct {
			Answer   any      `json:"answer"`
			Evidence []string `json:"evidence"`
		}
		if json.Unmarshal([]byte(text), &object) == nil && object.Answer != nil {
			final.Text, final.Evidence = fmt.Sprint(object.Answer), trimmed(object.Evidence)
		}
	case qa.Rank:
		var list []any
		if json.Unmarshal([]byte(text), &list) == nil {
			for _, v := range list {
				final.Ranking = append(final.Ranking, fmt.Sprint(v))
			}
			final.Ranking = trimmed(final.Ranking)
		} else {
			final.Ranking = trimmed(strings.FieldsFunc(text, betweenIDs))
		}
		final.Text = strings.Join(final.Ranking, ", ")
	}
	return final
}

// ids returns the ids in a value: a list, or a text that separates them with commas or spaces.
func ids(v python.Value) []string {
	if text, isText := v.(string); isText {
		return trimmed(strings.FieldsFunc(text, betweenIDs))
	}
	list, ok := python.Elements(v)
	if !ok {
		list = python.List{v}
	}
	var texts []string
	for _, item := range list {
		texts = append(texts, python.Str(item))
	}
	return trimmed(texts)
}

func betweenIDs(r rune) bool { return r == ',' || unicode.IsSpace(r) }

// trimmed removes the brackets that passages show around their ids, and empty ids.
func trimmed(texts []string) []string {
	var list []string
	for _, text := range texts {
		if id := strings.Trim(strings.TrimSpace(text), "[]"); id != "" {
			list = append(list, id)
		}
	}
	return list
}
