package argscichat

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/bench"
	"airqa/env/embed"
	"airqa/env/vectors"
	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/internal/words"
	"airqa/qa"
	"airqa/qa/dataset"
)

// stats are counts of the data, for Tables 2 and 3 of the paper: means over messages by their row, and other numbers.
type stats struct {
	bench.Means
	sentences, dialogues int
	// rationales counts the answers with one rationale, and with two, as the expert selected them.
	rationales [2]int
	// deciles counts the distinct gold sentences of each turn by their place in the paper, introduction those in introductions by
	// their place there, where the boundary is known.
	deciles, introduction [10]int
}

var (
	sentenceEnd = lazyregexp.New(`[.!?][\s\p{Z}]+`)
	marks       = lazyregexp.New(`[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s\p{Z}]`)
)

func collect(c *bench.Dataset) (s stats) {
	for _, d := range c.Documents {
		s.sentences += len(d.Units)
	}
	papers := c.Papers()
	for i, it := range c.Items {
		if len(it.History) == 0 {
			s.dialogues++
		}
		selected, known := selected(c, i)
		s.message("P", it.Question, nil)
		s.message("E", gold(it).Text, selected)
		s.answer(papers[it.Document], gold(it), selected, known)
	}
	return s
}

// message counts a message of the proponent or the expert. Words are separated by whitespace; NLTK's tokens are those of the
// raw messages of the collection tool, which have the rationales.
func (s *stats) message(of, text string, rationales []string) {
	several, tokens := sentenceEnd.MatchString(python.Strip(text)), float64(len(marks.FindAllString(text, -1)))
	s.Of("messages of several sentences, %").Count(several)
	s.Of("those of " + of + ", %").Count(several)
	s.Of("words per message").Add(float64(len(python.Fields(text))))
	s.Of("words and marks per message").Add(tokens)
	s.Of("words and marks of " + of).Add(tokens)
	if len(rationales) > 0 {
		text += "\nFacts:"
		for i, r := range rationales {
			text += "\n" + strconv.Itoa(i+1) + ". " + r
		}
	}
	s.Of("Treebank tokens with rationales").Add(float64(len(words.Treebank(text))))
}

// selected returns the rationales of a turn as the expert selected them, which only the history of a later turn has. For
// the last turn of a dialogue it returns the sentences of the rationales, and false.
func selected(c *bench.Dataset, i int) ([]string, bool) {
	it := c.Items[i]
	answer := len(it.History) + 1 // the place of the turn's answer in the history of the next turn
	if i+1 < len(c.Items) {
		next := c.Items[i+1]
		if next.Document == it.Document && len(next.History) > answer {
			return next.History[answer].Rationales, true
		}
	}
	return gold(it).Evidence, false
}

// answer counts the rationales of an answer, their sections, and the distance of two.
func (s *stats) answer(d bench.Document, g bench.GoldAnswer, selected []string, known bool) {
	var at []int // sentences of the gold units
	for _, id := range g.Units {
		i := slices.IndexFunc(d.Units, func(u bench.Unit) bool { return u.ID == id })
		at = append(at, i)
		s.deciles[10*i/len(d.Units)]++
		if n := d.AbstractUnits; n > 0 && i >= n {
			s.introduction[10*(i-n)/(len(d.Units)-n)]++
		}
	}
	if len(selected) == 0 {
		return
	}
	s.rationales[min(len(selected), 2)-1]++
	if known {
		at = nil
		for _, r := range selected {
			if i := start(d, r); i >= 0 {
				at = append(at, i)
			}
		}
	}
	for _, i := range at {
		if d.AbstractUnits > 0 {
			s.Of("rationales from the abstract, %").Count(i < d.AbstractUnits)
			s.Of("rationales from the introduction, %").Count(i >= d.AbstractUnits)
		}
	}
	if len(selected) > 1 && len(at) > 0 {
		s.Of("distance of two, sentences").Add(float64(slices.Max(at) - slices.Min(at)))
	}
}

