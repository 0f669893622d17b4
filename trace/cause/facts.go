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
	result := field{s.N, "observation.text", s.Observation.Text}
	first, end, ok := words.NewJSONFinder(result.text).Find(text)
	if !ok {
		return Ref{Step: s.N, Field: result.name}
	}
	if from, to, ok := words.NewJSONFinder(result.text[first:end]).Find(phrase); ok {
		first, end = first+from, first+to
	}
	return result.excerpt(first, end)
}

// field is a text of a step, or of the question, the answer or the prompt for step 0.
type field struct {
	step       int
	name, text string
}

// excerpt refers to a byte range of a field, with some of the text around it.
func (f field) excerpt(first, end int) Ref {
	return f.span(max(0, first-around), min(len(f.text), first+maxQuote, end+around))
}

func (f field) beginning() Ref { return f.span(0, min(len(f.text), maxQuote)) }

// span refers to a byte range of a field, moved to the borders of characters.
func (f field) span(first, end int) Ref {
	text := f.text
	for first > 0 && first < len(text) && text[first]&0xC0 == 0x80 {
		first--
	}
	for end < len(text) && text[end]&0xC0 == 0x80 {
		end++
	}
	return Ref{Step: f.step, Field: f.name, First: first, End: end, Quote: text[first:end]}
}

func actionRef(s qa.Step) Ref {
	if s.Action == nil {
		return Ref{}
	}
	return field{s.N, "action.text", s.Action.Text}.beginning()
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
		return field{0, "answer.text", f.Answer.Text}.beginning()
	}
	for i := len(f.Steps) - 1; i >= 0; i-- {
		if s := f.Steps[i]; s.Reply != nil {
			return field{s.N, "reply.text", s.Reply.Text}.beginning()
		}
	}
	return Ref{}
}

func (f *facts) gold() Ref {
	return field{0, "evaluator.eval_kwargs", string(f.Evaluator.Kwargs)}.beginning()
}

// lost refers to what the evidence ladder found.
func (f *facts) lost() []Ref {
	var refs []Ref
	for _, p := range f.Loss.Places {
		if p.End > 0 {
			p.Ref = field{p.Step, p.Field, p.text}.excerpt(p.First, p.End)
		}
		refs = append(refs, p.Ref)
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
