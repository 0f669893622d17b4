package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"airqa/internal/fuzzy"
	"airqa/internal/python"
)

// text compares two values as texts: by similarity if a threshold is set, otherwise for equality.
func (m matching) text(t *Comparison, prediction, gold python.Value) (outcome, error) {
	sign, ordered, err := compare(0, m.threshold)
	switch {
	case err != nil:
		return outcome{}, err
	case ordered && sign < 0:
		return m.fuzzy(t, prediction, gold)
	}
	return m.exact(t, prediction, gold)
}

func (m matching) exact(t *Comparison, prediction, gold python.Value) (outcome, error) {
	return m.anyReading(t, prediction, gold, matching.same)
}

func (m matching) fuzzy(t *Comparison, prediction, gold python.Value) (outcome, error) {
	return m.anyReading(t, prediction, gold, matching.alike)
}

// anyReading compares the values as given and, in [Fixed], in their alternative readings until one comparison passes. A
// gold that is a list of one text matches the text and a list of it. true, false and null match in Python's and JSON's
// spelling.
func (m matching) anyReading(t *Comparison, prediction, gold python.Value, compare comparison) (outcome, error) {
	o, err := compare(m, t, prediction, gold)
	if err != nil || o.pass || m.mode != Fixed {
		return o, err
	}
	var pairs [][2]python.Value
	if one, ok := onlyText(gold); ok {
		pairs = append(pairs, [2]python.Value{prediction, one})
		if said, read := listOf(prediction, Fixed); read && len(said) == 1 {
			pairs = append(pairs, [2]python.Value{said[0], one})
		}
	}
	if s, ok := jsonConstant(prediction); ok {
		pairs = append(pairs, [2]python.Value{s, gold})
	}
	if s, ok := jsonConstant(gold); ok {
		pairs = append(pairs, [2]python.Value{prediction, s})
	}
	for _, pair := range pairs {
		if o, err := compare(m, nil, pair[0], pair[1]); err != nil || o.pass {
			return compare(m, t, pair[0], pair[1]) // again, recording the comparison
		}
	}
	return o, nil
}

// onlyText returns the text of a one-element list.
func onlyText(v python.Value) (string, bool) {
	if items, ok := v.(python.List); ok && len(items) == 1 {
		s, ok := items[0].(string)
		return s, ok
	}
	return "", false
}

// jsonConstant returns JSON's spelling of a truth value or null.
func jsonConstant(v python.Value) (string, bool) {
	switch x := v.(type) {
	case nil:
		return "null", true
	case bool:
		return strconv.FormatBool(x), true
	}
	return "", false
}

// same reports whether two values print the same, ignoring surrounding whitespace, and all whitespace and case as the
// options specify.
func (m matching) same(t *Comparison, prediction, gold python.Value) (outcome, error) {
	said, wanted := m.form(prediction, false), m.form(gold, false)
	form := ""
	if m.ignoreBlank {
		form += ", without whitespace"
	}
	if m.lowercase {
		form += ", in lower case"
	}
	t.rulef("text %s %s %s%s", repr{said}, relation(said == wanted), repr{wanted}, form)
	return passed(said == wanted), nil
}

// form is a value as it is compared as a text. Where whitespace is ignored, words keeps a space between words.
func (m matching) form(v python.Value, words bool) string {
	s := python.Strip(python.Str(v))
	switch {
	case m.ignoreBlank && words:
		s = python.CollapseSpace(s, " ")
	case m.ignoreBlank:
		s = python.RemoveSpace(s)
	}
	if m.lowercase {
		s = python.Lower(s)
	}
	return s
}

// partMethods score a text by a part of the other. On their own they accept one letter for any gold that contains it.
var partMethods = []string{
	"partial_ratio", "partial_token_sort_ratio", "token_set_ratio", "partial_token_set_ratio", "WRatio", "UWRatio",
}

