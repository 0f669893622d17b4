package extractor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/extractor/candidate"
	"airqa/extractor/explore"
	"airqa/extractor/gate"
	"airqa/extractor/track"
	"airqa/qa"
	"airqa/qa/dataset"
)

// work is one candidate on its way through the stages.
type work struct {
	*Pipeline
	material candidate.Material
	identity candidate.Line
	draft    candidate.Draft
	tracked  track.Tracked
	parts    []candidate.ID // of a merged question
	synth    candidate.Synth
}

// explored runs the stages of a candidate that is made from a paper.
func (p *Pipeline) explored(ctx context.Context, id candidate.ID) Result {
	w := &work{Pipeline: p, identity: p.identity(id)}
	if r, ok, err := p.decided(id); ok || err != nil {
		return w.or(ctx, r, err)
	}
	material, ok, err := p.draw.Load(ctx, id)
	switch {
	case err != nil:
		return p.failed(ctx, w.identity, err)
	case !ok:
		return Result{Outcome: candidate.Rejected, Reason: candidate.NoElement, Line: w.identity}
	}
	w.material, w.identity.Paper, w.identity.Element = material, material.Paper.ID, elementsOf(material)
	line, err := w.explore(ctx)
	if r := p.next(ctx, line, err); r != nil {
		return *r
	}
	if p.c.ExploreOnly {
		return Result{Outcome: candidate.Pending, Reason: candidate.NotTracked, Line: w.identity}
	}
	line, err = w.track(ctx)
	if r := p.next(ctx, line, err); r != nil {
		return *r
	}
	return w.check(ctx)
}

func (p *Pipeline) identity(id candidate.ID) candidate.Line {
	return candidate.Line{Candidate: id.String(), Category: id.Category, Seed: p.c.Seed}
}

func elementsOf(m candidate.Material) string {
	var ids []string
	for _, part := range m.Parts {
		ids = append(ids, part.ID)
	}
	return strings.Join(ids, ",")
}

// next writes the line of a stage after those before it; a non-nil result ends the candidate.
func (p *Pipeline) next(ctx context.Context, line candidate.Line, err error, before ...candidate.Line) *Result {
	if err == nil {
		lines := before
		if line.Outcome != candidate.Pending {
			lines = append(lines, line)
		}
		err = p.put(lines...)
	}
	if err != nil {
		r := p.failed(ctx, line, err)
		return &r
	}
	if line.Outcome == candidate.Done {
		return nil
	}
	return &Result{Outcome: line.Outcome, Reason: line.Reason, Detail: line.Detail, Line: bare(line)}
}

// bare returns the identity in a line.
func bare(l candidate.Line) candidate.Line {
	return candidate.Line{Candidate: l.Candidate, Category: l.Category, Paper: l.Paper, Element: l.Element, Seed: l.Seed}
}

// failed ends a candidate and, unless the context ended first, the pipeline.
func (p *Pipeline) failed(ctx context.Context, line candidate.Line, err error) Result {
	if ctx.Err() == nil {
		p.mu.Lock()
		if p.fatal == nil {
			p.fatal = fmt.Errorf("candidate %s: %w", line.Candidate, err)
		}
		p.mu.Unlock()
	}
	return Result{Outcome: candidate.Pending, Reason: candidate.Interrupted, Line: bare(line)}
}

// explore asks for a question and its answer.
func (w *work) explore(ctx context.Context) (line candidate.Line, err error) {
	input := []any{w.material.ID.Category, w.material.Paper, w.material.Parts, w.material.Round}
	print := w.prints[exploreStage(w.material.ID.Category)]
	line, err = w.stage(ctx, w.identity, candidate.Explore, print, input, func(c *calls) (result, error) {
		if err := w.crop(ctx); err != nil {
			return result{}, err
		}
		message, err := explore.Request(w.material)
		if err != nil {
			return result{}, err
		}
		var draft candidate.Draft
		attempts, fault, err := c.until(ctx, message, func(text string) (err error) {
			draft, err = explore.Parse(text, w.material)
			return err
		})
		return answered(attempts, fault, draft), err
	})
	return line, decoded(line, err, &w.draft)
}

