package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/trace"
)

// marker collects the marked ranges of an episode's texts and makes the links to them.
type marker struct {
	// raw begins the addresses of the texts; "" in a file, where prefix begins every id.
	raw, prefix string
	spans       map[string][]span
	file        *fileConfig
}

func newMarker(raw string) *marker { return &marker{raw: raw, spans: make(map[string][]span)} }

func newFileMarker(prefix string, f *fileConfig) *marker {
	return &marker{prefix: prefix, spans: make(map[string][]span), file: f}
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
	for i := range spans {
		if shown != text { // the places have moved: links lead to the beginning
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

// parseErrors marks where replies could not be parsed.
func (m *marker) parseErrors(e trace.Episode) {
	for _, s := range e.Traced.Steps {
		if p := s.ParseError; p != nil && s.Reply != nil {
			field := fmt.Sprintf("steps.%d.reply.text", s.N)
			m.spans[field] = append(m.spans[field], span{First: p.Offset, End: p.Offset, Class: "fault", ID: fmt.Sprintf("step-%d-fault", s.N), Note: p.Reason})
		}
	}
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
		ref := refView{Link{name, m.anchor(id(field))}, terminal.Clip(r.Quote, 160)}
		switch {
		case r.End > r.First:
			ref.Href = m.anchor(fmt.Sprintf("evidence-%d", i+1))
			m.spans[field] = append(m.spans[field], span{First: r.First, End: r.End, Class: "ref", ID: fmt.Sprintf("evidence-%d", i+1), Note: "evidence of the cause"})
		case r.Field == "score":
			ref.Href = m.anchor("score")
		}
		v.Refs = append(v.Refs, ref)
	}
	return v
}
