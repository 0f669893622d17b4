package extractor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"airqa/agent/action"
	"airqa/eval"
	"airqa/eval/judge"
	"airqa/extractor/candidate"
	"airqa/extractor/explore"
	"airqa/extractor/gate"
	"airqa/qa"
	"airqa/qa/dataset"
)

// work is one candidate on its way through its steps.
type work struct {
	*Pipeline
	// identity has the candidate's identity in the ledger.
	identity candidate.Line
	material candidate.Material
	draft    candidate.Draft
	tracked  explore.Tracked
	parts    []candidate.ID // of a merged question
	synth    candidate.Synth
	row      *qa.Example
}

func (p *Pipeline) newWork(id candidate.ID) *work {
	return &work{Pipeline: p, identity: candidate.Line{Candidate: id.String(), Category: id.Category, Seed: p.c.Seed}}
}

// step takes a candidate further and returns the lines that the ledger gets. The candidate continues if there is none or
// the last one is Done. Lines without a stage, and pending ones, are not written: the last line of the candidate has what
// they say. An error is one of the data or the disk.
type step func(context.Context) ([]candidate.Line, error)

// follow takes the steps until one of them ends the candidate.
func (w *work) follow(ctx context.Context, steps ...step) result {
	for _, take := range steps {
		lines, err := take(ctx)
		if err == nil {
			err = w.write(slices.DeleteFunc(slices.Clone(lines), func(l candidate.Line) bool {
				return l.Stage == "" || l.Outcome == candidate.Pending
			})...)
		}
		if err != nil {
			return w.abort(ctx, err)
		}
		if n := len(lines); n > 0 && lines[n-1].Outcome != candidate.Done {
			return result{Line: lines[n-1]}
		}
	}
	return result{Line: w.ended(candidate.Done, "", ""), row: w.row}
}

// abort ends a candidate after an error of the data or the disk. The error stops the pipeline unless the context ended first.
func (w *work) abort(ctx context.Context, err error) result {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() == nil {
		w.fatal = cmp.Or(w.fatal, fmt.Errorf("candidate %s: %w", w.identity.Candidate, err))
		w.cancel()
	}
	return result{Line: w.ended(candidate.Pending, candidate.Interrupted, "")}
}

// ended returns a line without a stage.
func (w *work) ended(o candidate.Outcome, reason candidate.Reason, detail string) candidate.Line {
	line := w.identity
	line.Outcome, line.Reason, line.Detail = o, reason, detail
	return line
}

// fromPaper runs the steps of a candidate that is made from a paper.
func (p *Pipeline) fromPaper(ctx context.Context, id candidate.ID) result {
	w := p.newWork(id)
	load := func(ctx context.Context) ([]candidate.Line, error) { return w.load(ctx, id) }
	if p.c.ExploreOnly {
		return w.follow(ctx, load, w.explore, func(context.Context) ([]candidate.Line, error) {
			return []candidate.Line{w.ended(candidate.Pending, candidate.NotTracked, "")}, nil
		})
	}
	return w.follow(ctx, load, w.explore, w.track, w.passGates, w.makeRow)
}

// load reads the paper and the elements that the question will be about.
func (w *work) load(ctx context.Context, id candidate.ID) ([]candidate.Line, error) {
	material, ok, err := w.draw.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return []candidate.Line{w.ended(candidate.Rejected, candidate.NoElement, "")}, nil
	}
	var elements []string
	for _, part := range material.Parts {
		elements = append(elements, part.ID)
	}
	w.material, w.identity.Paper, w.identity.Element = material, material.Paper.ID, strings.Join(elements, ",")
	return nil, nil
}

