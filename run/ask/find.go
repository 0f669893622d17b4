package ask

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"airqa/internal/words"
)

// Thresholds of a match. A short value is in many passages, so words of the question must be near it.
const (
	leastAsked    = 2   // words of the question near a short value
	enoughNumbers = 0.5 // share of the numbers of an answer, and of its other words if a number is missing
	enoughWords   = 0.6 // share of the words of an answer without numbers
	enoughTopic   = 0.6 // share of the words of the question, for answers without words of their own
	fewWords      = 6   // words of a line that is no sentence
	closeBy       = 3   // words between a short value and one of the question
	leastQuote    = 40  // length from which a text in the same words needs no more evidence, in bytes
)

// find returns the best source in a row; one without a match if there is none.
func (c claims) find(r row) Source {
	var best Source
	about := stems(words.Fold(r.line))
	for _, v := range c.values {
		for _, text := range r.texts {
			best = better(best, c.inText(v, text, about))
		}
		best = better(best, c.inCells(v, r))
	}
	best.Step, best.PaperID, best.Page, best.papers = r.Step, r.PaperID, r.Page, r.papers
	if best.Kind == QueryRow {
		best.SQL = r.SQL
	}
	return best
}

// compare orders sources of the same answer, best first.
func compare(a, b Source) int {
	return cmp.Or(cmp.Compare(rank(a.Match), rank(b.Match)), cmp.Compare(b.score, a.score))
}

// rank is the place of a match in their order; a source without one comes last.
func rank(m Match) int { return slices.Index([]Match{Exact, Similar, Topic, Seen, ""}, m) }

// better returns the better of two sources, a if they are equally good.
func better(a, b Source) Source {
	if compare(b, a) < 0 {
		return b
	}
	return a
}

// inText finds a value in a text. about are words of the other cells of its row, such as the caption of a table.
func (c claims) inText(v value, text string, about map[string]bool) Source {
	text = strings.ToValidUTF8(text, "\ufffd")
	parts := partsOf(text)
	var best Source
	if v.isTelling() && strings.Contains(words.Fold(text), v.folded) { // also across the borders of parts
		if from, to, ok := words.NewFinder(text).Find(v.folded); ok {
			best = Source{Kind: Passage, Match: Exact, value: v}
			for i, p := range parts {
				if p.first < to && from < p.end {
					best.score = max(best.score, c.topic(p.words, wordsAround(parts, i)))
				}
			}
			best.Quote, best.Before, best.After = quote(text, parts, from, to)
			return best
		}
	}
	if strings.Contains(text, columnMark) {
		maps.Copy(about, parts[0].words) // the names of the columns
	}
	for i, p := range parts {
		s := Source{Kind: Passage, value: v}
		if s.Match, s.score = c.match(v, parts, i, about); s.Match == "" || compare(s, best) >= 0 {
			continue
		}
		first, end, ok := v.position(text[p.first:p.end])
		if !ok {
			first, end = 0, p.end-p.first
		}
		s.Quote, s.Before, s.After = quote(text, parts, p.first+first, p.first+end)
		best = s
	}
	return best
}

// topic is the share of the question's words in a part and in its context.
func (c claims) topic(here, nearby map[string]bool) float64 {
	return share(c.asked, here) + 0.5*share(c.asked, nearby)
}

// match compares a value with a part of a text, its context, and the words of its row. The match is empty if they have
// too little in common.
func (c claims) match(v value, parts []part, i int, about map[string]bool) (Match, float64) {
	here, nearby := parts[i].words, wordsAround(parts, i)
	maps.Copy(nearby, about)
	topic := c.topic(here, nearby)
	switch {
	case v.isEmpty():
		if share(c.asked, nearby) >= enoughTopic && words.Shared(c.asked, here) > 0 {
			return Topic, topic
		}
	case v.isIn(parts[i].folded):
		if c.isExact(v, parts[i].folded, nearby) {
			return Exact, topic
		}
	case len(v.numbers) > 0:
		if numbers, others := share(v.numbers, here), share(v.words, nearby); c.isSimilar(v, nearby, numbers, others) {
			return Similar, 2*numbers + others + topic
		}
	case len(v.words) < leastAsked:
	case share(v.words, here) >= enoughWords && words.Shared(v.words, here) >= min(leastAsked, len(v.words)):
		return Similar, share(v.words, here) + topic
	}
	return "", 0
}

// isExact reports whether a value that a folded text has is an answer there: a long one, or one near words of the question,
// as in “λ = 0.35”.
func (c claims) isExact(v value, folded string, nearby map[string]bool) bool {
	shared := words.Shared(c.asked, nearby)
	if v.isTelling() || shared >= min(leastAsked, len(c.asked)) || !words.Short(v.folded) && shared > 0 {
		return true
	}
	for at := 0; ; at++ {
		i := strings.Index(folded[at:], v.folded)
		if i < 0 {
			return false
		}
		at += i
		before, after := strings.Fields(folded[:at]), strings.Fields(folded[at+len(v.folded):])
		around := append(before[max(0, len(before)-closeBy):], after[:min(len(after), closeBy)]...)
		if words.Shared(c.asked, stems(strings.Join(around, " "))) > 0 {
			return true
		}
	}
}

// isSimilar reports whether a part with a share of the numbers of a value, and a share of its other words in the context,
// is about the same. One number alone proves little.
func (c claims) isSimilar(v value, nearby map[string]bool, numbers, others float64) bool {
	about := words.Shared(c.asked, nearby) + words.Shared(v.words, nearby)
	switch {
	case numbers < 1:
		return numbers >= enoughNumbers && others >= enoughNumbers && about >= leastAsked
	case len(v.numbers) > 1:
		return about > 0
	}
	return about > leastAsked || others > 0 && about == leastAsked
}

// wordsAround are the words of a part and of the parts before and after it. A line of few words, such as a row of a table, is
// about the subject of the whole text.
func wordsAround(parts []part, i int) map[string]bool {
	all := make(map[string]bool)
	list := parts[max(0, i-1):min(len(parts), i+2)]
	if len(parts[i].words) < fewWords {
		list = parts
	}
	for _, p := range list {
		maps.Copy(all, p.words)
	}
	return all
}

// inCells finds a value that is a whole cell of a result whose statement or row has a word of the question.
func (c claims) inCells(v value, r row) Source {
	about := stems(words.Fold(r.SQL + " " + r.line))
	if len(c.asked) > 0 && words.Shared(c.asked, about) == 0 {
		return Source{}
	}
	isLong := len(strings.Fields(v.folded)) > mostShort
	for _, cell := range r.cells {
		if folded := words.Fold(cell.Text); folded == v.folded || isLong && !words.Short(folded) && strings.Contains(v.folded, folded) {
			line, after := clip(r.line, mostQuote)
			return Source{Kind: QueryRow, Match: Exact, Quote: line, After: after, score: share(c.asked, about)}
		}
	}
	return Source{}
}
