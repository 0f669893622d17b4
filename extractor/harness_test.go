package extractor_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"airqa/env/paperdb"
	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/llm/cache"
	"airqa/llm/offline"
	"airqa/qa"
	"airqa/run/models"
	"airqa/tools"
)

// library is a data directory of invented papers, about which the offline policy can ask.
type library struct {
	papers []paperdb.Paper
	print  string
}

// creatures name the papers.
var creatures = []string{"Otter", "Heron", "Badger", "Lapwing", "Marten", "Dipper", "Siskin", "Polecat"}

func newLibrary() *library { return newLibraryOf(len(creatures)) }

// newLibraryOf has any number of papers. Those after the first eight have made-up words.
func newLibraryOf(n int) *library {
	l := &library{print: "papers-1"}
	for i := range n {
		name := madeUp("name", i)
		if i < len(creatures) {
			name = creatures[i]
		}
		l.papers = append(l.papers, paperOf(i, name))
	}
	return l
}

// madeUp returns a word that is another one for every purpose and number.
func madeUp(purpose string, i int) string {
	h := fnv.New32a()
	_, _ = fmt.Fprint(h, purpose, i)
	word := ""
	for x := h.Sum32(); len(word) < 8; x /= 20 {
		word += string("bdfgklmnprstvzbdfgkl"[x%20]) + string("aeiou"[x/7%5])
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

func id(kind string, i, k int) string { return qa.QuestionUUID(fmt.Sprintf("%s %d %d", kind, i, k)) }

func paperOf(i int, name string) paperdb.Paper {
	p := paperdb.Paper{Metadata: paperdb.Metadata{
		PaperID: id("paper", i, 0), Title: name + ": Counting Things by Example", NumPages: 11 + i, Year: 2031 + i%3, Conference: "NCLM",
		Authors:  []string{"Ada " + name, "Bo Writer", "Cy Reader"}[:1+i%3],
		Abstract: fmt.Sprintf("We present %s, a device that counts %s. Counting %s by hand is slow because %s hide %s.", name, things(i), things(i), things(i), place(i)),
	}}
	for k := range 6 {
		page := paperdb.Page{ID: id("page", i, k), Number: k + 1}
		text := fmt.Sprintf("%s holds %d samples of kind %s. The %s encoder has %d layers and one head. Training takes %d hours on card %s in the cellar. "+
			"The authors repeat experiment %s %d times before they report a mean value.",
			name, 100*i+10*k+13, letters(k), letters(k), 10*i+k+3, 40*i+5*k+7, letters(k), letters(k), 9*i+k+2)
		p.Sections = append(p.Sections, paperdb.Section{ID: id("section", i, k), Title: fmt.Sprintf("%d Part %s", k+1, letters(k)), Content: text, Ordinal: k, PageNumbers: []int{k + 1}})
		page.Content = text + fmt.Sprintf("\nwith temperature τ = 0.%d%d and weight λ = %d.5", i+1, k+1, k+2)
		p.Pages = append(p.Pages, page)
		p.Tables = append(p.Tables, paperdb.Table{
			ID: id("table", i, k), Caption: fmt.Sprintf("Table %d: Accuracy for %s on set %s", k+1, things(i), letters(k)), PageID: page.ID, Box: [4]int{1, 2, 30, 40},
			Content: fmt.Sprintf("<table><tr><td>System</td><td>Recall</td><td>Speed</td></tr><tr><td>Base</td><td>%d.1</td><td>%d</td></tr><tr><td>Ours</td><td>%d.7</td><td>%d</td></tr></table>",
				20+i, 300+k, 60+i+k, 500+10*k+i),
		})
		p.Images = append(p.Images, paperdb.Image{ID: id("image", i, k), Caption: fmt.Sprintf("Figure %d: Growth of %s over %s weeks", k+3, things(i), letters(k)), PageID: page.ID, Box: [4]int{1, 2, 30, 40}})
		p.Equations = append(p.Equations, paperdb.Equation{ID: id("equation", i, k), Content: "s = exp(τ) + λ", PageID: page.ID})
	}
	return p
}

func things(i int) string {
	if i >= len(creatures) {
		return strings.ToLower(madeUp("thing", i)) + "s"
	}
	return []string{"pebbles", "feathers", "acorns", "ripples", "burrows", "midges", "thistles", "footprints"}[i]
}

// places tell the abstracts apart.
var places = []string{
	"beneath muddy riverbanks after storms", "inside crowded reed nests at dusk", "among fallen oak leaves until winter", "behind every boulder in fast currents",
	"below hedges which farmers rarely cut", "above warm ponds during calm evenings", "along gravel roads nobody mows anymore", "across fresh snow before sunrise melts them",
}

func place(i int) string {
	if i < len(places) {
		return places[i]
	}
	words := []string{"near"}
	for k := range 5 {
		words = append(words, strings.ToLower(madeUp("place", 5*i+k)))
	}
	return strings.Join(words, " ")
}

func letters(k int) string { return []string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta"}[k] }

func (l *library) Fingerprint() string { return l.print }

func (l *library) Outlines(context.Context) (list []paperdb.Outline, _ error) {
	for _, p := range l.papers {
		m := p.Metadata
		list = append(list, paperdb.Outline{PaperID: m.PaperID, Title: m.Title, Abstract: len(m.Abstract), Metadata: len(m.Authors) > 0 || m.NumPages > 0})
	}
	return list, nil
}

func (l *library) Paper(_ context.Context, id string) (paperdb.Metadata, error) {
	p, err := l.find(id)
	return p.Metadata, err
}

func (l *library) Elements(context.Context) (list []paperdb.Element, _ error) {
	for _, p := range l.papers {
		for k := range p.Sections {
			for kind, id := range map[string]string{"section": p.Sections[k].ID, "table": p.Tables[k].ID, "image": p.Images[k].ID, "equation": p.Equations[k].ID} {
				list = append(list, paperdb.Element{PaperID: p.Metadata.PaperID, Kind: kind, ID: id})
			}
		}
	}
	return list, nil
}

func (l *library) find(id string) (paperdb.Paper, error) {
	for _, p := range l.papers {
		if p.Metadata.PaperID == id {
			return p, nil
		}
	}
	return paperdb.Paper{}, paperdb.ErrNoPaper
}

func (l *library) Parts(_ context.Context, id string) (paperdb.Paper, error) { return l.find(id) }

func (l *library) PageTexts(_ context.Context, id string) (texts []string, _ error) {
	p, err := l.find(id)
	for _, page := range p.Pages {
		texts = append(texts, page.Content)
	}
	return texts, err
}

// Retrieve returns the paper whose things the query names first.
func (l *library) Retrieve(_ context.Context, query string, _ int, _ tools.Scope) (hits []tools.Hit, _ error) {
	for pass := range 2 {
		for i, p := range l.papers {
			if strings.Contains(query, things(i)) == (pass == 0) {
				hits = append(hits, tools.Hit{PDFID: p.Metadata.PaperID})
			}
		}
	}
	return hits, nil
}

func (l *library) View(context.Context, string, int, []float64) (qa.Image, error) {
	return qa.Image{Data: []byte("png"), MIME: "image/png"}, nil
}

// model is the offline policy, of which a share of the replies is spoilt.
type model struct {
	inner *offline.Model
	seed  int
	// bad is the share of unusable replies in percent; fail makes a request fail.
	bad   uint32
	fail  func(r qa.Request) error
	calls atomic.Int64
	// explored and tracked count the requests to explorer and tracker.
	explored, tracked atomic.Int64
}

func (m *model) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	text := r.Messages[0].Text
	m.calls.Add(1)
	switch {
	case strings.HasPrefix(text, "You write"):
		m.explored.Add(1)
	case strings.HasPrefix(text, "You turn"):
		m.tracked.Add(1)
	}
	if m.fail != nil {
		if err := m.fail(r); err != nil {
			return qa.Reply{}, err
		}
	}
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%d %d %s", m.seed, r.Repeat, text)
	if h.Sum32()%100 < m.bad {
		return qa.Reply{Text: []string{"", "I am sorry.", "```txt\n[Question]: half a reply", "<html>502</html>", "```\n[Evaluator]: {\n```"}[h.Sum32()%5]}, nil
	}
	return m.inner.Complete(ctx, r)
}

// bench runs pipelines in one directory.
type bench struct {
	t       testing.TB
	dir     string
	library *library
	model   *model
	change  func(c *extractor.Config)
	// touched are stages whose code has changed.
	touched []string
}

func newBench(t testing.TB) *bench {
	return &bench{t: t, dir: t.TempDir(), library: newLibrary(), model: &model{inner: offline.New()}}
}

// run runs a pipeline with fresh handles on everything.
func (b *bench) run(quotas []candidate.Quota) (extractor.Summary, error) {
	b.t.Helper()
	ledger, err := candidate.OpenLedger(b.dir, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	store, err := cache.Open(filepath.Join(b.dir, cache.Folder), cache.Config{})
	if err != nil {
		b.t.Fatal(err)
	}
	endpoint := map[string]any{"provider": "test"}
	c := extractor.Config{
		Dir: b.dir, Ledger: ledger, Seed: 11, Quotas: quotas, Gates: gate.All(), Solve: 1, Workers: 3, Library: b.library,
		Model: models.Model{
			Endpoint: &cache.Model{Store: store, Model: b.model, Endpoint: endpoint}, Described: endpoint, Price: &qa.Price{Prompt: 3, Completion: 7},
		},
	}
	c.Tracker = c.Model
	if b.change != nil {
		b.change(&c)
	}
	if c.Forms, err = candidate.ReadForms(c.Prompts); err != nil {
		b.t.Fatal(err)
	}
	if c.Draw, err = candidate.OpenDraw(b.t.Context(), b.library, c.Seed); err != nil {
		b.t.Fatal(err)
	}
	p, err := extractor.New(c)
	if err != nil {
		b.t.Fatal(err)
	}
	p.Touch(b.touched...)
	ended, runErr := p.Run(b.t.Context(), nil)
	if err := errors.Join(ledger.Close(), store.Close()); err != nil {
		b.t.Fatal(err)
	}
	return ended, runErr
}

// must is run for a pipeline that must not fail.
func (b *bench) must(quotas []candidate.Quota) extractor.Summary {
	b.t.Helper()
	ended, err := b.run(quotas)
	if err != nil {
		b.t.Fatal(err)
	}
	return ended
}

func (b *bench) file(name string) string {
	b.t.Helper()
	raw, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(raw)
}

// all are quotas for n rows of all categories.
func all(n int) []candidate.Quota { return extractor.Quotas(candidate.Categories(), n, 0) }
