package viewer

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/trace"
	"airqa/trace/cause"
)

// Source is the run of a question, and what its page needs from the server.
type Source struct {
	Run *trace.Run
	// Name is the name of the run in addresses.
	Name string
	PageConfig
}

// PageConfig is what the page of an episode needs from the server.
type PageConfig struct {
	// Notes opens the notes of a run; nil if the page has none.
	Notes Notes
	// CSRF is the token for forms.
	CSRF string
	Papers
}

// Papers is what pages show of papers besides the recorded text.
type Papers struct {
	// Title returns the title of a paper by its id, "" if it is not known; nil knows none.
	Title func(paperID string) string
	// Label returns the number printed on a page of a paper, "" if it is none other than the page's; nil knows none.
	Label func(paperID string, page int) string
}

// Page is the data of episode.html.
type Page struct {
	E   trace.Episode
	Run string
	// Back is the list that the page was opened from; Position is the place in it.
	Back, Prev, Next string
	Position         string
	Gold, GoldParts  *textView
	Answer           *textView
	Items            []itemView
	Cause            causeView
	LostSteps        []Link
	// Messages are the first messages, After those after the last reply.
	Messages, After []messageView
	Steps           []stepView
	// Raw are the addresses of the episode as JSON and Markdown.
	JSON, Markdown string
	// Siblings are the other episodes of the question.
	Siblings []linkedRow
	// Compare leads to the steps of this episode beside those of the next sibling; its text names that one.
	Compare Link
	Failed  []attempt
	Problem string
	// Notes are those of people.
	Notes        []noteView
	NotesProblem string
	Token        string
	// P begins every id in a file with several questions; File means that there is no server.
	P    string
	File bool
}

// linkedRow is an episode with the name of its run and the address of its page.
type linkedRow struct {
	trace.Row
	Run, Href string
}

// Link is a link with its text.
type Link struct{ Text, Href string }

type itemView struct {
	cause.Item
	Name  string
	Links []Link
}

type causeView struct {
	cause.Cause
	Refs []refView
}

type refView struct {
	Link
	Quote string
}

type messageView struct {
	N    int
	Role qa.Role
	Text textView
}

// Page makes the page of an episode. At is a place in it, "FIELD:FIRST-END", which is marked.
func (s Source) Page(e trace.Episode, at string) *Page {
	m := &marker{raw: path("text", s.Name, e.Episode), spans: make(map[string][]span), title: s.Title, label: s.Label}
	m.place(at)
	return s.page(e, m)
}

// page makes the data of a page on the server or in a file.
func (s Source) page(e trace.Episode, m *marker) *Page {
	run := s.Name
	for _, s := range e.Traced.Steps {
		field := fmt.Sprintf("steps.%d.reply.text", s.N)
		for _, p := range trace.ReplyParts(s) {
			if p.Hidden() {
				m.spans[field] = append(m.spans[field], span{First: p.First, End: p.End, Class: "hidden", Note: p.Kind})
			}
		}
		if p := s.ParseError; p != nil && s.Reply != nil {
			m.spans[field] = append(m.spans[field], span{
				First: p.Offset, End: p.Offset, Class: "fault", ID: fmt.Sprintf("step-%d-fault", s.N), Note: p.Reason,
			})
		}
	}
	p := &Page{
		E: e, Run: run, Token: s.CSRF, P: m.prefix, File: m.file != nil, JSON: path("json", run, e.Episode), Markdown: path("markdown", run, e.Episode), Failed: attempts(e.Traced.FailedAttempts),
	}
	if e.Damage != nil {
		p.Problem = e.Damage.Error()
	}
	p.Cause = m.cause(e)
	p.notes(s, m)
	for _, n := range e.Loss.Steps {
		p.LostSteps = append(p.LostSteps, m.step(n))
	}
	for _, it := range e.Loss.Items { // with links to the steps whose results have them
		m.evidence = append(m.evidence, it.Texts...)
		v := itemView{Item: it, Name: m.itemName(it)}
		for _, n := range it.Steps {
			v.Links = append(v.Links, m.step(n))
		}
		p.Items = append(p.Items, v)
	}
	p.Answer = m.text("answer.text", e.Traced.Answer.Text)
	p.GoldParts = m.text("evaluator.eval_kwargs", string(e.Traced.Evaluator.Kwargs))
	if e.Gold != "" {
		p.Gold = m.text("gold", e.Gold)
	}
	p.steps(s, m)
	return p
}

// itemName describes a piece of evidence in a few words.
func (m *marker) itemName(it cause.Item) string {
	var parts []string
	if len(it.Texts) > 0 {
		parts = append(parts, strconv.Quote(terminal.Clip(it.Texts[0], 80)))
	}
	if it.Element != "" {
		parts = append(parts, strings.TrimSpace(it.Kind+" "+it.Element))
	}
	if it.Page > 0 {
		parts = append(parts, m.page(strings.Join(it.Papers, " "), it.Page))
	}
	var papers []string
	for _, id := range it.Papers {
		papers = append(papers, m.paper(id))
	}
	if len(papers) > 0 {
		parts = append(parts, "paper "+strings.Join(papers, " or "))
	}
	return strings.Join(parts, ", ")
}

// Address is the address of a question's page.
func Address(run, episode string) string { return path("episode", run, episode) }

func path(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("/" + url.PathEscape(p))
	}
	return b.String()
}
