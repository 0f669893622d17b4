package extractor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/agent/action"
	"airqa/eval"
	"airqa/eval/judge"
	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/qa"
)

// work is one candidate on its way through its stages, before it is compared with others.
type work struct {
	// Line has its identity in the ledger. The outcome is empty until a stage ends the candidate, and Done if it passed
	// all of them.
	candidate.Line
	gate.Subject
	tracked candidate.Tracked
	synth   candidate.Synth
	about   []candidate.Category // its own, or those of the questions that it merges
}

// isDraft reports whether a candidate is explored only, as asked for.
func (w *work) isDraft() bool {
	return w.Outcome == candidate.Pending
}

// end ends a candidate.
func (w *work) end(o candidate.Outcome, reason candidate.Reason) { w.Outcome, w.Reason = o, reason }

// identity returns the identity of a candidate that has no paper yet.
func (p *Pipeline) identity(id candidate.ID) candidate.Line {
	return candidate.Line{Candidate: id.String(), Category: id.Category, Seed: p.c.Seed}
}

// work takes a candidate through its stages. The error is one of the data or the disk, or stops the pipeline.
func (p *Pipeline) work(ctx context.Context, id candidate.ID) (*work, error) {
	w := &work{Line: p.identity(id), Subject: gate.Subject{Material: candidate.Material{ID: id}}}
	if err := p.takeStages(ctx, w); err != nil {
		return nil, fmt.Errorf("candidate %s: %w", w.Candidate, err)
	}
	return w, nil
}

func (p *Pipeline) takeStages(ctx context.Context, w *work) error {
	begin := p.beginFromPaper
	if w.Category.Type() == candidate.Multiple {
		begin = p.beginFromPair
	}
	if err := begin(ctx, w); err != nil || w.Outcome != "" {
		return err
	}
	w.Example, w.Answer = p.example(w), w.tracked.Answer
	if err := p.passGates(ctx, w); err != nil || w.Outcome != "" {
		return err
	}
	w.synth.Candidate, w.synth.Category = w.Candidate, w.Category
	raw, err := json.Marshal(w.synth)
	w.Example.Extra = map[string]json.RawMessage{candidate.SynthKey: raw}
	w.Outcome = candidate.Done
	return err
}

// beginFromPaper draws a part of a paper, asks for a question about it, and makes the question scorable.
func (p *Pipeline) beginFromPaper(ctx context.Context, w *work) error {
	m, ok, err := p.c.Draw.Load(ctx, w.Material.ID)
	if err != nil {
		return err
	}
	if !ok {
		w.end(candidate.Rejected, candidate.NoElement)
		return nil
	}
	var elements []string
	for _, part := range m.Parts {
		elements = append(elements, part.ID)
	}
	w.Material, w.Paper, w.Element = m, m.Paper.ID, strings.Join(elements, ",")
	w.about = []candidate.Category{w.Category}
	err = p.takeStage(ctx, w, stage{
		name: candidate.Explore, input: []any{w.Category, m.Paper, m.Parts, m.Round}, product: &w.Draft,
		run: func(c *calls) (any, error) {
			if err := p.crop(ctx, &w.Material); err != nil {
				return nil, err
			}
			message, err := w.Material.Request(p.c.Prompts)
			if err != nil {
				return nil, err
			}
			return askUntil(ctx, c, message, w.Material.Parse)
		},
	})
	if err != nil || w.Outcome != "" {
		return err
	}
	if p.c.ExploreOnly {
		w.end(candidate.Pending, candidate.NotTracked)
		return nil
	}
	return p.takeStage(ctx, w, stage{
		name: candidate.Track, input: w.Draft, product: &w.tracked,
		run: func(c *calls) (any, error) {
			if w.Category.Type() == candidate.Retrieval {
				return w.Draft.TrackRetrieval()
			}
			message, err := w.Draft.TrackRequest(p.c.Prompts)
			if err != nil {
				return nil, err
			}
			return askUntil(ctx, c, message, candidate.ParseTracked)
		},
	})
}

// crop draws the figure of a question if the model sees images.
func (p *Pipeline) crop(ctx context.Context, m *candidate.Material) error {
	if !p.c.Images || len(m.Images) > 0 || m.ID.Category.Element() != candidate.Image || m.Parts[0].Box == nil || m.Parts[0].Page == 0 {
		return nil
	}
	var box []float64
	for _, x := range m.Parts[0].Box {
		box = append(box, float64(x))
	}
	image, err := p.c.Library.View(ctx, m.Paper.ID, m.Parts[0].Page, box)
	if err == nil {
		m.Images = []qa.Image{image}
	}
	return ctx.Err() // a figure that cannot be drawn is described by its caption
}

// beginFromPair merges two accepted questions; it is the stage track of the merged one.
func (p *Pipeline) beginFromPair(ctx context.Context, w *work) error {
	if w.Material.ID.Index >= len(p.pairs) {
		w.end(candidate.Rejected, candidate.NoPair)
		return nil
	}
	var papers []string
	var titles [2]string
	var input []any
	pair := p.pairs[w.Material.ID.Index]
	for i, row := range pair {
		part, _ := candidate.SynthOf(row)
		w.about = append(w.about, part.Category)
		w.synth.Parts = append(w.synth.Parts, part.Candidate)
		w.synth.Evidence = append(w.synth.Evidence, part.Evidence...)
		papers = append(papers, row.AnchorPDF[0])
		titles[i] = p.c.Draw.Title(row.AnchorPDF[0])
		input = append(input, row.Question, row.AnswerFormat, row.Evaluator)
	}
	w.Paper, w.Element = strings.Join(papers, ","), strings.Join(w.synth.Parts, ",")
	return p.takeStage(ctx, w, stage{
		name: candidate.Track, input: input, product: &w.tracked,
		run: func(*calls) (any, error) { return candidate.MergeTracked(titles, pair) },
	})
}

