package ask

import (
	"maps"
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

// find returns the best source in a row.
func (w wanted) find(r row) (Source, bool) {
	best, found := Source{}, false
	keep := func(s Source, ok bool) {
		if ok && (!found || rank(s.Match) < rank(best.Match) || s.Match == best.Match && s.score > best.score) {
			best, found = s, true
		}
	}
	about := stems(words.Fold(r.line()))
	for _, v := range w.values {
		for _, text := range r.texts {
			keep(w.inText(v, text, about))
		}
		keep(w.inCells(v, r))
	}
	best.Step, best.PaperID, best.Page, best.papers = r.step, r.paper, r.page, r.papers
	if best.Kind == QueryRow {
		best.SQL = r.sql
	}
	return best, found
}

// inText finds a value in a text. about are words of the other cells of its row, such as the caption of a table.
func (w wanted) inText(v value, text string, about map[string]bool) (best Source, found bool) {
	text = valid(text)
	parts := partsOf(text)
	if s, ok := w.inSameWords(v, text, parts); ok {
		return s, true
	}
	if len(parts) > 0 && strings.Contains(text, columnMark) {
		maps.Copy(about, parts[0].words) // the names of the columns
	}
	for i := range parts {
		m, score := w.match(v, parts, i, about)
		if m == "" || found && (rank(m) > rank(best.Match) || m == best.Match && score <= best.score) {
			continue
		}
		best, found = Source{Kind: Passage, Match: m, score: score, value: v}, true
		best.Quote, best.Before, best.After = quote(text, parts, parts[i].first, parts[i].end)
		if first, end, ok := v.position(text[parts[i].first:parts[i].end]); ok {
			best.Quote, best.Before, best.After = quote(text, parts, parts[i].first+first, parts[i].first+end)
		}
	}
	return best, found
}

// inSameWords finds a long value that a text has word for word, across the borders of its parts.
func (w wanted) inSameWords(v value, text string, parts []part) (s Source, found bool) {
	if !v.telling() || !strings.Contains(words.Fold(text), v.folded) {
		return Source{}, false
	}
	from, to, ok := words.NewFinder(text).Find(v.folded)
	if !ok {
		return Source{}, false
	}
	s = Source{Kind: Passage, Match: Exact, score: w.topic(parts, from, to), value: v}
	s.Quote, s.Before, s.After = quote(text, parts, from, to)
	return s, true
}

// topic is how much of the question the parts of a range have.
func (w wanted) topic(parts []part, first, end int) (most float64) {
	for i, p := range parts {
		if p.first < end && first < p.end {
			most = max(most, share(w.asked, p.words)+0.5*share(w.asked, near(parts, i)))
		}
	}
	return most
}

// match compares a value with a part of a text and the parts beside it. The match is empty if they have too little in
// common.
func (w wanted) match(v value, parts []part, i int, beside map[string]bool) (Match, float64) {
	here, near := parts[i].words, near(parts, i)
	maps.Copy(near, beside)
	topic := share(w.asked, here) + 0.5*share(w.asked, near)
	switch {
	case v.empty():
		if share(w.asked, near) >= enoughTopic && words.Shared(w.asked, here) > 0 {
			return Topic, topic
		}
	case v.has(parts[i].folded):
		if w.exact(v, parts[i].folded, near) {
			return Exact, topic
		}
	case len(v.numbers) > 0:
		if n, fresh := share(v.numbers, here), share(v.fresh, near); w.related(v, near, n, fresh) {
			return Similar, 2*n + fresh + topic
		}
	case len(v.fresh) < leastAsked:
	case share(v.fresh, here) >= enoughWords && words.Shared(v.fresh, here) >= min(leastAsked, len(v.fresh)):
		return Similar, share(v.fresh, here) + topic
	}
	return "", 0
}

// exact reports whether a value that a folded text has is an answer there: a long one, or one near words of the question.
func (w wanted) exact(v value, folded string, near map[string]bool) bool {
	related := words.Shared(w.asked, near) >= min(leastAsked, len(w.asked))
	return v.telling() || related || !words.Short(v.folded) && words.Shared(w.asked, near) > 0 || w.beside(v, folded)
}

// beside reports whether a value in a folded text has a word of the question within a few words: “λ = 0.35”.
func (w wanted) beside(v value, folded string) bool {
	for at := 0; ; at++ {
		i := strings.Index(folded[at:], v.folded)
		if i < 0 {
			return false
		}
		at += i
		before, after := strings.Fields(folded[:at]), strings.Fields(folded[at+len(v.folded):])
		around := append(before[max(0, len(before)-closeBy):], after[:min(len(after), closeBy)]...)
		if words.Shared(w.asked, stems(strings.Join(around, " "))) > 0 {
			return true
		}
	}
}

// related reports whether a part with a share n of the numbers of a value, and a share fresh of its other words nearby, is
// about the same. One number alone proves little.
func (w wanted) related(v value, near map[string]bool, n, fresh float64) bool {
	about := words.Shared(w.asked, near) + words.Shared(v.fresh, near)
	switch {
	case n < 1:
		return n >= enoughNumbers && fresh >= enoughNumbers && about >= leastAsked
	case len(v.numbers) > 1:
		return about > 0
	}
	return about > leastAsked || fresh > 0 && about == leastAsked
}

// near are the words of a part and of those beside it. A line of few words, such as a row of a table, is about what the
// whole text is about.
func near(parts []part, i int) map[string]bool {
	all := make(map[string]bool)
	beside := parts[max(0, i-1):min(len(parts), i+2)]
	if len(parts[i].words) < fewWords {
		beside = parts
	}
	for _, p := range beside {
		for word := range p.words {
			all[word] = true
		}
	}
	return all
}

// inCells finds a value that is a whole cell of a result whose statement or row has a word of the question.
func (w wanted) inCells(v value, r row) (Source, bool) {
	about := stems(words.Fold(r.sql + " " + r.line()))
	if len(r.cells) == 0 || len(w.asked) > 0 && words.Shared(w.asked, about) == 0 {
		return Source{}, false
	}
	for _, c := range r.cells {
		if folded := words.Fold(c.text); folded == v.folded || !v.short() && !words.Short(folded) && strings.Contains(v.folded, folded) {
			line, after := clip(r.line(), mostQuote)
			return Source{Kind: QueryRow, Match: Exact, Quote: line, After: after, score: share(w.asked, about)}, true
		}
	}
	return Source{}, false
}
