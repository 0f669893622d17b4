package cause

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/words"
	"airqa/qa"
)

// facts are what several rules need to know about an episode.
type facts struct {
	Episode
	*Finder
	ctx context.Context
	// acts are the steps with an action other than Answer.
	acts []qa.Step
	// searches is the number of different actions that brought a result.
	searches int
	// question and answer are folded; golds are the parts of the gold answer, each a list of alternatives.
	question, answer string
	golds            [][]string
}

func (f *Finder) factsOf(ctx context.Context, e Episode) *facts {
	k := &facts{Episode: e, Finder: f, ctx: ctx, question: f.fold(e.Question), golds: f.question(e.Example).golds}
	if e.Answer.Given {
		k.answer = f.fold(e.Answer.Text)
	}
	different := make(map[string]bool)
	for _, s := range e.Steps {
		if s.Action == nil || s.Action.Name == "Answer" {
			continue
		}
		k.acts = append(k.acts, s)
		if o := s.Observation; o != nil && (o.Status == qa.StatusOK || o.Status == qa.StatusEmpty) {
			different[normal(*s.Action)] = true
		}
	}
	k.searches = len(different)
	return k
}

// answered reports whether the episode has an answer that is more than nothing.
func (f *facts) answered() bool { return strings.TrimSpace(f.answer) != "" && f.answer != " none " }

var spaces = lazyregexp.New(`\s+`)

// normal is an action without differences of case, white space and trailing punctuation.
func normal(a qa.Action) string {
	return strings.Trim(strings.ToLower(spaces.ReplaceAllString(a.Text, " ")), " ;.")
}

// paratext matches questions about something that is not running text.
var paratext = lazyregexp.New(`(?i)\b(?:figures?|fig\.|tables?|charts?|plots?|bars?|diagrams?|equations?|formulas?|curves?|heat ?maps?|panels?|images?)\b`)

// visual reports whether the evidence is a figure, a table or a formula.
func (f *facts) visual() bool {
	for _, it := range f.Loss.Items {
		switch it.Kind {
		case "table", "image", "figure", "equation", "formula":
			return true
		case "text", "section", "chunk", "metadata":
			return false
		}
	}
	if f.HasTag("metadata") {
		return false
	}
	return f.HasTag("image") || f.HasTag("figure") || f.HasTag("table") || f.HasTag("formula") || paratext.MatchString(f.Question)
}

// inFigure reports whether the evidence can only be seen.
func (f *facts) inFigure() bool {
	shown := func(it Item) bool { return it.Kind == "image" || it.Kind == "figure" }
	return f.HasTag("image") || f.HasTag("figure") || slices.ContainsFunc(f.Loss.Items, shown)
}

// viewed returns the last step that showed an image of a paper of the question.
func (f *facts) viewed() (qa.Step, bool) {
	for i := len(f.acts) - 1; i >= 0; i-- {
		if o := f.acts[i].Observation; o != nil && len(o.Images) > 0 {
			return f.acts[i], true
		}
	}
	return qa.Step{}, false
}

// step returns a step by its number.
func (f *facts) step(n int) (qa.Step, bool) {
	if n < 1 || n > len(f.Steps) {
		return qa.Step{}, false
	}
	return f.Steps[n-1], true
}

// Limits of quotes, in bytes.
const (
	maxQuote = 200
	around   = 60
)

// passage refers to the place of a phrase in a passage of a step's result, or of the passage without a phrase.
func passage(s qa.Step, text, phrase string) Ref {
	const field = "observation.text"
	result := s.Observation.Text
	first, end, ok := words.NewJSONFinder(result).Find(text)
	if !ok {
		return Ref{Step: s.N, Field: field}
	}
	if from, to, ok := words.NewJSONFinder(result[first:end]).Find(phrase); ok {
		first, end = first+from, first+to
	}
	return excerpt(s.N, field, result, first, end)
}

// excerpt refers to a byte range of a field, with some of the text around it.
func excerpt(step int, field, text string, first, end int) Ref {
	return span(step, field, text, max(0, first-around), min(len(text), first+maxQuote, end+around))
}

// span refers to a byte range of a field, moved to the borders of characters.
func span(step int, field, text string, first, end int) Ref {
	for first > 0 && first < len(text) && text[first]&0xC0 == 0x80 {
		first--
	}
	for end < len(text) && text[end]&0xC0 == 0x80 {
		end++
	}
	return Ref{Step: step, Field: field, First: first, End: end, Quote: text[first:end]}
}

// beginning refers to the first bytes of a field.
func beginning(step int, field, text string) Ref {
	return span(step, field, text, 0, min(len(text), maxQuote))
}

// actionRef refers to the action of a step.
func actionRef(s qa.Step) Ref {
	if s.Action == nil {
		return Ref{}
	}
	return beginning(s.N, "action.text", s.Action.Text)
}

// actionRefs refers to the first actions, at most most of them.
func (f *facts) actionRefs(most int) []Ref {
	var refs []Ref
	for _, s := range f.acts[:min(len(f.acts), most)] {
		refs = append(refs, actionRef(s))
	}
	return refs
}

// reply refers to the answer, or to the last reply of an episode without one.
func (f *facts) reply() Ref {
	if f.Answer.Given {
		return beginning(0, "answer.text", f.Answer.Text)
	}
	for i := len(f.Steps) - 1; i >= 0; i-- {
		if s := f.Steps[i]; s.Reply != nil {
			return beginning(s.N, "reply.text", s.Reply.Text)
		}
	}
	return Ref{}
}

// gold refers to the arguments of the evaluator.
func (f *facts) gold() Ref {
	return beginning(0, "evaluator.eval_kwargs", string(f.Evaluator.Kwargs))
}

// lost refers to what the evidence ladder found.
func (f *facts) lost() []Ref {
	var refs []Ref
	for _, p := range f.Loss.Places {
		text, ok := f.field(p)
		switch {
		case ok && p.End > 0:
			refs = append(refs, excerpt(p.Step, p.Field, text, p.First, p.End))
		case ok:
			refs = append(refs, p)
		}
	}
	for _, n := range f.Loss.Steps {
		s, ok := f.step(n)
		switch placed := slices.ContainsFunc(refs, func(r Ref) bool { return r.Step == n }); {
		case placed || !ok || s.Observation == nil:
		case f.Loss.Level == LevelLimit:
			i := slices.IndexFunc(s.Observation.Hits, func(h qa.Hit) bool { return h.Beyond })
			if i >= 0 {
				h := s.Observation.Hits[i]
				refs = append(refs, Ref{Step: n, Field: "observation.hits", Quote: fmt.Sprintf("rank %d: page %d of %s", h.Rank, h.Page, h.PaperID)})
			}
		default:
			refs = append(refs, Ref{Step: n, Field: "observation.text"})
		}
	}
	return refs
}

// field is the text of a place in the log.
func (f *facts) field(p Ref) (string, bool) {
	for i, m := range f.Messages {
		if p.Field == fmt.Sprintf("messages.%d.text", i) {
			return m.Text, true
		}
	}
	s, ok := f.step(p.Step)
	switch {
	case !ok || s.Observation == nil:
		return "", false
	case p.Field == "observation.full":
		return s.Observation.Full, true
	}
	return s.Observation.Text, true
}
