package baselines

import (
	"strings"

	"airqa/prompts"
	"airqa/qa"
)

// task renders the question as the model sees it. With ids, the papers that the question names are listed by uuid,
// for the baselines that can look them up. Supporting papers are not told.
func task(ex qa.Example, ids bool) string {
	data := prompts.Data{"question": ex.Question, "format": ex.AnswerFormat, "papers": "", "conference": ""}
	if ids && len(ex.AnchorPDF) > 0 {
		data["papers"] = "\n" + named("Anchor PDF", quote(ex.AnchorPDF))
	}
	if len(ex.Conference) > 0 {
		data["conference"] = "\n" + named("Conference", ex.Conference)
	}
	text, err := prompts.Render("task", data)
	if err != nil {
		// The text and its names are compiled in; TestTask renders it.
		panic(err)
	}
	return text
}

// named writes one value plainly and several as a Python list.
func named(label string, values []string) string {
	if len(values) == 1 {
		return "[" + label + "]: " + values[0]
	}
	return "[" + label + "s]: [" + strings.Join(values, ", ") + "]"
}

func quote(ids []string) []string {
	quoted := make([]string, len(ids))
	for i, id := range ids {
		quoted[i] = "'" + id + "'"
	}
	return quoted
}