// passGates runs the gates until one rejects the question, and adds their verdicts to the origin of the row. Their lines
// are written together: each write waits for the disk.
func (p *Pipeline) passGates(ctx context.Context, w *work) error {
	var lines []candidate.Line
	for _, g := range gate.All() {
		verdict := candidate.Gate{Name: g.Name, Verdict: candidate.Passed}
		switch {
		case !p.applies(g.Name):
			verdict.Verdict = candidate.Skipped
		case g.Name == gate.Located && w.Category.Element() != "" && !p.c.Forms.AskEvidence():
			verdict.Verdict, verdict.Detail = candidate.Skipped, "the prompt synth_explore asks for no evidence"
		case g.Name != gate.Unlike: // checked when the candidate is decided
			var v gate.Verdict
			line, err := p.runStage(ctx, w, p.gateStage(ctx, w, g, &v))
			if err != nil {
				return errors.Join(p.record(w, lines...), err)
			}
			if lines = append(lines, line); line.Outcome != candidate.Done {
				return p.record(w, lines...)
			}
			verdict.Detail, verdict.Agreement = v.Detail, v.Agreement
			if v.NotApplicable {
				verdict.Verdict = candidate.NotApplicable
			}
			w.synth.Evidence = append(w.synth.Evidence, v.Evidence...)
		}
		w.synth.Gates = append(w.synth.Gates, verdict)
	}
	return p.record(w, lines...)
}

// gateStage is the stage of a gate.
func (p *Pipeline) gateStage(ctx context.Context, w *work, g gate.Gate, product *gate.Verdict) stage {
	return stage{
		name: candidate.GateStage(g.Name), product: product,
		input: []any{w.Category, w.Material.Paper, w.Material.Parts, w.Draft, w.tracked},
		run: func(c *calls) (any, error) {
			if err := p.crop(ctx, &w.Material); err != nil {
				return nil, err
			}
			v, err := g.Check(ctx, gate.Tools{
				Model: c, Judge: judge.NewModel(judge.Config{Asker: c, Visible: action.Visible, Prompts: p.c.Prompts}),
				Library: p.c.Library, Solve: p.c.Solve, Prompts: p.c.Prompts,
			}, w.Subject)
			c.line.Reason, c.line.Detail = v.Reason, v.Detail
			return v, err
		},
	}
}

// example makes the question in AirQA's format. Its tags are question type, kinds of elements and kind of evaluation.
func (p *Pipeline) example(w *work) qa.Example {
	ex := qa.Example{
		UUID:     qa.QuestionUUID(fmt.Sprintf("synth %s %d %s", p.c.Library.Fingerprint(), p.c.Seed, w.Candidate)),
		Question: w.tracked.Question, AnswerFormat: w.tracked.AnswerFormat, Evaluator: w.tracked.Evaluator, Annotator: "synth",
		AnchorPDF: []string{}, ReferencePDF: []string{}, Conference: []string{}, Tags: []string{w.Category.Type()},
	}
	switch w.Category.Type() {
	case candidate.Single, candidate.Multiple:
		ex.AnchorPDF = strings.Split(w.Paper, ",")
	default:
		if v := w.Material.Paper.VenueYear; v != "" {
			ex.Conference = []string{v}
		}
	}
	for _, c := range w.about {
		if !slices.Contains(ex.Tags, c.Kind()) {
			ex.Tags = append(ex.Tags, c.Kind())
		}
	}
	ex.Tags = append(ex.Tags, eval.Tag(ex.Evaluator))
	return ex
}

// makePairs returns the pairs of accepted single questions about different papers, in the order in which they are merged.
// Questions are paired as in a tournament: the first stays, the others rotate. So each round has every question at most
// once, and all of them are used before one is used again.
func (p *Pipeline) makePairs() (pairs [][2]qa.Example) {
	var singles []qa.Example
	for _, id := range slices.SortedFunc(maps.Keys(p.rows), candidate.Compare) {
		if id.Category.Type() == candidate.Single {
			singles = append(singles, p.rows[id])
		}
	}
	p.c.Draw.Random("merge").Shuffle(len(singles), func(i, j int) { singles[i], singles[j] = singles[j], singles[i] })
	most := 0
	for _, q := range p.c.Quotas {
		if q.Category.Type() == candidate.Multiple {
			most = q.Most
		}
	}
	n := len(singles) + len(singles)%2 // an odd one out has no partner
	at := func(round, i int) int {
		if i == 0 {
			return 0
		}
		return 1 + (i-1+round)%(n-1)
	}
	for round := range n - 1 {
		for i := range n / 2 {
			a, b := at(round, i), at(round, n-1-i)
			if a >= len(singles) || b >= len(singles) || singles[a].AnchorPDF[0] == singles[b].AnchorPDF[0] {
				continue
			}
			if pairs = append(pairs, [2]qa.Example{singles[a], singles[b]}); len(pairs) == most {
				return pairs
			}
		}
	}
	return pairs
}
