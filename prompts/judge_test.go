package prompts_test

import (
	"strings"
	"testing"

	"airqa/prompts"
)

// texts are the prompts with the names that each needs.
var texts = map[string][]string{
	"reference":            {"question", "reference", "mark", "fence", "prediction"},
	"candidates":           {"question", "number", "candidates", "mark", "fence", "prediction"},
	"points":               {"question", "number", "points", "order", "mark", "fence", "prediction"},
	"partial_points":       {"question", "number", "points", "count", "enough", "mark", "fence", "prediction"},
	"reference_and_points": {"question", "reference", "number", "points", "order", "mark", "fence", "prediction"},
	"formulas":             {"question", "what", "formulas", "order", "mark", "fence", "prediction"},
}

func dataFor(names []string) prompts.Data {
	data := prompts.Data{}
	for _, name := range names {
		data[name] = "<" + name + ">"
	}
	return data
}

func TestJudge(t *testing.T) {
	for text, names := range texts {
		t.Run(text, func(t *testing.T) {
			system, user, err := prompts.Set{}.Judge(text, dataFor(names))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if !strings.Contains(system+user, "<"+name+">") {
					t.Errorf("%s is not used", name)
				}
			}
			if strings.Contains(system, "<prediction>") || strings.Contains(system, "<question>") {
				t.Error("the fields stand among the rules")
			}
			if !strings.Contains(system, "```<fence>\nTrue/False\n```") {
				t.Error("the form of the verdict is not shown")
			}
			for _, field := range []string{"[Question]:\n<question>", "[Predicted Answer]:\n<mark>\n<prediction>\n<mark>"} {
				if !strings.Contains(user, field) {
					t.Errorf("no field %q in:\n%s", field, user)
				}
			}
		})
	}
}

func TestJudgeMissingName(t *testing.T) {
	for text, names := range texts {
		for _, name := range names {
			data := dataFor(names)
			delete(data, name)
			if _, _, err := prompts.Of(nil).Judge(text, data); err == nil {
				t.Errorf("%s renders without %s", text, name)
			}
		}
	}
}

func TestJudgeUnknown(t *testing.T) {
	_, _, err := prompts.Set{}.Judge("taste", nil)
	if err == nil || err.Error() != "prompt judge_taste: no such prompt" {
		t.Errorf("error %v", err)
	}
}

// TestRenderValues checks that values neither move the cut between the messages nor are taken for templates.
func TestJudgeValues(t *testing.T) {
	data := dataFor(texts["reference"])
	data["mark"], data["question"] = "a\n\nb", "{{.mark}}\n\n{{range}}"
	system, user, err := prompts.Set{}.Judge("reference", data)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(user, "[Question]:\n{{.mark}}\n\n{{range}}\n") || !strings.Contains(system, "a\n\nb") {
		t.Errorf("system:\n%s\nuser:\n%s", system, user)
	}
}