// answered is the result of asking until a reply could be used.
func answered(attempts int, fault error, data any) result {
	if fault != nil {
		return result{attempts: attempts, reason: candidate.BadReply, detail: fault.Error()}
	}
	return result{attempts: attempts, data: data}
}

// decoded reads the product of a stage.
func decoded(line candidate.Line, err error, into any) error {
	if err != nil || line.Outcome != candidate.Done {
		return err
	}
	return json.Unmarshal(line.Data, into)
}

// crop draws the figure of a question if the model sees images.
func (w *work) crop(ctx context.Context) error {
	m := &w.material
	if !w.c.Images || m.Crop != nil || m.ID.Category.Element() != candidate.Image || m.Parts[0].Box == nil || m.Parts[0].Page == 0 {
		return nil
	}
	var box []float64
	for _, x := range m.Parts[0].Box {
		box = append(box, float64(x))
	}
	image, err := w.c.Library.View(ctx, m.Paper.ID, m.Parts[0].Page, box)
	if err == nil {
		m.Crop = &image
	}
	return ctx.Err() // a figure that cannot be drawn is described by its caption
}

// track makes the question scorable.
func (w *work) track(ctx context.Context) (line candidate.Line, err error) {
	print := w.prints[candidate.Track]
	line, err = w.stage(ctx, w.identity, candidate.Track, print, w.draft, func(c *calls) (result, error) {
		if w.material.ID.Category.Type() == candidate.Retrieval {
			tracked, err := track.Retrieval(w.draft)
			return result{data: tracked}, err
		}
		message, err := track.Request(w.draft)
		if err != nil {
			return result{}, err
		}
		var tracked track.Tracked
		attempts, fault, err := c.until(ctx, message, func(text string) (err error) {
			tracked, err = track.Parse(text)
			return err
		})
		return answered(attempts, fault, tracked), err
	})
	return line, decoded(line, err, &w.tracked)
}

// or returns a result, or that of an error.
func (w *work) or(ctx context.Context, r Result, err error) Result {
	if err != nil {
		return w.failed(ctx, w.identity, err)
	}
	return r
}

// check applies a review, runs the gates and makes the row.
func (w *work) check(ctx context.Context) Result {
	if r, err := w.reviewed(); r != nil || err != nil {
		if err != nil {
			return w.failed(ctx, w.identity, err)
		}
		return *r
	}
	subject := gate.Subject{Material: w.material, Draft: w.draft, Example: w.example(), Answer: w.tracked.Answer}
	w.synth.Candidate, w.synth.Category = w.identity.Candidate, w.identity.Category
	if r := w.pass(ctx, subject); r != nil {
		return *r
	}
	row, err := w.row(subject.Example)
	if err != nil {
		return w.failed(ctx, w.identity, err)
	}
	return Result{Outcome: candidate.Done, Line: w.identity, Row: &row}
}

// pass runs the gates; a non-nil result ends the candidate.
func (w *work) pass(ctx context.Context, subject gate.Subject) *Result {
	var passed []candidate.Line
	for _, g := range gate.All() {
		switch {
		case g.Name == gate.Unlike && w.has(g.Name):
			w.synth.Gates = append(w.synth.Gates, candidate.Gate{Name: g.Name, Verdict: candidate.Passed})
			continue
		case !w.has(g.Name):
			w.synth.Gates = append(w.synth.Gates, candidate.Gate{Name: g.Name, Verdict: candidate.Skipped})
			continue
		}
		line, err := w.gate(ctx, g, subject)
		if err == nil && line.Outcome == candidate.Done {
			passed = append(passed, line) // written together: each write waits for the disk
			continue
		}
		if r := w.next(ctx, line, err, passed...); r != nil {
			return r
		}
	}
	if err := w.put(passed...); err != nil {
		r := w.failed(ctx, w.identity, err)
		return &r
	}
	return nil
}

