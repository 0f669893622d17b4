package viewer

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"airqa/internal/evidence"
	"airqa/internal/terminal"
	"airqa/internal/web"
	"airqa/internal/words"
	"airqa/qa"
	"airqa/trace"
)

type stepView struct {
	qa.Step
	P, Title string
	Marks    []markView
	Seconds  float64
	// Added are messages that the program added before the reply.
	Added []messageView
	// Shown are the messages of the request, Prompt the address of all of them as text.
	Shown  []promptMessage
	Hidden string
	Prompt string
	// The texts are nil where the step has none. Full is the result before it was cut.
	Reply, Reasoning, Action, Observation, Full *textView
	// Result is the structure of the observation; nil if it has none.
	Result   *resultView
	Images   []imageView
	Attempts []attempt
}

type markView struct {
	Kind trace.MarkKind
	Text string
}

// promptMessage is a message that the model saw, with a link to the place of its text.
type promptMessage struct {
	N     int
	Role  qa.Role
	Size  int
	Begin string
	Link
}

type attempt struct {
	qa.Attempt
	N int
}

// imageView is a page image with the boxes of the evidence in pixels.
type imageView struct {
	qa.Image
	Href  template.URL
	Boxes []boxView
	Alt   string
}

type boxView struct{ X, Y, W, H float64 }

func (p *Page) steps(s Source, m *marker) {
	messages := p.E.Traced.Messages
	replies := slices.DeleteFunc(slices.Clone(p.E.Traced.Steps), func(s qa.Step) bool { return s.Reply == nil })
	origins := make([]origin, len(messages))
	var last *qa.Step
	for i, msg := range messages {
		switch {
		case msg.Role == qa.Assistant && len(replies) > 0:
			last, replies = &replies[0], replies[1:]
			origins[i] = origin{Link: Link{fmt.Sprintf("reply of step %d", last.N), m.anchor(fmt.Sprintf("step-%d-reply", last.N))}}
		case last != nil && last.Observation != nil && messages[i-1].Role == qa.Assistant:
			origins[i] = origin{Link: Link{fmt.Sprintf("result of step %d", last.N), m.anchor(fmt.Sprintf("step-%d-observation", last.N))}}
		default:
			origins[i] = origin{Link{fmt.Sprintf("message %d", i), m.anchor(fmt.Sprintf("message-%d", i))}, true, -1}
			if len(replies) > 0 {
				origins[i].before = replies[0].N
			}
			if last == nil {
				origins[i].before = 0
			}
		}
	}
	p.Messages, p.After = p.messages(m, origins, 0), p.messages(m, origins, -1)
	image := func(sum string) template.URL { return template.URL(path("image", s.Name, sum)) } //nolint:gosec // escaped
	if m.file != nil {
		image = func(sum string) template.URL { return m.file.image(s.Run, sum) }
	}
	for _, st := range p.E.Traced.Steps {
		p.Steps = append(p.Steps, p.step(st, m, origins, image))
	}
}

func (p *Page) step(st qa.Step, m *marker, origins []origin, image func(sum string) template.URL) stepView {
	field := func(part string) string { return fmt.Sprintf("steps.%d.%s", st.N, part) }
	v := stepView{Step: st, P: m.prefix, Title: trace.StepTitle(st), Added: p.messages(m, origins, st.N)}
	for _, mark := range p.E.StepMarks(st.N) {
		text := mark.Label()
		if mark.Kind == trace.MarkRepeated {
			text += ", " + web.Grouped(mark.Wasted) + " tokens"
		}
		v.Marks = append(v.Marks, markView{mark.Kind, text})
	}
	working, waiting := st.Time()
	v.Seconds = working + waiting
	if st.Reply != nil {
		v.Reply = m.text(field("reply.text"), st.Reply.Text)
		if st.Reply.Reasoning != "" {
			v.Reasoning = m.text(field("reply.reasoning"), st.Reply.Reasoning)
			v.Reasoning.Prose = true
		}
		v.Attempts = attempts(st.Reply.Attempts)
		if m.raw != "" {
			v.Prompt = m.raw + "/" + field("prompt")
		}
		v.Shown, v.Hidden = shown(p.E.Traced.Messages, st.Shown, origins)
	}
	if st.Action != nil {
		v.Action = m.text(field("action.text"), st.Action.Text)
	}
	if o := st.Observation; o != nil {
		v.Observation, v.Result = m.text(field("observation.text"), o.Text), m.resultOf(*o)
		if o.Full != "" {
			v.Full = m.text(field("observation.full"), o.Full)
		}
		for _, im := range o.Images {
			v.Images = append(v.Images, m.imageOf(im, image(im.SHA256), p.E))
		}
	}
	return v
}

func attempts(list []qa.Attempt) []attempt {
	out := make([]attempt, len(list))
	for i, a := range list {
		out[i] = attempt{a, i + 1}
	}
	return out
}

// origin is where the text of a message is on the page: in an element of its own, or in the step that made it.
type origin struct {
	Link
	// own means that the message was added by the program and is no result of an action.
	own bool
	// before is the step whose reply follows a message of its own; 0 for the first messages, -1 after the last reply.
	before int
}

