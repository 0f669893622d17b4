package task

import (
	"regexp"
	"slices"
	"strings"

	"airqa/llm/offline/words"
)

var (
	figurePattern  = regexp.MustCompile(`(?i)\b(?:figures?|fig\.|charts?|plots?|diagrams?|image|heat ?maps?|curves?|matrix|axis|axes|bars?)\b`)
	tablePattern   = regexp.MustCompile(`(?i)\b(?:tables?|columns?)\b`)
	formulaPattern = regexp.MustCompile(`(?i)\b(?:formula|equation)s?\b`)
	sectionPattern = regexp.MustCompile(`(?i)\b(?:which|what|how many)\b.{0,40}\bsections?\b|\btitles? of (?:the )?(?:\w+ )?sections?\b`)
	objectPattern  = regexp.MustCompile(`(?i)\b(figure|table) (\d+|[IVX]+)\b`)
)

// Place is where the question says that its answer stands; a passage when it does not say.
func (t *Task) Place() Kind {
	switch q := t.Question; {
	case t.Want.Class == AsFormula || formulaPattern.MatchString(q) && t.hasPart(AsFormula):
		return IsEquation
	case sectionPattern.MatchString(q):
		return IsSection
	}
	f, tab := figurePattern.FindStringIndex(t.Question), tablePattern.FindStringIndex(t.Question)
	switch {
	case f != nil && (tab == nil || f[0] < tab[0]):
		return IsFigure
	case tab != nil:
		return IsTable
	}
	return IsPassage
}

// SaysTable tells that a text speaks of a table or its columns.
func SaysTable(text string) bool { return tablePattern.MatchString(text) }

// wantsProse tells that a text is wanted of which no name or word would be the whole.
func (t *Task) wantsProse() bool {
	return t.Format == "" || explains.MatchString(t.Question) && !shortText.MatchString(t.Format)
}

var (
	explains  = regexp.MustCompile(`(?i)^how (?:do|does|did|is|are|was|were|can|could|to)\b|\bhow (?:do|does|did) the|\bwhy\b|\b(?:explain|describe|reasons?|purpose|idea|assumption|challenges?|drawbacks?|advantages?|limitations?|differ\w*)\b`)
	shortText = regexp.MustCompile(`(?i)\b(?:names?|word|titles?|exact\w*|either|one of|number|label|acronym)\b`)
)

// Wide tells that the question is about several papers that it does not name.
func (t *Task) Wide() bool {
	return len(t.Papers) == 0 && !t.WantsPaper() && papersWord.MatchString(t.Question)
}

var papersWord = regexp.MustCompile(`(?i)\bpapers (?:of|at|in|from)\b`)

func (t *Task) hasPart(c Class) bool {
	for _, p := range t.Want.Parts {
		if p.Class == c {
			return true
		}
	}
	return false
}

// WantsPaper tells that the answer is a paper that is to be found.
func (t *Task) WantsPaper() bool {
	return len(t.Papers) == 0 && (t.Want.Class == AsTitle || t.Want.Class == AsUUID)
}

// NumberedObject is "Figure 2" when the question names exactly one such thing.
func (t *Task) NumberedObject() string {
	label := ""
	for _, m := range objectPattern.FindAllStringSubmatch(t.Question, -1) {
		found := strings.ToUpper(m[1][:1]) + strings.ToLower(m[1][1:]) + " " + m[2]
		if label != "" && label != found {
			return ""
		}
		label = found
	}
	return label
}

// Terms are those of a text without the names and years of the conferences that are searched anyway.
func (t *Task) Terms(text string) []string {
	return slices.DeleteFunc(words.Terms(text), func(w string) bool {
		return slices.ContainsFunc(t.Scopes, func(s Scope) bool { return strings.EqualFold(w, s.Name) || w == s.Year })
	})
}