// gate runs one gate and adds its verdict to the row.
func (w *work) gate(ctx context.Context, g gate.Gate, s gate.Subject) (candidate.Line, error) {
	stage := candidate.GateStage(g.Name)
	input := []any{w.material.ID.Category, w.material.Paper, w.material.Parts, w.draft, w.tracked}
	line, err := w.stage(ctx, w.identity, stage, w.prints[stage], input, func(c *calls) (result, error) {
		if err := w.crop(ctx); err != nil {
			return result{}, err
		}
		s.Material = w.material
		v, err := g.Check(ctx, w.tools(c), s)
		return result{reason: v.Reason, detail: v.Detail, data: v}, err
	})
	if err != nil || line.Outcome != candidate.Done {
		return line, err
	}
	var v gate.Verdict
	if err := json.Unmarshal(line.Data, &v); err != nil {
		return line, err
	}
	said := candidate.Gate{Name: g.Name, Verdict: candidate.Passed, Detail: v.Detail, Agreement: v.Agreement}
	if v.NotApplicable {
		said.Verdict = candidate.NotApplicable
	}
	w.synth.Gates = append(w.synth.Gates, said)
	w.synth.Evidence = append(w.synth.Evidence, v.Evidence...)
	return line, nil
}

// tools are what gates use, with the calls of one stage.
func (w *work) tools(c *calls) gate.Tools {
	return gate.Tools{
		Model: c, Judge: judge.NewModel(judge.Config{Asker: c}), Papers: w.c.Library, Search: w.c.Library, Solve: w.c.Solve,
	}
}

// annotator is the annotator of synthesized rows.
const annotator = "synth"

// example makes the question in AirQA's format.
func (w *work) example() qa.Example {
	c := w.identity.Category
	ex := qa.Example{
		UUID:     qa.QuestionUUID(fmt.Sprintf("synth %s %d %s", w.c.Library.Fingerprint(), w.c.Seed, w.identity.Candidate)),
		Question: w.tracked.Question, AnswerFormat: w.tracked.AnswerFormat, Evaluator: w.tracked.Evaluator, Annotator: annotator,
		AnchorPDF: []string{}, ReferencePDF: []string{}, Conference: []string{}, Tags: w.tags(),
	}
	switch c.Type() {
	case candidate.Single:
		ex.AnchorPDF = []string{w.material.Paper.ID}
	case candidate.Multiple:
		ex.AnchorPDF = strings.Split(w.identity.Paper, ",")
	default:
		if v := w.material.Paper.VenueYear; v != "" {
			ex.Conference = []string{v}
		}
	}
	return ex
}

// tags returns question type, kinds of elements and kind of evaluation. A merged question has the elements of its parts.
func (w *work) tags() []string {
	tags := []string{w.identity.Category.Type()}
	categories := []candidate.Category{w.identity.Category}
	if len(w.parts) > 0 {
		categories = nil
		for _, part := range w.parts {
			categories = append(categories, part.Category)
		}
	}
	for _, c := range categories {
		element := c.Element()
		if element == "" || element == candidate.Sections {
			element = candidate.Text
		}
		if !slices.Contains(tags, element) {
			tags = append(tags, element)
		}
	}
	if eval.Subjective(w.tracked.Evaluator) {
		return append(tags, "subjective")
	}
	return append(tags, "objective")
}

// row adds the origin and the verdicts to an example.
func (w *work) row(ex qa.Example) (qa.Example, error) {
	for _, part := range w.parts {
		w.synth.Parts = append(w.synth.Parts, part.String())
	}
	raw, err := json.Marshal(w.synth)
	ex.Extra = map[string]json.RawMessage{SynthKey: raw}
	return ex, err
}

// SynthKey is the key of a row with its [candidate.Synth].
const SynthKey = "synth"

// SynthOf reads where a row comes from; false if it has no such key.
func SynthOf(ex qa.Example) (s candidate.Synth, ok bool) {
	raw, ok := ex.Extra[SynthKey]
	return s, ok && json.Unmarshal(raw, &s) == nil
}

// encodeRow returns a row as a line of questions.jsonl.
func encodeRow(ex qa.Example) (json.RawMessage, error) {
	line, err := dataset.Lines([]qa.Example{ex})
	return json.RawMessage(strings.TrimSuffix(string(line), "\n")), err
}

// HashRows returns a short hash of questions.
func HashRows(rows []qa.Example) (string, error) {
	text, err := dataset.Lines(rows)
	if err != nil {
		return "", err
	}
	return hashOf(string(text))
}
