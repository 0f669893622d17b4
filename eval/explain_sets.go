package eval

import (
	"fmt"

	"airqa/internal/fuzzy"
	"airqa/internal/pyliteral"
	"airqa/internal/pystr"
)

// members shows how one mode looks for elements among golds.
type members struct {
	comparer
	golds []pyliteral.Value
	kind  pyliteral.Value
}

// one is what scores an element, of the mode.
func (m members) one(prediction, gold pyliteral.Value) (outcome, error) {
	if m.fixed {
		return typedElements{typed: typed{m.matching}, kind: m.kind}.one(prediction, gold)
	}
	return elementMatcher{matching: m.matching, kind: m.kind}.one(prediction, gold)
}

func (m members) included(prediction pyliteral.Value) (outcome, error) {
	if m.fixed {
		return typedElements{typed: typed{m.matching}, gold: m.golds, kind: m.kind}.included(prediction)
	}
	return elementMatcher{matching: m.matching, gold: pyliteral.List(m.golds), kind: m.kind}.included(prediction)
}

// sets explains the three functions about elements.
func (x explainer) sets(path string, t target, prediction pyliteral.Value) Comparison {
	golds, _ := iterate(t.kwargs.get("gold", nil))
	m := members{
		comparer: comparer{t.kwargs.matching(int64(2), noThreshold), x.fixed()},
		golds:    golds, kind: t.kwargs.get("element_type", "str"),
	}
	if t.name == "eval_element_included" {
		return m.member(path, prediction)
	}
	said, read := x.list(prediction)
	c := Comparison{Gold: pyliteral.Repr(t.kwargs.get("gold", nil))}
	if read {
		c.Said = pyliteral.Repr(pyliteral.List(said))
	}
	for i, v := range said {
		c.Checks = append(c.Checks, m.member(fmt.Sprintf("%s[%d]", path, i), v))
	}
	if t.name == "eval_element_list_overlap" {
		c.Rule = m.overlapRule(said, t.kwargs.get("count", int64(1)))
		return c
	}
	c.Rule = fmt.Sprintf("each of the %d elements must be among the %d golds", len(said), len(golds))
	if len(said) == 0 && x.fixed() {
		c.Rule = "an empty list includes nothing"
	}
	return c
}

// member shows the gold that an element matches, or the one most like it.
func (m members) member(path string, said pyliteral.Value) Comparison {
	o, err := m.included(said)
	c := newCheck(path, said, o, err)
	if err != nil || len(m.golds) == 0 {
		if err == nil {
			c.Rule = "there is no gold"
		}
		return c
	}
	best := m.like(said)
	c.Gold = pyliteral.Repr(m.golds[best])
	c.Rule = m.oneRule(said, m.golds[best])
	if !c.Pass && len(m.golds) > 1 {
		c.Rule = fmt.Sprintf("none of %d golds; the most alike: %s", len(m.golds), c.Rule)
	}
	return c
}

// like returns the number of the first gold that an element matches, or of the most similar one.
func (m members) like(said pyliteral.Value) int {
	best, score := 0, -1
	for i, g := range m.golds {
		if o, err := m.one(said, g); err == nil && o.pass {
			return i
		}
		if s := fuzzy.Ratio(pyliteral.Str(said), pyliteral.Str(g)); s > score {
			best, score = i, s
		}
	}
	return best
}

func (m members) oneRule(said, gold pyliteral.Value) string {
	switch m.kind {
	case "str":
		return m.textRule(said, gold)
	case "int":
		return m.wholeRule(said, gold)
	case "float":
		return m.floatRule(said, gold)
	}
	return "structured: " + m.check("", said, gold).Rule
}

// overlapRule counts what matches as the mode counts it.
func (m members) overlapRule(said []pyliteral.Value, count pyliteral.Value) string {
	if m.fixed {
		a, err := assign(len(m.golds), len(said), len(m.golds), func(i, g int) (bool, error) {
			o, err := m.one(said[i], m.golds[g])
			return o.pass, err
		})
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%d golds are met by an element of their own, %s are needed", a.size, pyliteral.Repr(count))
	}
	spellings := make(map[string]bool)
	for _, v := range said {
		if o, err := m.included(v); err == nil && o.pass {
			spellings[pyliteral.Str(v)] = true
		}
	}
	return fmt.Sprintf("%d different spellings match a gold, %s are needed", len(spellings), pyliteral.Repr(count))
}

// titles shows the title most like an answer.
func (x explainer) titles(k kwargs, prediction pyliteral.Value) Comparison {
	titles, ok := k.titles()
	if !ok {
		return Comparison{Rule: "the reference_answer is neither a text nor a list"}
	}
	said, _ := prediction.(string)
	if x.fixed() {
		said, _ = titleIn(prediction)
	}
	best, score := "", -1
	for _, v := range titles {
		title, _ := v.(string)
		if n := fuzzy.Ratio(pystr.Lower(said), pystr.Lower(title)); n > score {
			best, score = title, n
		}
	}
	if score < 0 {
		return Comparison{Rule: "there is no reference title"}
	}
	rule := likeRule(defaultMethod, score, k.get("threshold", defaultThreshold)) + ", in lower case"
	return Comparison{Gold: pyliteral.Repr(best), Said: pyliteral.Repr(said), Rule: rule}
}
