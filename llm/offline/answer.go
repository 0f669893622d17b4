package offline

import (
	"encoding/json"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/qa"
)

// answer answers from everything seen so far, with a thought.
func (t *task) answer() (thought string, value python.Value) {
	if v, ok := t.stated(); ok {
		return "A text states exactly this.", v
	}
	if r := t.best(result, ""); r != nil && t.want.class == asInteger {
		return "The result is the answer.", int64(count(r.text))
	} else if r != nil {
		return "The result is the answer.", r.text
	}
	return "This is what the text closest to the question says.", t.solve(t.want)
}

// solve answers in the required shape. A list has an element per paper if the numbers match.
func (t *task) solve(want shape) python.Value {
	if want.class != asList {
		return t.nth(want, 0)
	}
	var list python.List
	used := make(map[class]int)
	for i := range want.count {
		part := want.part(i)
		if want.count == len(t.papers) {
			list = append(list, t.of(t.papers[i]).nth(part, 0))
		} else {
			list = append(list, t.nth(part, used[part.class]))
		}
		used[part.class]++
	}
	return list
}

// nth is candidate i for a shape, or a guess if there are too few.
func (t *task) nth(want shape, i int) python.Value {
	if list := t.candidates(want); i < len(list) {
		return list[i]
	}
	switch want.class {
	case asInteger:
		return int64(2)
	case asFloat:
		return 0.5
	case asBool:
		return true
	}
	return strings.Join(t.terms, " ")
}

// candidates are the possible answers of a shape, best first.
func (t *task) candidates(want shape) []python.Value {
	switch want.class {
	case asInteger, asFloat:
		return t.numbers(want)
	case asBool:
		return t.truth()
	case asTitle, asUUID:
		return t.titles(want.class == asUUID)
	case asFormula:
		if it := t.best(equation, ""); it != nil {
			return []python.Value{mathMarks.ReplaceAllString(strings.TrimSpace(it.text), "")}
		}
	case asProse:
		return t.prose(max(want.count, 1))
	}
	return t.short()
}

// titles has the best paper. Passages alone yield the first line of a first page.
func (t *task) titles(uuid bool) []python.Value {
	if best := t.best(paper, ""); best != nil && !uuid {
		return []python.Value{best.label}
	}
	for _, it := range t.items {
		if line, _, _ := strings.Cut(it.text, "\n"); !uuid && it.page == 1 {
			return []python.Value{line}
		} else if uuid && it.paper != "" {
			return []python.Value{it.paper}
		}
	}
	return nil
}

var (
	mathMarks     = lazyregexp.New(`^[\s$]+|[\s$]+$|\\tag\{[^}]*\}`)
	calledPattern = lazyregexp.New(`\b(?:call(?:ed)?|named?|termed|known as) (?:(?:it|this|these|such|that) (?:\w+ )?)?(?:the |an? )?[“"]?([\p{L}][\p{L}\p{N}-]*)`)
	negation      = lazyregexp.New(`(?i)\b(?:no|not|never|none|nor|without|cannot)\b|n[’']t\b`)
)

// short are captions if one is asked for, and names otherwise.
func (t *task) short() []python.Value {
	it := t.best(t.place(), objectPattern.FindString(t.question))
	if it != nil && strings.Contains(t.question, "caption") {
		return []python.Value{captionLabel.ReplaceAllString(it.label, "")}
	}
	for _, s := range t.sentences[:min(5, len(t.sentences))] {
		if m := calledPattern.FindStringSubmatch(s.text); m != nil && strings.Contains(t.question, "called") {
			return []python.Value{m[1]}
		}
	}
	return t.names()
}

// prose returns the n best sentences.
func (t *task) prose(n int) []python.Value {
	text := ""
	for _, s := range t.sentences[:min(n, len(t.sentences))] {
		text += s.text + " "
	}
	if text == "" {
		return nil
	}
	return []python.Value{strings.TrimSpace(text)}
}

// truth is false if the best sentence is a negation.
func (t *task) truth() []python.Value {
	if len(t.sentences) == 0 {
		return nil
	}
	yes := !negation.MatchString(t.sentences[0].text)
	if strings.Contains(t.wanted, "yes") {
		return []python.Value{map[bool]string{true: "yes", false: "no"}[yes]}
	}
	return []python.Value{yes}
}

// of is the task with only the items of the given papers, or with all if there are none.
func (t *task) of(papers ...string) *task {
	part := *t
	own := slices.DeleteFunc(slices.Clone(t.items), func(it item) bool { return !slices.Contains(papers, it.paper) })
	if len(own) > 0 {
		part.evidence = newEvidence(t.question, own)
	}
	return &part
}

// idPattern matches the id at the beginning of a passage or a document of a companion benchmark.
var idPattern = lazyregexp.New(`(?m)^(?:\[Title\]: )?\[([A-Za-z]?\d+)\] `)

// mostCited is the largest number of passages that an answer names.
const mostCited = 2

// cited returns the ids of what was seen, the closest to the question first.
func (t *task) cited() []string {
	var ids []string
	for _, s := range t.sentences {
		for _, it := range t.items {
			if m := idPattern.FindStringSubmatch(it.text); m != nil && strings.Contains(it.text, s.text) && !slices.Contains(ids, m[1]) {
				ids = append(ids, m[1])
			}
		}
	}
	return ids
}

// asksFor reads from a prompt what the answer consists of.
func asksFor(text string) qa.Kind {
	switch {
	case strings.Contains(text, "Answer(ranking"), strings.Contains(text, `"ranking":`), strings.Contains(text, "JSON list of the ids of the documents"):
		return qa.Rank
	case strings.Contains(text, "Answer(answer: Any, evidence"), strings.Contains(text, `"evidence":`):
		return qa.WithEvidence
	}
	return ""
}

// final are the arguments of the last call, for an answer.
func (t *task) final(value python.Value) map[string]any {
	switch t.kind {
	case qa.Rank:
		return map[string]any{"ranking": values(t.cited())}
	case qa.WithEvidence:
		ids := t.cited()
		return map[string]any{"answer": value, "evidence": values(ids[:min(mostCited, len(ids))])}
	default:
		return map[string]any{"answer": value}
	}
}

func values(ids []string) python.List {
	list := python.List{}
	for _, id := range ids {
		list = append(list, id)
	}
	return list
}

// written is the answer between fences.
func (t *task) written(value python.Value) python.Value {
	if t.kind == "" {
		return value
	}
	args := t.final(value)
	v := python.ToGo(args["ranking"])
	if t.kind != qa.Rank {
		v = map[string]any{"answer": python.Str(value), "evidence": python.ToGo(args["evidence"])}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return value
	}
	return string(text)
}