// alike reports whether the similarity of two printed values reaches the threshold. [Fixed] also bounds the length for a
// method that matches parts.
func (m matching) alike(t *Comparison, prediction, gold python.Value) (outcome, error) {
	name, ok := m.method.(string)
	if !ok {
		return outcome{}, raise("the fuzz_method is a %s", python.Type(m.method))
	}
	score := fuzzy.ByName(name)
	if score == nil {
		return outcome{}, raise("there is no fuzz_method %q", name)
	}
	words := name == "token_sort_ratio" || name == "token_set_ratio"
	a, b := m.form(prediction, words), m.form(gold, words)
	if m.mode == Fixed && slices.Contains(partMethods, name) {
		if problem := unlikeLength(a, b); problem != "" {
			t.rulef("the answer has %s", problem)
			return outcome{}, nil
		}
	}
	if t == nil && len(a) > longText {
		if possible, err := atLeast(fuzzy.LimitOf(name, a, b), m.threshold); err != nil || !possible {
			return outcome{}, err
		}
	}
	return m.reaches(t, score(a, b))
}

// longText is the size in bytes from which it pays to look for an upper bound of a score first.
const longText = 4 << 10

// mostLengths is the maximum length of an answer, in lengths of the gold. Right answers on the released questions, which
// ask for the bare value, have at most 2.5 ("BERT-Large" for "BERT"); four candidates of similar length exceed it. There is
// no absolute allowance for a sentence around a short gold, because a list of short candidates is as long.
const mostLengths = 3

// unlikeLength returns what is wrong with the length of an answer of which a part is compared, or "".
func unlikeLength(said, gold string) string {
	switch {
	case utf8.RuneCountInString(said) > mostLengths*utf8.RuneCountInString(gold):
		return fmt.Sprintf("more than %d times the gold's length", mostLengths)
	case 2*wordLetters(said) < wordLetters(gold):
		return "less than half of the gold's letters"
	}
	return ""
}

// wordLetters is the total length of the distinct words of a text. Set comparisons ignore repeated words as well.
func wordLetters(s string) int {
	words := python.Fields(python.Lower(s))
	slices.Sort(words)
	return utf8.RuneCountInString(strings.Join(slices.Compact(words), ""))
}

// reaches compares a score with the threshold.
func (m matching) reaches(t *Comparison, score int) (outcome, error) {
	enough, err := atLeast(score, m.threshold)
	sign := "<"
	if enough {
		sign = "≥"
	}
	t.rulef("fuzzy %s %d %s %s", m.method, score, sign, repr{m.threshold})
	return passed(enough), err
}

// title reports whether a text is the title of a paper, or one of several, ignoring case and a few characters. In
// [Fixed] it may be in quotes, or in a list of one text.
func (m matching) title(t *Comparison, prediction, gold python.Value) (outcome, error) {
	titles, isList := gold.(python.List)
	if _, isText := gold.(string); isText {
		titles = python.List{gold}
	} else if !isList {
		return outcome{}, nil
	}
	said, ok := prediction.(string)
	if m.mode == Fixed {
		if !ok {
			said, ok = onlyText(prediction)
		}
		if !ok {
			return unread("the answer is not a title"), nil
		}
		said = python.Strip(undelimited(python.Strip(said), quotes))
	}
	if !ok {
		return outcome{}, raise("a title of type %s has no lower case", python.Type(prediction))
	}
	return m.anyTitle(t, python.Lower(said), titles)
}

func (m matching) anyTitle(t *Comparison, said string, titles []python.Value) (outcome, error) {
	m.method = defaultMethod
	closest := -1
	for _, v := range titles {
		title, ok := v.(string)
		if !ok {
			return outcome{}, raise("a reference title of type %s has no lower case", python.Type(v))
		}
		title = python.Lower(title)
		possible, err := atLeast(fuzzy.Limit(said, title), m.threshold)
		if err != nil {
			return outcome{}, err
		}
		if !possible && t == nil {
			continue
		}
		score := fuzzy.Ratio(said, title)
		enough, _ := atLeast(score, m.threshold)
		if t != nil && score > closest {
			closest = score
			t.Said, t.Gold = python.Repr(said), python.Repr(v)
			_, _ = m.reaches(t, score)
			t.Rule += ", in lower case"
		}
		if enough {
			return passed(true), nil
		}
	}
	return outcome{}, nil
}
