package viewer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"airqa/internal/terminal"
	"airqa/trace"
)

// marker collects the marked ranges of an episode's texts and makes the links to them.
type marker struct {
	// raw begins the addresses of the texts; "" in a file, where prefix begins every id.
	raw, prefix string
	spans       map[string][]span
	// evidence are the texts that are marked in passages.
	evidence []string
	file     *fileConfig
	title    func(paperID string) string
	label    func(paperID string, page int) string
}

// paper is the title of a paper, or its id.
func (m *marker) paper(id string) string {
	if m.title == nil {
		return id
	}
	return cmp.Or(m.title(id), id)
}

// page names a page by its number in the file and the one printed on it, if that is another.
func (m *marker) page(paperID string, page int) string {
	if m.label != nil {
		if label := m.label(paperID, page); label != "" {
			return fmt.Sprintf("p. %s (page %d of the file)", label, page)
		}
	}
	return fmt.Sprintf("page %d", page)
}

// redacted is a text as it may be shown.
func (m *marker) redacted(text string) string {
	if m.file == nil {
		return text
	}
	return string(m.file.Redact([]byte(text)))
}

// anchor is a link to an element of the page.
func (m *marker) anchor(id string) string { return "#" + m.prefix + id }

// id is the id of a text's element: "steps.2.reply.text" is in step-2-reply.
func id(field string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.Replace(strings.Replace(field, "steps.", "step-", 1), "messages.", "message-", 1), ".text"), ".", "-")
}

// text is a text of the page with its marks.
func (m *marker) text(field, text string) *textView {
	spans, shown := slices.Clone(m.spans[field]), m.redacted(text)
	href := ""
	if m.raw != "" {
		href = m.raw + "/" + field
	}
	if shown != text { // the places have moved: links lead to the beginning
		spans = slices.DeleteFunc(spans, func(s span) bool { return s.ID == "" })
	}
	for i := range spans {
		if shown != text {
			spans[i].First, spans[i].End = 0, 0
		}
		if spans[i].ID != "" {
			spans[i].ID = m.prefix + spans[i].ID
		}
	}
	v := newText(m.prefix+id(field), href, shown, spans)
	v.Field = field
	return &v
}

func (m *marker) step(n int) Link {
	return Link{fmt.Sprintf("step %d", n), m.anchor("step-" + strconv.Itoa(n))}
}

// place marks the place of an address, "FIELD:FIRST-END". Anything else marks nothing.
func (m *marker) place(at string) {
	field, rest, _ := strings.Cut(at, ":")
	first, end, _ := strings.Cut(rest, "-")
	a, err1 := strconv.Atoi(first)
	b, err2 := strconv.Atoi(end)
	if err1 == nil && err2 == nil && a >= 0 && b >= a {
		m.spans[field] = append(m.spans[field], span{First: a, End: b, Class: "hit", ID: "hit"})
	}
}

// cause marks the evidence of a cause and links to it.
func (m *marker) cause(e trace.Episode) causeView {
	v := causeView{Cause: e.Why}
	for i, r := range e.Why.Evidence {
		field, name := r.Field, strings.ReplaceAll(r.Field, "_", " ")
		if r.Step > 0 {
			field, name = fmt.Sprintf("steps.%d.%s", r.Step, r.Field), fmt.Sprintf("step %d, %s", r.Step, r.Field)
		}
		ref := refView{Link{name, m.anchor(id(field))}, terminal.Clip(strings.ReplaceAll(r.Quote, `\n`, " "), 160)} // from encoded JSON
		switch {
		case r.End > r.First:
			ref.Href = m.anchor(fmt.Sprintf("evidence-%d", i+1))
			m.spans[field] = append(m.spans[field], span{First: r.First, End: r.End, Class: "ref", ID: fmt.Sprintf("evidence-%d", i+1), Note: "evidence of the cause"})
		case strings.HasPrefix(r.Field, "run."): // the page has no run.json
			ref.Href = ""
		case r.Field == "score":
			ref.Href = m.anchor("score")
		}
		v.Refs = append(v.Refs, ref)
	}
	return v
}

// Limits of a text on a page. A longer one shows its beginning, its end, and what is around its marks; the rest has an
// address of its own.
const (
	wholeText = 64 << 10
	headText  = 40 << 10
	tailText  = 8 << 10
	aroundRef = 600
)

// textView is a text of an episode on a page.
type textView struct {
	// ID is the id of the element, and with Href the address of the whole text.
	ID, Href string
	Size     int
	// Field is the name of the text, see [Text].
	Field string
	// Prose texts are not code, Marked texts have marks.
	Prose, Marked bool
	Parts         []textPart
}

// textPart is a piece of a text, or the number of bytes that are left out before it.
type textPart struct {
	Text string
	// Mark is the class of a marked piece; ID and Title are its own.
	Mark, ID, Title string
	Left            int
}

// span is a marked byte range of a text.
type span struct {
	First, End      int
	Class, ID, Note string
}

// Cut reports whether something is left out.
func (v textView) Cut() bool { return v.Size > wholeText }

// newText cuts a text at its marks. Ranges outside of it are moved inside, and overlapping ones share a piece.
func newText(id, href, text string, spans []span) textView {
	v := textView{ID: id, Href: href, Size: len(text), Marked: len(spans) > 0}
	spans = slices.Clone(spans)
	for i := range spans {
		m := &spans[i]
		m.First = border(text, m.First)
		m.End = border(text, max(m.End, m.First))
		if m.End == m.First && m.First < len(text) { // a position: one character
			_, n := utf8.DecodeRuneInString(text[m.First:])
			m.End += n
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.First, b.First) })
	last := 0
	for _, r := range shownRanges(len(text), spans) {
		first, end := border(text, r[0]), border(text, r[1])
		if first > last {
			v.Parts = append(v.Parts, textPart{Left: first - last})
		}
		v.add(text, first, end, spans)
		last = end
	}
	return v
}

// border is the next border between characters, inside the text.
func border(text string, at int) int {
	at = min(max(at, 0), len(text))
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// shownRanges are the byte ranges of a text of n bytes that are on the page.
func shownRanges(n int, spans []span) [][2]int {
	if n <= wholeText {
		return [][2]int{{0, n}}
	}
	list := [][2]int{{0, headText}, {n - tailText, n}}
	for _, m := range spans {
		list = append(list, [2]int{max(m.First-aroundRef, 0), min(m.First+aroundRef, n)})
	}
	slices.SortFunc(list, func(a, b [2]int) int { return a[0] - b[0] })
	merged := list[:1]
	for _, r := range list[1:] {
		if last := &merged[len(merged)-1]; r[0] <= last[1] {
			last[1] = max(last[1], r[1])
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

// add adds a range of the text, in pieces between the borders of its marks.
func (v *textView) add(text string, first, end int, spans []span) {
	at := first
	for _, m := range spans {
		from, to := max(m.First, at), min(m.End, end)
		if from >= to {
			if m.ID != "" && m.First >= first && m.First < end { // inside another mark: a place without a text of its own
				v.Parts = append(v.Parts, textPart{Mark: m.Class, ID: m.ID, Title: m.Note})
			}
			continue
		}
		v.plain(text[at:from])
		v.Parts = append(v.Parts, textPart{Text: terminal.Safe(text[from:to]), Mark: cmp.Or(m.Class, "ref"), ID: m.ID, Title: m.Note})
		at = to
	}
	v.plain(text[at:end])
}

func (v *textView) plain(text string) {
	if text != "" {
		v.Parts = append(v.Parts, textPart{Text: terminal.Safe(text)})
	}
}
