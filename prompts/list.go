package prompts

import (
	"slices"
	"strings"
)

// Prompt describes a text that a model is shown.
type Prompt struct {
	Name string
	// About is what it is for, Paper the section in which the authors' own text is printed; empty if none is.
	About, Paper string
	// Tool means that it describes a tool; the built-in text is in package tools.
	Tool bool
	// required are the placeholders without which the model would not see what it is asked about, separated by spaces;
	// one of several is enough if they are separated by bars.
	required string
	// also are placeholders that the built-in text does not have: names, and other=name for names that mean another.
	also string
}

// Sections of the papers with texts for models.
const (
	actions  = "AirQA, App. B and C.4 (Listings 4, 5)"
	explorer = "AirQA, App. E.1"
)

// judgeNames are the placeholders of the paper's judge, and the arguments of evaluators that others show.
const judgeNames = "reference_answer=reference candidate_reference_answers=candidates scoring_points=points predicted_answer=prediction"

// All lists the prompts by use: baselines, tools, judges, synthesis, enrichment, annotation.
func All() []Prompt {
	list := slices.Concat(answering(), judging(), synthesis())
	for _, p := range [][2]string{
		{"tldr", "the short version of a paper"},
		{"tags", "keywords of a paper"},
		{"page", "the summary of a page"},
		{"section", "the summary of a section"},
		{"table", "the description of a table"},
		{"image", "the description of a figure from its caption"},
		{"picture", "the description of a figure that the model sees"},
	} {
		list = append(list, Prompt{Name: "enrich_" + p[0], About: "airqa enrich: " + p[1], required: "text"})
	}
	return append(list,
		Prompt{
			Name: "annotate", About: "Anno-GPT: how far an abstract meets an aspect", Paper: "DORIS-MAE, App. B.3",
			required: "requirement abstract", also: "title aspect=requirement",
		},
		Prompt{Name: "annotate_again", About: "added after a reply without a verdict"},
	)
}

// answering lists the prompts of baselines and the texts of tools.
func answering() []Prompt {
	return []Prompt{
		{Name: "react", About: "system prompt of agents that write actions as text"},
		{Name: "native", About: "system prompt of agents with native tool calls"},
		{Name: "plain", About: "the request of baselines that ask once, and of gates", required: "task context"},
		{Name: "task", About: "the question as all baselines show it", required: "question"},
		{Name: "text2sql", About: "system prompt of text2sql, for one SQL statement", required: "schema"},
		{Name: "schema", About: "the database schema in prompts of agents", required: "schema"},
		{Name: examples, About: "few-shot examples for the prompts of baselines"},
		{Name: "hints_retrieve", About: "hints of agents with Retrieve"},
		{Name: "hints_query", About: "hints of text2sql and of agents with Query"},
		{Name: "hints_steps", About: "more hints of agents with Query"},
		{Name: "hints_hybrid", About: "hints of agents with Retrieve and Query"},
		{Name: "hints_view", About: "hints of agents with View"},
		{Name: "form_evidence", About: "answer format of questions with evidence"},
		{Name: "form_ranking", About: "answer format of rankings"},
		{Name: "ask_format", About: "answer format of airqa ask"},
		{Name: "retrieve", About: "the tool Retrieve", Paper: actions, Tool: true},
		{Name: "query", About: "the tool Query", Paper: actions, Tool: true},
		{Name: "query_plain", About: "the tool Query without Python syntax, and native", Paper: actions, Tool: true},
		{Name: "view", About: "the tool View", Paper: actions, Tool: true},
		{Name: "answer", About: "the tool Answer", Paper: actions, Tool: true},
		{Name: "answer_plain", About: "the tool Answer without Python syntax, and native", Paper: actions, Tool: true},
		{Name: "answer_evidence", About: "the tool Answer for questions with evidence", Tool: true},
		{Name: "answer_ranking", About: "the tool Answer for rankings", Tool: true},
	}
}

// judging lists the prompts of judges.
func judging() []Prompt {
	list := []Prompt{
		{Name: "reference", About: "a reference answer", Paper: "AirQA, App. A.3", required: "reference"},
		{Name: "candidates", About: "several reference answers", required: "candidates"},
		{Name: "points", About: "points to mention", required: "points"},
		{Name: "partial_points", About: "points of which some are enough", required: "points count|enough"},
		{Name: "reference_and_points", About: "a reference answer and points to mention", required: "reference points"},
		{Name: "formulas", About: "formulas", required: "formulas"},
	}
	for i := range list {
		p := &list[i]
		p.Name, p.About = judgePrefix+p.Name, "judge: "+p.About
		p.required, p.also = "question prediction "+p.required, judgeNames
	}
	return append(list, Prompt{Name: judgePrefix + "again", About: "judge: added after a reply without a verdict"})
}

// synthesis lists the prompts of explorer and tracker.
func synthesis() []Prompt {
	list := []Prompt{
		{
			Name: "synth_explore", About: "explorer: a question about a part of a paper", Paper: explorer, required: "context",
			also: "description=task hint=hints",
		},
		{
			Name: "synth_retrieval", About: "explorer: a question that asks for a paper", Paper: explorer, required: "context|abstract",
			also: "title abstract hint=hints",
		},
		{
			Name: "synth_track", About: "tracker: evaluator and answer format", Paper: "AirQA, App. E.2", required: "functions question answer",
			also: "evaluator=functions",
		},
		{Name: "synth_again", About: "explorer, tracker: added after a reply that cannot be used"},
	}
	for _, hint := range []string{
		"text", "sections", "table", "image", "caption", "formula", "metadata", "comprehensive", "named", "again",
	} {
		list = append(list, Prompt{Name: "synth_hint_" + hint, About: "explorer: hint for " + hint, Paper: explorer})
	}
	return list
}

// Find returns the prompt with a name.
func Find(name string) (Prompt, bool) {
	all := All()
	i := slices.IndexFunc(all, func(p Prompt) bool { return p.Name == name })
	if i < 0 {
		return Prompt{Name: name}, false
	}
	return all[i], true
}

// verbatim reports whether braces in the text have no meaning.
func (p Prompt) verbatim() bool { return p.Tool || p.Name == examples }

// Placeholders lists the names that a text of the prompt may have in braces: in the order of the built-in text, then others.
func (p Prompt) Placeholders() []string {
	if p.verbatim() {
		return nil
	}
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	text, _ := Set{}.Source(p.Name)
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		add(nameAt(text, m))
	}
	for word := range strings.FieldsSeq(p.also) {
		name, target, isAlias := strings.Cut(word, "=")
		if !isAlias || slices.Contains(names, target) {
			add(name)
		}
	}
	return names
}

// Required lists the placeholders that a text must have, each with those that do instead.
func (p Prompt) Required() [][]string {
	var list [][]string
	for word := range strings.FieldsSeq(p.required) {
		list = append(list, strings.Split(word, "|"))
	}
	return list
}

// target returns the placeholder that a name stands for.
func (p Prompt) target(name string) string {
	for word := range strings.FieldsSeq(p.also) {
		if other, target, _ := strings.Cut(word, "="); other == name && target != "" {
			return target
		}
	}
	return name
}
