package dataset

import (
	"strings"
	"unicode"
)

// meanings are the fields of question files under the names that other files have for them, as letters and digits in
// lower case. "papers" and "references" are names of papers or their UUIDs; "answers" are alternatives.
var meanings = func() map[string]string {
	names := make(map[string]string)
	for field, list := range map[string]string{
		"question":        "question questions query prompt q questiontext userinput",
		"answer":          "answer a gold goldanswer goldenanswer goldstandard goldlabel expected expectedanswer expectedoutput groundtruth groundtruthanswer truth target referenceanswer correctanswer rightanswer trueanswer correct solution",
		"answers":         "answers goldanswers goldenanswers groundtruths correctanswers referenceanswers acceptableanswers",
		"uuid":            "uuid id qid questionid questionuuid",
		"type":            "type answertype",
		"papers":          "papers paper paperid paperids papertitle papertitles papername paperuuid pdf pdfs pdfid pdfname pdffile anchorpdf anchorpdfs file files filename filenames document documents documentid documentname doc docs docid",
		"references":      "references reference referencepdf referencepdfs referencepaper referencepapers",
		"answer_format":   "answerformat format outputformat",
		"tags":            "tags tag",
		"conference":      "conference conferences venue venues",
		"evaluator":       "evaluator",
		"eval_func":       "evalfunc evalfunction",
		"eval_kwargs":     "evalkwargs",
		"reasoning_steps": "reasoningsteps",
		"annotator":       "annotator",
		"state":           "state",
	} {
		for name := range strings.FieldsSeq(list) {
			names[name] = field
		}
	}
	return names
}()

// Field returns the field that a name of a field or column stands for, whatever its case, spaces and punctuation; "" for
// a name without a meaning.
func Field(name string) string {
	name = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), "(s)")
	return meanings[strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)]
}

// Fields lists the fields of tables of questions, for messages.
const Fields = "question, answer, answers, type, papers, references, tags, answer_format, conference, id, eval_func, eval_kwargs"