// spanNotes count the turns with more than two rationales, the paper's maximum, as far as it is known how many the expert
// selected, and such answers.
func spanNotes(c *bench.Dataset, answers []qa.Answer) (notes bench.Notes) {
	var turns, predicted []string
	for i, it := range c.Items {
		if list, known := selected(c, i); known && len(list) > 2 {
			turns = append(turns, it.UUID)
		}
		if len(answers) > 0 && len(answers[i].Evidence) > 2 {
			predicted = append(predicted, it.UUID)
		}
	}
	const text = "%s with more than two rationales, the paper's maximum (the first is %s)"
	notes.Count(len(turns), fmt.Sprintf(text, "turns of the data", strings.Join(turns[:min(1, len(turns))], "")))
	notes.Count(len(predicted), fmt.Sprintf(text, "predictions", strings.Join(predicted[:min(1, len(predicted))], "")))
	return notes
}

// start returns the sentence in which a passage over several sentences begins, or -1.
func start(d bench.Document, passage string) int {
	for i := range d.Units {
		rest := bench.Document{Units: []bench.Unit{{}}}
		for _, u := range d.Units[i:] {
			rest.Units[0].Text += u.Text
		}
		if MatchSentence(rest, passage) < 0 {
			return i - 1
		}
	}
	return len(d.Units) - 1
}

// Similarity returns the similarity of texts i and j.
type Similarity func(ctx context.Context, texts []string) (func(i, j int) float64, error)

// ByTFIDF is the cosine of TF-IDF vectors with the defaults of scikit-learn, fitted on the texts.
func ByTFIDF(_ context.Context, texts []string) (func(i, j int) float64, error) {
	m := words.FitTFIDF(texts, words.TFIDFOptions{})
	vectors := qa.Map(texts, m.Vector)
	return func(i, j int) float64 { return words.Cosine(vectors[i], vectors[j]) }, nil
}

// ByVector is the cosine of sentence vectors.
func ByVector(e embed.Embedder) Similarity {
	return func(ctx context.Context, texts []string) (func(i, j int) float64, error) {
		list, err := e.Embed(ctx, texts)
		if err != nil {
			return nil, err
		}
		return func(i, j int) float64 { return vectors.Cosine(list[i], list[j]) }, nil
	}
}

// Thresholds are those of Table 7.
var Thresholds = []float64{0.3, 0.4, 0.5, 0.6, 0.7}

// Diverse computes Table 7: for each of three groups of pairs, the mean share of pairs with a similarity below each of
// [Thresholds], over the papers with such pairs among those with several dialogues. G1 are pairs of proponents' messages of
// different dialogues of a paper; G2 the experts' answers to pairs of G1 that are not below the threshold; G3 pairs of an
// answer and one of its rationales.
func Diverse(ctx context.Context, c *bench.Dataset, sim Similarity) (groups [3][]bench.Mean, err error) {
	for g := range groups {
		groups[g] = make([]bench.Mean, len(Thresholds))
	}
	for _, d := range c.Documents {
		p, dialogues := talk(c, d)
		if dialogues < 2 {
			continue
		}
		if p.sim, err = sim(ctx, p.texts); err != nil {
			return groups, err
		}
		for n, t := range Thresholds {
			for g, share := range p.below(t) {
				groups[g][n].Add(share)
			}
		}
	}
	return groups, nil
}

// said are the texts of a paper's dialogues, and their positions: for each turn question, answer and rationales.
type said struct {
	texts []string
	turns []saidTurn
	sim   func(i, j int) float64
}

type saidTurn struct {
	dialogue, question, answer int
	rationales                 []int
}

func talk(c *bench.Dataset, d bench.Document) (p said, dialogues int) {
	add := func(text string) int {
		p.texts = append(p.texts, text)
		return len(p.texts) - 1
	}
	for _, it := range c.Items {
		if it.Document != d.ID {
			continue
		}
		if len(it.History) == 0 {
			dialogues++
		}
		t := saidTurn{dialogue: dialogues, question: add(it.Question), answer: add(gold(it).Text)}
		for _, r := range gold(it).Evidence {
			t.rationales = append(t.rationales, add(r))
		}
		p.turns = append(p.turns, t)
	}
	return p, dialogues
}

// below returns the shares of pairs of G1, G2 and G3 with a similarity below t; NaN without pairs.
func (p said) below(t float64) [3]float64 {
	var below, pairs [3]float64
	count := func(group, i, j int) bool {
		pairs[group]++
		if p.sim(i, j) < t {
			below[group]++
			return true
		}
		return false
	}
	for i, a := range p.turns {
		for _, b := range p.turns[i+1:] {
			if a.dialogue != b.dialogue && !count(0, a.question, b.question) {
				count(1, a.answer, b.answer)
			}
		}
		for _, r := range a.rationales {
			count(2, a.answer, r)
		}
	}
	return [3]float64{below[0] / pairs[0], below[1] / pairs[1], below[2] / pairs[2]}
}

