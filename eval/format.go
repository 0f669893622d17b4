package eval

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

// maxLayers is the maximum number of layers that are removed from an answer.
const maxLayers = 10

// peelings are v, and then v with one more layer removed from each of its texts at each step.
func peelings(v python.Value) (forms []python.Value) {
	for n, changed := 0, true; changed && n <= maxLayers; n++ {
		forms = append(forms, v)
		v, changed = peeled(v)
	}
	return forms
}

// peeled removes one layer from each text in v; changed is false if there was none.
func peeled(v python.Value) (out python.Value, changed bool) {
	switch x := v.(type) {
	case string:
		for _, layer := range layers { // a layer whose removal would leave nothing stays
			if s := python.Strip(layer(x)); s != x && s != "" {
				return s, true
			}
		}
	case python.List, python.Tuple, python.Set:
		items, _ := python.Elements(x)
		list := make(python.List, len(items))
		for i, item := range items {
			var one bool
			list[i], one = peeled(item)
			changed = changed || one
		}
		return list, changed
	case *python.Dict:
		d := &python.Dict{}
		for k, item := range x.All() {
			inner, one := peeled(item)
			changed = changed || one
			d.Set(k, inner)
		}
		return d, changed
	}
	return v, false
}

// layers remove one kind of wrapping each. The order matters only where one hides another.
var layers = []func(string) string{
	python.Strip, plainCharacters, withoutFence, withoutLead,
	func(s string) string { return undelimited(s, brackets) },
	withoutEmphasis, withoutStop, withoutCommas,
}

// characters maps typographic characters to their keyboard equivalents.
var characters = strings.NewReplacer(
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2212", "-",
	"\u00a0", " ", "\u2007", " ", "\u2009", " ", "\u202f", " ", "\u200b", "", "\ufeff", "",
	"\u2018", "'", "\u2019", "'", "\u201c", `"`, "\u201d", `"`,
)

func plainCharacters(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return s
	}
	return norm.NFC.String(characters.Replace(s))
}

var fenced = lazyregexp.New("(?s)^(?:[^\n`]*:)?\\s*```[A-Za-z0-9_+-]*[ \t]*\n(.*)```$")

// withoutFence returns the content of a code fence if the text has only an introduction besides it.
func withoutFence(s string) string {
	if strings.Count(s, "```") != 2 {
		return s
	}
	if m := fenced.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return s
}

// leads match the start of a lead-in sentence around an answer.
var leads = lazyregexp.New(`(?i)^(?:(?:so|therefore|thus|hence|sure|ok|okay)[,!.]?\s+)*(?:` +
	`(?:(?:the|my|your)\s+)?(?:(?:final|correct|right|short)\s+)?answers?(?:\s+to\s+[^:.\n]{1,120}?)?\s*(?:\b(?:is|are|was|were|would be|should be)\b|[:=])\s*:?|` +
	`(?:it|this|that|these|those|they|there)(?:\s+(?:is|are|was|were)\b|['’]s\b)|` +
	`here(?:['’]s|\s+is|\s+are)\s+[^:\n]{1,80}:|` +
	`#{1,6}\s|[-*•>]\s)\s*`)

// withoutLead returns the answer without its lead-in sentence, heading mark or single bullet.
func withoutLead(s string) string {
	at := leads.FindStringIndex(s)
	if at == nil {
		return s
	}
	rest := s[at[1]:]
	if strings.HasPrefix(strings.ToLower(rest), "not ") || len(bullets(s)) > 1 {
		return s
	}
	return rest
}

// brackets are delimiters around a whole text, longer ones first.
var brackets = append([][2]string{
	{"**", "**"},
	{"__", "__"},
	{"$$", "$$"},
	{`\(`, `\)`},
	{`\[`, `\]`},
	{`\boxed{`, `}`},
	{`\text{`, `}`},
	{"*", "*"},
	{"_", "_"},
	{"$", "$"},
}, quotes...)

var emphasis = lazyregexp.New("\\*\\*([^*\n]+)\\*\\*|`([^`\n]+)`|\\$([^$\n]+)\\$|\\[([^][\n]+)\\]\\([^()\n]+\\)")

// withoutEmphasis removes Markdown and dollar signs inside a text: bold, code, mathematics, links.
func withoutEmphasis(s string) string {
	return emphasis.ReplaceAllString(s, "$1$2$3$4")
}

func withoutStop(s string) string {
	for _, stop := range []string{".", "。"} {
		if rest, ok := strings.CutSuffix(s, stop); ok && !strings.HasSuffix(rest, ".") {
			return rest
		}
	}
	return s
}

var thousands = lazyregexp.New(`\b\d{1,3}(?:,\d{3})+\b|^[+-]?\d{1,3}(?: \d{3})+(?:\.\d+)?$`)

// withoutCommas removes thousands separators from numbers.
func withoutCommas(s string) string {
	return thousands.ReplaceAllStringFunc(s, strings.NewReplacer(",", "", " ", "").Replace)
}

// listsIn returns the lists and dictionaries that a text may represent: a literal, bullets, lines, or comma-separated
// items.
func listsIn(s string) []python.Value {
	if !strings.ContainsAny(s, ",;\n[{(") && !strings.Contains(s, " and ") {
		return nil
	}
	if parsed, ok := literalOf(s, Fixed); ok {
		if _, isText := parsed.(string); !isText {
			return []python.Value{parsed}
		}
	}
	if items := bullets(s); items != nil {
		return []python.Value{items}
	}
	var out []python.Value
	if lines := strings.Split(s, "\n"); len(lines) > 1 {
		out = append(out, listOfTexts(lines))
	}
	for _, items := range [][]string{separated(s, false), separated(s, true)} {
		if len(items) > 1 {
			out = append(out, listOfTexts(items))
		}
	}
	return out
}

func listOfTexts(items []string) python.List {
	list := make(python.List, 0, len(items))
	for _, item := range items {
		if item = python.Strip(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

var bullet = lazyregexp.New(`^\s*(?:[-*•‣◦]|\d{1,3}[.)])\s+(.+)$`)

// bullets returns the items of a Markdown list, with or without an introductory line, or nil for any other text.
func bullets(s string) python.List {
	var items []string
	for i, line := range strings.Split(s, "\n") {
		m := bullet.FindStringSubmatch(line)
		switch {
		case m != nil:
			items = append(items, m[1])
		case python.Strip(line) == "", i == 0 && strings.HasSuffix(python.Strip(line), ":"):
		default:
			return nil
		}
	}
	if items == nil {
		return nil
	}
	return listOfTexts(items)
}

var (
	separators    = lazyregexp.New(`[,;]\s+|;`)
	separatorsAnd = lazyregexp.New(`[,;]\s+(?:and\s+)?|;|\s+and\s+`)
)

// separated splits a text at commas or semicolons and the word and, with or without brackets around it.
func separated(s string, and bool) []string {
	for _, b := range [][2]string{{"[", "]"}, {"(", ")"}, {"{", "}"}} {
		if strings.HasPrefix(s, b[0]) && strings.HasSuffix(s, b[1]) {
			s = s[1 : len(s)-1]
		}
	}
	split := separators
	switch {
	case and:
		split = separatorsAnd
	case !split.MatchString(s):
		return strings.Split(s, ",")
	}
	return split.Split(s, -1)
}
