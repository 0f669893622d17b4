package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/evidence"
	"airqa/internal/lazyregexp"
	"airqa/internal/words"
	"airqa/qa"
	"airqa/runlog"
)

// seen is everything that the actions of an episode found.
type seen struct {
	*Finder
	rows []row
	// anchors are the papers of the question; a context without ids is about them.
	anchors []string
	// asked are the words of the question.
	asked map[string]bool
	// last is the last step with a reply.
	last int
	// unknown are the papers that a tool did not find.
	unknown map[string]bool
}

// row is a passage, a row of a result, a page image, or the context of a baseline without tools. Its paper and page may be
// from its hit or its query.
type row struct {
	evidence.Row
	// from has the line of the row; it has no name for a row without one.
	from field
	step int
	// rank is that of a hit; 0 for other rows.
	rank  int
	level Level // LevelLimit, Cut, Window or Answer
	// text is folded; empty if the log has none.
	text string
	*derived
	// image means that the page was shown as an image, or the area box of it.
	image bool
	box   []float64
	// context means that the row is the context in a prompt.
	context bool
}

// derived is computed from the text of a row when it is first needed; nil for a row without one.
type derived struct {
	words   map[string]bool
	formula string
	cells   []part
}

func (r row) content() map[string]bool {
	if r.words == nil {
		r.words = words.Content(r.text)
	}
	return r.words
}

func (f *Finder) seenIn(ex qa.Example, rec runlog.Recorded) seen {
	s := seen{Finder: f, anchors: lower(ex.Papers()), asked: f.question(ex).asked, unknown: make(map[string]bool)}
	shown := InView(rec)
	for _, step := range rec.Steps {
		if step.Reply != nil {
			s.last = step.N
		}
		if step.Observation == nil {
			continue
		}
		level := LevelWindow
		if shown[step.N] {
			level = LevelAnswer
		}
		s.add(step, level)
	}
	for i, m := range rec.Messages { // the contexts of prompts that are not the results of actions
		before, text, ok := strings.Cut(m.Text, contextMark)
		if !ok || m.Role != qa.User || len(quotedIn(m, rec.Steps)) > 0 || strings.HasPrefix(text, "none, because") {
			continue
		}
		s.rows = append(s.rows, row{
			Row: evidence.Row{Line: text, At: len(before) + len(contextMark)}, from: field{0, fmt.Sprintf("messages.%d.text", i), m.Text},
			step: s.last, level: LevelAnswer, text: s.fold(text), context: true, derived: new(derived),
		})
	}
	return s
}

// InView returns the steps whose observation the request of the last reply has.
func InView(rec runlog.Recorded) map[int]bool {
	// The actions of the model, as their messages follow each other.
	acts := slices.DeleteFunc(slices.Clone(rec.Steps), func(s qa.Step) bool { return s.Reply == nil })
	view := make(map[int]bool)
	if len(acts) == 0 {
		return view
	}
	shown := acts[len(acts)-1].Shown
	visible := func(i int) bool {
		return slices.ContainsFunc(shown, func(p qa.Span) bool { return i >= p.First && i < p.End })
	}
	for i, m := range rec.Messages {
		switch {
		case m.Role == qa.Assistant && len(acts) > 0:
			view[acts[0].N] = acts[0].Observation != nil && visible(i+1)
			acts = acts[1:]
		case visible(i):
			for _, n := range quotedIn(m, rec.Steps) {
				view[n] = true
			}
		}
	}
	return view
}

// quotedIn returns the steps of the program whose observation a message has.
func quotedIn(m qa.Message, steps []qa.Step) []int {
	var list []int
	for _, s := range steps {
		if s.By == qa.ByProgram && s.Observation != nil && strings.Contains(m.Text, s.Observation.Text) {
			list = append(list, s.N)
		}
	}
	return list
}

// noPaper matches the paper in an error about an unknown id.
var noPaper = lazyregexp.New(`[Nn]o paper with the id "([0-9a-fA-F-]{36})"`)