// messages adds the messages of the program before a step's reply, as [origin] has it.
func (p *Page) messages(m *marker, origins []origin, before int) []messageView {
	var list []messageView
	for i, msg := range p.E.Traced.Messages {
		if origins[i].own && origins[i].before == before {
			list = append(list, messageView{i, msg.Role, *m.text(fmt.Sprintf("messages.%d.text", i), msg.Text)})
		}
	}
	return list
}

// shown lists the messages of a request, and describes those before the request that are not in it.
func shown(messages []qa.Message, spans []qa.Span, origins []origin) (list []promptMessage, hidden string) {
	last := 0
	var gaps []string
	const beginShown = 120 // the maximum number of bytes shown of a message in a list
	for _, r := range spans {
		first, end := max(r.First, 0), min(r.End, len(messages))
		switch {
		case first == last+1:
			gaps = append(gaps, fmt.Sprint(last))
		case first > last:
			gaps = append(gaps, fmt.Sprintf("%d to %d", last, first-1))
		}
		for i := first; i < end; i++ {
			m := messages[i]
			begin := strings.ToValidUTF8(m.Text[:min(len(m.Text), beginShown)], "")
			list = append(list, promptMessage{N: i, Role: m.Role, Size: len(m.Text), Begin: begin, Link: origins[i].Link})
		}
		last = max(last, end)
	}
	return list, strings.Join(gaps, ", ")
}

// pixelsPerPoint is the scale of the View tool's images of whole pages, which do not record their size in points.
const pixelsPerPoint = 150.0 / 72

// imageOf is an image with the boxes of the evidence on its page.
func (m *marker) imageOf(im qa.Image, href template.URL, e trace.Episode) imageView {
	name := m.page(im.PaperID, im.Page)
	v := imageView{Image: im, Href: href, Alt: strings.ToUpper(name[:1]) + name[1:] + " of paper " + im.PaperID}
	x, y, scale := 0.0, 0.0, pixelsPerPoint
	if len(im.Box) == 4 && im.Box[2] > 0 {
		x, y, scale = im.Box[0], im.Box[1], float64(im.Width)/im.Box[2]
	}
	for _, it := range e.Loss.Items {
		if len(it.Box) != 4 || it.Page != im.Page || !slices.ContainsFunc(it.Papers, func(id string) bool { return strings.EqualFold(id, im.PaperID) }) {
			continue
		}
		v.Boxes = append(v.Boxes, boxView{(it.Box[0] - x) * scale, (it.Box[1] - y) * scale, it.Box[2] * scale, it.Box[3] * scale})
	}
	return v
}

// Limits of a result that is shown as a table or as passages. Its text is there as well.
const (
	mostRows  = 200
	mostCells = 4000
	mostCell  = 4000
	// mostPassage is in bytes.
	mostPassage = 1500
)

// resultView is a result as a table or as passages.
type resultView struct {
	Passages []passageView
	Columns  []string
	Rows     []rowView
	// More is the number of rows that are only in the text.
	More int
}

// passageView is a passage with the evidence marked in it.
type passageView struct {
	trace.Passage
	// PageName is its page, see [marker.page].
	PageName string
	Parts    []textPart
}

// rowView is a row, which the model may not have seen.
type rowView struct {
	Cells  []evidence.Cell
	Hidden bool
}

// resultOf reads the structure of a result; nil if it has none.
func (m *marker) resultOf(o qa.Observation) *resultView {
	o.Text, o.Full = m.redacted(o.Text), m.redacted(o.Full)
	if len(o.Text) > wholeText {
		return nil
	}
	v := trace.ReadResult(o)
	switch {
	case len(v.Passages) > 0:
		r := &resultView{More: max(len(v.Passages)-mostRows, 0)}
		for _, p := range v.Passages[:min(len(v.Passages), mostRows)] {
			r.Passages = append(r.Passages, m.passage(p))
		}
		return r
	case len(v.Rows) == 0:
		return nil
	}
	r := &resultView{Columns: v.Columns}
	for _, row := range v.Rows {
		r.add(row.Cells, false)
	}
	for _, row := range v.Hidden {
		r.add(row.Cells, true)
	}
	return r
}

// passage marks the evidence in the beginning of a passage.
func (m *marker) passage(p trace.Passage) passageView {
	text := p.Text
	if len(text) > mostPassage {
		text = text[:border(text, mostPassage)] + " …"
	}
	var spans []span
	finder := words.NewFinder(text)
	for _, part := range m.evidence {
		for first, end := range finder.All(part) {
			spans = append(spans, span{First: first, End: end, Class: "hit", Note: "evidence"})
		}
	}
	if title := m.paper(p.PaperID); p.Title == "" && title != p.PaperID {
		p.Title = title
	}
	return passageView{p, m.page(p.PaperID, p.Page), newText("", "", text, spans).Parts}
}

func (r *resultView) add(row []evidence.Cell, hidden bool) {
	if len(r.Rows) >= mostRows || len(r.Rows)*len(row) > mostCells {
		r.More++
		return
	}
	v := rowView{Hidden: hidden}
	for _, c := range row {
		c.Text = terminal.Clip(c.Text, mostCell)
		v.Cells = append(v.Cells, c)
	}
	r.Rows = append(r.Rows, v)
}