// IntentCount counts the sentences of the proponent, the expert and both.
type IntentCount [3]int

// CountIntents counts the tags of IntentTags, in that order.
func CountIntents(list []Intent) []IntentCount {
	counts := make([]IntentCount, len(IntentTags))
	for _, s := range list {
		n := slices.Index(IntentTags, s.Tag)
		counts[n][2]++
		if s.Expert {
			counts[n][1]++
		} else {
			counts[n][0]++
		}
	}
	return counts
}

// Intent is a labelled sentence of the dialogues.
type Intent struct {
	// Dialogue counts from 0: one begins where the proponent follows the expert.
	Dialogue int
	// Expert is false for the proponent.
	Expert bool
	// Message and Sentence are the numbers in the file, from 0.
	Message, Sentence int
	Text, Tag         string
}

// IntentTags are the tags of an [Intent]: the paper's AI, ST, GI, GO and AO, and the two outside its classes.
var IntentTags = []string{"Ask_Info", "Ask_Suggestion", "Reply_Info", "Give_Opinion", "Ask_Rebuttal", "Intro", "Outro"}

var intentColumns = []string{"Role", "Message Number", "Sentence Number", "Sentence", "Tag"}

// LoadIntents reads labelled sentences, a CSV file without a column for the dialogue: each has the rows of
// the proponent, then those of the expert. Rows with faults are left out; gaps in the numbers of messages are faults
// only.
func LoadIntents(path string) ([]Intent, []*dataset.Fault, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read intents: %w", err)
	}
	defer func() { _ = f.Close() }()
	rows := csv.NewReader(files.TextReader(f))
	head, err := rows.Read()
	if err == nil && !slices.Equal(head, intentColumns) {
		err = fmt.Errorf("the columns are %q, not %q", head, intentColumns)
	}
	r := intentReader{lines: lines{at: dataset.Fault{Place: dataset.Place{File: filepath.Base(path)}}}, last: true}
	for err == nil {
		var row []string
		if row, err = rows.Read(); err == nil {
			r.at.Line, _ = rows.FieldPos(0)
			r.row(row)
		}
	}
	if !errors.Is(err, io.EOF) || head == nil {
		return nil, nil, fmt.Errorf("read intents: %s: %w", path, err)
	}
	r.gaps()
	return r.list, r.faults, nil
}

// lines are the faults of a file that is read line by line, and the line being read.
type lines struct {
	at     dataset.Fault
	faults []*dataset.Fault
}

func (l *lines) fault(loaded bool, format string, args ...any) {
	f := l.at
	f.Loaded, f.Text = loaded, fmt.Sprintf(format, args...)
	l.faults = append(l.faults, &f)
}

type intentReader struct {
	lines
	list     []Intent
	last     bool // the last row was an expert's
	dialogue int  // from 1
}

func (r *intentReader) row(row []string) {
	role := slices.Index([]string{"Proponent", "Domain Expert"}, row[0])
	message, err1 := strconv.Atoi(row[1])
	sentence, err2 := strconv.Atoi(row[2])
	switch {
	case role < 0:
		r.fault(false, "column Role: %q must be Proponent or Domain Expert", row[0])
	case err1 != nil || message < 0:
		r.fault(false, "column Message Number: %q must be a number from 0", row[1])
	case err2 != nil || sentence < 0:
		r.fault(false, "column Sentence Number: %q must be a number from 0", row[2])
	case !slices.Contains(IntentTags, row[4]):
		r.fault(false, "column Tag: %q must be one of %s", row[4], strings.Join(IntentTags, ", "))
	default:
		expert := role == 1
		if r.last && !expert {
			r.gaps()
			r.dialogue++
		}
		r.last = expert
		r.list = append(r.list, Intent{r.dialogue - 1, expert, message, sentence, row[3], row[4]})
	}
}

// gaps reports the messages that the last dialogue lacks.
func (r *intentReader) gaps() {
	said := make(map[int]bool)
	most := -1
	for _, s := range r.list {
		if s.Dialogue == r.dialogue-1 {
			said[s.Message] = true
			most = max(most, s.Message)
		}
	}
	for i := range most {
		if !said[i] {
			r.fault(true, "dialogue %d has no message %d", r.dialogue-1, i)
		}
	}
}