// add adds the rows of a step's observation, which was last shown at a level.
func (s *seen) add(step qa.Step, level Level) {
	o := step.Observation
	for _, im := range o.Images {
		at := evidence.Row{Paper: strings.ToLower(im.PaperID), Page: im.Page}
		s.rows = append(s.rows, row{Row: at, step: step.N, level: level, box: im.Box, image: true})
	}
	switch {
	case o.Status == qa.StatusError:
		for _, m := range noPaper.FindAllStringSubmatch(o.Text, -1) {
			s.unknown[strings.ToLower(m[1])] = true
		}
	case o.Status == qa.StatusOK && len(o.Images) == 0:
		s.result(step, level)
	}
}

// result adds the rows of a result that was last shown at a level.
func (s *seen) result(step qa.Step, level Level) {
	o := step.Observation
	shown, all := s.readRows(field{0, "observation.text", o.Text}), s.readRows(field{0, "observation.full", o.Full})
	paper, page := named(step)
	// add adds row i of the result; hit i, if there is one, belongs to it.
	add := func(i int, r row, level Level) {
		r.step, r.from.step, r.level = step.N, step.N, level
		r.Paper, r.Page = cmp.Or(r.Paper, paper), cmp.Or(r.Page, page)
		if i < len(o.Hits) {
			h := o.Hits[i]
			r.rank, r.Paper, r.Page = h.Rank, strings.ToLower(h.PaperID), h.Page
			r.IDs = append(slices.Clip(r.IDs), strings.ToLower(h.ID)) // rows are shared
		}
		s.rows = append(s.rows, r)
	}
	for i, r := range shown {
		if shortened := o.Cut != nil && o.Cut.Reason == "cell" && i == len(shown)-1; shortened && i < len(all) {
			add(i, all[i], LevelCut)
		}
		add(i, r, level)
	}
	for i := len(shown); i < len(all); i++ {
		add(i, all[i], LevelCut)
	}
	for i := max(len(shown), len(all)); i < len(o.Hits); i++ {
		if o.Hits[i].Beyond {
			add(i, row{}, LevelLimit)
		} else {
			add(i, row{}, LevelCut)
		}
	}
}

var literalID = lazyregexp.New(`'([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})'`)

// named returns the only paper and the only page that a query is about; "" and 0 if there are several or none.
func named(step qa.Step) (paper string, page int) {
	if t := step.Observation.Touched; t != nil {
		if len(t.Papers) == 1 {
			paper = t.Papers[0]
		}
		if len(t.Pages) == 1 {
			page = t.Pages[0].Page
		}
		return paper, page
	}
	if step.Action == nil {
		return "", 0
	}
	sql, _ := step.Action.Args["sql"].(string)
	for _, m := range literalID.FindAllStringSubmatch(sql, -1) {
		id := strings.ToLower(m[1])
		if paper != "" && paper != id {
			return "", 0
		}
		paper = id
	}
	return paper, 0
}

// readRows reads the rows of a result of any step. A row that was cut off has its text alone.
func (f *Finder) readRows(result field) []row {
	list, ok := f.rows[result]
	if ok {
		return list
	}
	for _, line := range evidence.Rows(result.text) {
		r := row{Row: line, from: result, derived: new(derived)}
		if line.Cells == nil {
			r.text = words.Fold(strings.ReplaceAll(line.Line, `\n`, " "))
		} else {
			var values strings.Builder
			for _, c := range r.telling() {
				if !c.IsID() && !c.Null() {
					values.WriteString(c.Text + "\n")
				}
			}
			r.text = words.Fold(values.String())
		}
		list = append(list, r)
	}
	f.keep(result.text)
	f.rows[result] = list
	return list
}

// telling are the cells that can be evidence: the values, or all cells of a row without values.
func (r row) telling() []evidence.Cell {
	if values := r.Values(); values != nil {
		return values
	}
	return r.Cells
}

// The words around the context of a prompt without tools.
const (
	contextMark = "\n[Context]: "
	cutMark     = "\n(cut here: the limit of "
)
