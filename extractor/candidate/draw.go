package candidate

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"airqa/env/paperdb"
	"airqa/qa"
)

// Library has the papers of a data directory.
type Library interface {
	// Outlines returns what all legible papers have to ask about, ordered by id.
	Outlines(ctx context.Context) ([]paperdb.Outline, error)
	// Paper returns the metadata of a paper.
	Paper(ctx context.Context, paperID string) (paperdb.Metadata, error)
	// Elements returns the elements of all papers, ordered by paper.
	Elements(ctx context.Context) ([]paperdb.Element, error)
	// Parts returns the content of a paper.
	Parts(ctx context.Context, paperID string) (paperdb.Paper, error)
}

// minAbstract is the length, in bytes, from which an abstract describes its paper.
const minAbstract = 100

// Draw chooses the paper and the elements of each candidate. They follow from the seed and the candidate's ID alone: all
// papers with suitable elements take turns, so that no paper has much more than its share. It is safe for concurrent use.
type Draw struct {
	library Library
	seed    uint64
	papers  map[string]paperdb.Outline
	// pools has, by kind of element, the papers in order and their elements.
	pools map[string][]holder
}

// holder is a paper with its elements of a kind.
type holder struct {
	paper string
	ids   []string
}

// OpenDraw reads which elements the papers have.
func OpenDraw(ctx context.Context, library Library, seed uint64) (*Draw, error) {
	papers, err := library.Outlines(ctx)
	if err != nil {
		return nil, err
	}
	elements, err := library.Elements(ctx)
	if err != nil {
		return nil, err
	}
	d := &Draw{library: library, seed: seed, papers: make(map[string]paperdb.Outline), pools: make(map[string][]holder)}
	kinds := map[string]string{"section": Text, "table": Table, "image": Image, "equation": Formula}
	for _, p := range papers {
		d.papers[p.PaperID] = p
		if p.Metadata {
			d.add(Metadata, p.PaperID, p.PaperID)
		}
		if p.Abstract >= minAbstract && strings.TrimSpace(p.Title) != "" {
			d.add("", p.PaperID, p.PaperID)
		}
	}
	for _, e := range elements {
		d.add(kinds[e.Kind], e.PaperID, e.ID)
	}
	place := make(map[string]int, len(papers)) // in one random order for all pools
	for i, k := range d.Random("papers").Perm(len(papers)) {
		place[papers[i].PaperID] = k
	}
	for _, pool := range d.pools {
		slices.SortStableFunc(pool, func(a, b holder) int { return place[a.paper] - place[b.paper] })
	}
	for _, h := range d.pools[Text] {
		if len(h.ids) > 1 {
			d.pools[Sections] = append(d.pools[Sections], h)
		}
	}
	return d, nil
}

// add adds an element to the pool of its kind; the elements of a paper must follow each other.
func (d *Draw) add(kind, paper, id string) {
	if _, legible := d.papers[paper]; !legible {
		return
	}
	pool := d.pools[kind]
	if n := len(pool); n == 0 || pool[n-1].paper != paper {
		pool = append(pool, holder{paper: paper})
	}
	last := &pool[len(pool)-1]
	last.ids = append(last.ids, id)
	d.pools[kind] = pool
}

// pool returns the papers with elements for a category. A comprehensive question also needs an abstract.
func (d *Draw) pool(c Category) []holder {
	pool := d.pools[c.Element()]
	if c.Type() != Comprehensive {
		return pool
	}
	return slices.DeleteFunc(slices.Clone(pool), func(h holder) bool {
		return d.papers[h.paper].Abstract < minAbstract
	})
}

// Has reports whether the papers have elements for a category. Merged questions need none.
func (d *Draw) Has(c Category) bool { return len(d.pool(c)) > 0 }

// Random returns the source of randomness for a purpose: the same for the same seed and names.
func (d *Draw) Random(names ...string) *rand.Rand {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%q", names)              // a hash never fails
	return rand.New(rand.NewPCG(d.seed, h.Sum64())) //nolint:gosec // drawing questions needs no secrets
}

// choose returns a paper and those of its elements that a candidate is about; the pool of the category must not be empty.
// All categories go round the papers in the same order, each from another first paper. In each round, every paper gives its
// next element; one that has no further element begins again.
func (d *Draw) choose(id ID, pool []holder) (chosen holder, round int) {
	_, part := math.Modf(stride * float64(slices.Index(Categories(), id.Category)))
	start := int(part * float64(len(pool)))
	h, visit := pool[(start+id.Index)%len(pool)], id.Index/len(pool)
	isPair := id.Category.Element() == Sections
	n := len(h.ids)
	if isPair {
		n = n * (n - 1) / 2
	}
	k := d.Random("element", string(id.Category), h.paper).Perm(n)[visit%n]
	if !isPair {
		return holder{h.paper, h.ids[k : k+1]}, visit / n
	}
	a := 0 // pairs are numbered by their first element, then by their second one
	for ; k >= len(h.ids)-1-a; a++ {
		k -= len(h.ids) - 1 - a
	}
	return holder{h.paper, []string{h.ids[a], h.ids[a+1+k]}}, visit / n
}

// stride is the part of the papers between the first paper of a category and that of the next category. A search over
// multiples of 0.005 gave it: with AirQA's shares, no paper has more than 1.92 times the mean number of questions, for 200
// to 5,000 questions about 24 to 1,200 papers. With an order of its own for each category it would be 4.5.
const stride = 0.44

// Load returns the material of a candidate; false if no paper has suitable elements.
func (d *Draw) Load(ctx context.Context, id ID) (Material, bool, error) {
	pool := d.pool(id.Category)
	if len(pool) == 0 {
		return Material{}, false, nil
	}
	c, round := d.choose(id, pool)
	about, err := d.library.Paper(ctx, c.paper)
	if err != nil {
		return Material{}, false, err
	}
	p := Paper{
		ID: about.PaperID, Title: strings.TrimSpace(about.Title), Abstract: strings.TrimSpace(about.Abstract), Authors: about.Authors,
		Pages: about.NumPages, Year: about.Year, Venue: about.ConferenceFull, Volume: about.Volume,
	}
	if v := qa.VenueYear(about.Conference, about.Year); v != qa.Uncategorized {
		p.VenueYear = v
	}
	m := Material{ID: id, Paper: p, Round: round}
	switch id.Category.Element() {
	case "":
		return m, true, nil
	case Metadata:
		var lines []string
		for _, field := range [][2]string{
			{"Title", p.Title},
			{"Authors", strings.Join(p.Authors, ", ")},
			{"Number of authors", fmt.Sprint(len(p.Authors))},
			{"Number of pages", fmt.Sprint(p.Pages)},
			{"Conference", p.Venue},
			{"Volume", p.Volume},
			{"Year", fmt.Sprint(p.Year)},
		} {
			if field[1] != "" && field[1] != "0" {
				lines = append(lines, field[0]+": "+field[1])
			}
		}
		m.Parts = []Part{{ID: p.ID, Kind: Metadata, Title: "Metadata", Text: strings.Join(lines, "\n")}}
		return m, true, nil
	}
	content, err := d.library.Parts(ctx, c.paper)
	if err != nil {
		return m, false, err
	}
	all := partsOf(content)
	for _, id := range c.ids {
		m.Parts = append(m.Parts, all[id])
	}
	slices.SortStableFunc(m.Parts, func(a, b Part) int { return a.Page - b.Page })
	return m, true, nil
}

// Title returns the title of a paper.
func (d *Draw) Title(paperID string) string { return strings.TrimSpace(d.papers[paperID].Title) }