// explore asks for a question and its answer.
func (w *work) explore(ctx context.Context) ([]candidate.Line, error) {
	return w.runStage(ctx, &w.draft, stage{
		name: candidate.Explore, recipe: exploreRecipe(w.identity.Category),
		input: []any{w.identity.Category, w.material.Paper, w.material.Parts, w.material.Round},
		run: func(c *calls, line *candidate.Line) (any, error) {
			if err := w.crop(ctx); err != nil {
				return nil, err
			}
			message, err := explore.Request(w.material)
			if err != nil {
				return nil, err
			}
			return askUntil(ctx, c, line, message, func(text string) (candidate.Draft, error) { return explore.Parse(text, w.material) })
		},
	})
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
func (w *work) track(ctx context.Context) ([]candidate.Line, error) {
	return w.runStage(ctx, &w.tracked, stage{
		name: candidate.Track, recipe: candidate.Track, input: w.draft,
		run: func(c *calls, line *candidate.Line) (any, error) {
			if w.identity.Category.Type() == candidate.Retrieval {
				return explore.TrackRetrieval(w.draft)
			}
			message, err := explore.TrackRequest(w.draft)
			if err != nil {
				return nil, err
			}
			return askUntil(ctx, c, line, message, explore.ParseTracked)
		},
	})
}

// passGates runs the gates until one rejects the question. Their lines are written together: each write waits for the
// disk.
func (w *work) passGates(ctx context.Context) (lines []candidate.Line, err error) {
	subject := gate.Subject{Material: w.material, Draft: w.draft, Example: w.example(), Answer: w.tracked.Answer}
	for _, g := range gate.All() {
		switch {
		case !w.applies(g.Name):
			w.synth.Gates = append(w.synth.Gates, candidate.Gate{Name: g.Name, Verdict: candidate.Skipped})
			continue
		case g.Name == gate.Unlike: // checked when the candidate is decided
			w.synth.Gates = append(w.synth.Gates, candidate.Gate{Name: g.Name, Verdict: candidate.Passed})
			continue
		}
		line, err := w.passGate(ctx, g, subject)
		if err != nil {
			return nil, err
		}
		if lines = append(lines, line...); line[0].Outcome != candidate.Done {
			break
		}
	}
	return lines, nil
}

// passGate runs one gate and adds its verdict to the origin of the row.
func (w *work) passGate(ctx context.Context, g gate.Gate, s gate.Subject) ([]candidate.Line, error) {
	var v gate.Verdict
	name := candidate.GateStage(g.Name)
	line, err := w.runStage(ctx, &v, stage{
		name: name, recipe: name, input: []any{w.material.ID.Category, w.material.Paper, w.material.Parts, w.draft, w.tracked},
		run: func(c *calls, line *candidate.Line) (any, error) {
			if err := w.crop(ctx); err != nil {
				return nil, err
			}
			s.Material = w.material
			v, err := g.Check(ctx, gate.Tools{
				Model: c, Judge: judge.NewModel(judge.Config{Asker: c, Visible: action.Visible}), Papers: w.c.Library, Search: w.c.Library, Solve: w.c.Solve,
			}, s)
			line.Reason, line.Detail = v.Reason, v.Detail
			return v, err
		},
	})
	if err != nil || line[0].Outcome != candidate.Done {
		return line, err
	}
	verdict := candidate.Gate{Name: g.Name, Verdict: candidate.Passed, Detail: v.Detail, Agreement: v.Agreement}
	if v.NotApplicable {
		verdict.Verdict = candidate.NotApplicable
	}
	w.synth.Gates = append(w.synth.Gates, verdict)
	w.synth.Evidence = append(w.synth.Evidence, v.Evidence...)
	return line, nil
}

// example makes the question in AirQA's format.
func (w *work) example() qa.Example {
	ex := qa.Example{
		UUID:     qa.QuestionUUID(fmt.Sprintf("synth %s %d %s", w.c.Library.Fingerprint(), w.c.Seed, w.identity.Candidate)),
		Question: w.tracked.Question, AnswerFormat: w.tracked.AnswerFormat, Evaluator: w.tracked.Evaluator, Annotator: "synth",
		AnchorPDF: []string{}, ReferencePDF: []string{}, Conference: []string{}, Tags: w.tags(),
	}
	switch w.identity.Category.Type() {
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

// makeRow adds the origin and the verdicts to the question.
func (w *work) makeRow(context.Context) ([]candidate.Line, error) {
	w.synth.Candidate, w.synth.Category = w.identity.Candidate, w.identity.Category
	for _, part := range w.parts {
		w.synth.Parts = append(w.synth.Parts, part.String())
	}
	raw, err := json.Marshal(w.synth)
	row := w.example()
	row.Extra = map[string]json.RawMessage{candidate.SynthKey: raw}
	w.row = &row
	return nil, err
}

// HashRows returns a short hash of questions.
func HashRows(rows []qa.Example) (string, error) {
	text, err := dataset.Lines(rows)
	if err != nil {
		return "", err
	}
	return hashOf(string(text))
}

// single is an accepted single question.
type single struct {
	id    candidate.ID
	row   qa.Example
	synth candidate.Synth
}

// pairs returns the pairs of accepted single questions about different papers, in the order in which they are merged. Each
// round has every question at most once, so that all of them are used before one is used again.
func (p *Pipeline) pairs() [][2]single {
	var singles []single
	for id, row := range p.rows {
		if id.Category.Type() == candidate.Single {
			s, _ := candidate.SynthOf(row)
			singles = append(singles, single{id, row, s})
		}
	}
	slices.SortFunc(singles, func(a, b single) int { return candidate.Compare(a.id, b.id) })
	p.draw.Random("merge").Shuffle(len(singles), func(i, j int) { singles[i], singles[j] = singles[j], singles[i] })
	most := 0
	for _, q := range p.c.Quotas {
		if q.Category.Type() == candidate.Multiple {
			most = q.Most
		}
	}
	return rounds(singles, most)
}

// rounds pairs items as in a tournament: the first stays, the others rotate. It leaves out pairs of one paper.
func rounds(items []single, most int) (pairs [][2]single) {
	n := len(items) + len(items)%2
	if len(items) < 2 {
		return nil
	}
	at := func(round, i int) int {
		if i == 0 {
			return 0
		}
		return 1 + (i-1+round)%(n-1)
	}
	for round := range n - 1 {
		for i := range n / 2 {
			a, b := at(round, i), at(round, n-1-i)
			if a >= len(items) || b >= len(items) || items[a].row.AnchorPDF[0] == items[b].row.AnchorPDF[0] {
				continue
			}
			if pairs = append(pairs, [2]single{items[a], items[b]}); len(pairs) == most {
				return pairs
			}
		}
	}
	return pairs
}

// merge is the stage track of a merged question.
func (w *work) merge(ctx context.Context, a, b single) ([]candidate.Line, error) {
	return w.runStage(ctx, &w.tracked, stage{
		name: candidate.Track, recipe: candidate.Track,
		input: []any{a.row.Question, a.row.AnswerFormat, a.row.Evaluator, b.row.Question, b.row.AnswerFormat, b.row.Evaluator},
		run: func(*calls, *candidate.Line) (any, error) {
			return explore.Merge([2]explore.MergePart{
				{Title: w.draw.Title(a.row.AnchorPDF[0]), Example: a.row}, {Title: w.draw.Title(b.row.AnchorPDF[0]), Example: b.row},
			})
		},
	})
}
