package offline

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	figurePattern   = regexp.MustCompile(`(?i)\b(?:figures?|fig\.|charts?|plots?|diagrams?|image|heat ?maps?|curves?|matrix|axis|axes|bars?)\b`)
	tablePattern    = regexp.MustCompile(`(?i)\b(?:tables?|columns?)\b`)
	formulaPattern  = regexp.MustCompile(`(?i)\b(?:formula|equation)s?\b`)
	sectionPattern  = regexp.MustCompile(`(?i)\b(?:which|what|how many)\b.{0,40}\bsections?\b|\btitles? of (?:the )?(?:\w+ )?sections?\b`)
	objectPattern   = regexp.MustCompile(`(?i)\b(figure|table) (\d+|[IVX]+)\b`)
	captionPattern  = regexp.MustCompile(`(?i)\bcaption\b|\bwhat (?:does|is shown)`)
	citedPattern    = regexp.MustCompile(`(?i)\b(?:cite[sd]?|cited|quote[sd]?|refers? to|builds? on|in the paper (?:on|of))\b`)
	namePattern     = regexp.MustCompile(`\p{Lu}?[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)*|\p{Lu}[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*`)
	questionOpeners = stems("in on at by from what which how who where when why is are was were does do did find name give according the for of can could among between " +
		"figure table section equation appendix python")
)

// place is where the question says that its answer stands; a passage when it does not say.
func (t *task) place() kind {
	switch q := t.question; {
	case t.want.class == asFormula || formulaPattern.MatchString(q) && t.hasPart(asFormula):
		return isEquation
	case sectionPattern.MatchString(q):
		return isSection
	}
	f, tab := figurePattern.FindStringIndex(t.question), tablePattern.FindStringIndex(t.question)
	switch {
	case f != nil && (tab == nil || f[0] < tab[0]):
		return isFigure
	case tab != nil:
		return isTable
	}
	return isPassage
}

// wantsProse tells that a text is wanted of which no name or word would be the whole.
func (t *task) wantsProse() bool {
	return t.format == "" || explains.MatchString(t.question) && !shortText.MatchString(t.format)
}

var (
	explains  = regexp.MustCompile(`(?i)^how (?:do|does|did|is|are|was|were|can|could|to)\b|\bhow (?:do|does|did) the|\bwhy\b|\b(?:explain|describe|reasons?|purpose|idea|assumption|challenges?|drawbacks?|advantages?|limitations?|differ\w*)\b`)
	shortText = regexp.MustCompile(`(?i)\b(?:names?|word|titles?|exact\w*|either|one of|number|label|acronym)\b`)
)

// wantsTable tells that tables are a likely place although the question does not say so.
func (t *task) wantsTable() bool {
	return t.want.class == asFloat || t.want.class == asDict || aboveBelow.MatchString(t.question) || superlative.MatchString(t.question)
}

// wide tells that the question is about several papers that it does not name.
func (t *task) wide() bool {
	return len(t.papers) == 0 && !t.wantsPaper() && papersWord.MatchString(t.question)
}

var papersWord = regexp.MustCompile(`(?i)\bpapers (?:of|at|in|from)\b`)

func (t *task) hasPart(c class) bool {
	for _, p := range t.want.parts {
		if p.class == c {
			return true
		}
	}
	return false
}

// wantsPaper tells that the answer is a paper that is to be found.
func (t *task) wantsPaper() bool {
	return len(t.papers) == 0 && (t.want.class == asTitle || t.want.class == asUUID)
}

// numberedObject is "Figure 2" when the question names exactly one such thing.
func (t *task) numberedObject() string {
	label := ""
	for _, m := range objectPattern.FindAllStringSubmatch(t.question, -1) {
		found := strings.ToUpper(m[1][:1]) + strings.ToLower(m[1][1:]) + " " + m[2]
		if label != "" && label != found {
			return ""
		}
		label = found
	}
	return label
}

// names are the words of a text that look like names of methods, data sets or models.
func names(text string) []string {
	var list []string
	for _, n := range namePattern.FindAllString(text, -1) {
		if !questionOpeners[stem(n)] && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// located are the papers that the question is about: the named ones, then those that were found for it.
func (t *task) located() []string {
	ids := slices.Clone(t.papers)
	if t.wide() {
		return nil
	}
	if len(t.papers) == 0 {
		if best := t.bestPaper(); best != nil && best.paper != "" {
			ids = append(ids, best.paper)
		}
		return ids
	}
	for _, it := range t.items {
		if it.kind == isPaper && it.paper != "" && !slices.Contains(ids, it.paper) && anyIn(names(t.question), it.label) {
			ids = append(ids, it.paper)
		}
	}
	return ids
}

// bestPaper is the paper whose title and abstract fit the question best, nil when none was seen.
func (t *task) bestPaper() *item {
	var cards []sentence
	var papers []*item
	for i := range t.items {
		if it := &t.items[i]; it.kind == isPaper {
			papers = append(papers, it)
			cards = append(cards, sentence{stems: stems(it.label + " " + it.text)})
		}
	}
	w := t.weigh(t.question, cards)
	var best *item
	most := -1.0
	for i, it := range papers {
		score := w.sum(cards[i].stems) + 0.3*w.sum(stems(it.label)) + t.support(it.paper)
		if score > most {
			best, most = it, score
		}
	}
	return best
}

// support is a small bonus for a paper from which passages came back: the search works on meanings, titles on words.
func (t *task) support(id string) float64 {
	bonus := 0.0
	for _, it := range t.items {
		if it.kind == isPassage && it.paper == id && id != "" {
			bonus += 0.4
		}
	}
	return min(bonus, 2)
}

func anyIn(list []string, text string) bool {
	for _, x := range list {
		if strings.Contains(text, x) {
			return true
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
