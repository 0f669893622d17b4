package dorismae

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"airqa/bench"
	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// Tree is a query of queries.txt with its aspects, which have no ids there.
type Tree struct {
	Number    int
	Sentences []string
	Aspects   []Aspect
}

// Distinct returns the distinct texts of aspects and sub-aspects, whose number is |Q|.
func (t Tree) Distinct() []string {
	var texts []string
	for _, a := range t.Aspects {
		texts = append(texts, a.Text)
		for _, sub := range a.Sub {
			texts = append(texts, sub.Text)
		}
	}
	return bench.Distinct(texts)
}

// Best is a block of best_candidates.txt: a query and the abstract with the highest normalized score.
type Best struct {
	Query     int
	Text      string
	Candidate int
	Score     float64
	Abstract  string
}

var (
	ruler      = lazyregexp.New(`(?m)^={5,}\s*$`)
	queryHead  = lazyregexp.New(`^Query: (\d+)$`)
	aspectLine = lazyregexp.New(`^(\t?)(?:\d+|[a-z])\. (.*)$`)
	bestBlock  = lazyregexp.New(`(?s)^Query id: (\d+)\n(.*)\n\n` +
		`Best Candidate ID: (\d+), Best Candidate Averaged Relevance Score: ([0-9.]+)\n\nBest Candidate:\n(.*)$`)
)

// readBlocks returns the parts of a file between rulers.
func readBlocks(path string) ([]string, error) {
	text, err := files.ReadText(path)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, b := range ruler.Split(string(text), -1) {
		if b = strings.Trim(strings.ReplaceAll(b, "\r\n", "\n"), "\n"); b != "" {
			list = append(list, b)
		}
	}
	return list, nil
}

// LoadTrees reads queries.txt.
func LoadTrees(path string) ([]Tree, error) {
	blocks, err := readBlocks(path)
	if err != nil {
		return nil, err
	}
	var list []Tree
	if len(blocks) == 0 || !strings.HasPrefix(blocks[0], "Query: ") {
		return nil, fmt.Errorf("read %s: it is none of the files that are read: DORIS-MAE_dataset_v1.json, queries.txt and best_candidates.txt",
			path)
	}
	for i, b := range blocks {
		t, err := parseTree(b)
		if err != nil {
			return nil, fmt.Errorf("read %s: block %d: %w", path, i+1, err)
		}
		list = append(list, t)
	}
	return list, nil
}

func parseTree(block string) (t Tree, err error) {
	lines := strings.Split(block, "\n")
	head := queryHead.FindStringSubmatch(lines[0])
	if head == nil {
		return t, fmt.Errorf("want a line such as \"Query: 0\", not %q", lines[0])
	}
	t.Number, _ = strconv.Atoi(head[1])
	inAspects := false
	for _, line := range lines[1:] {
		switch {
		case line == "":
		case line == "Aspects:":
			inAspects = true
		case !inAspects:
			t.Sentences = append(t.Sentences, line)
		case !t.addAspect(line):
			return t, fmt.Errorf("query %d: %.60q is neither an aspect nor a sub-aspect", t.Number, line)
		}
	}
	if len(t.Sentences) == 0 || len(t.Aspects) == 0 {
		return t, fmt.Errorf("query %d has no text or no aspects", t.Number)
	}
	return t, nil
}

// addAspect adds a line such as "1. Text" or, for a sub-aspect, a tab and "a. Text".
func (t *Tree) addAspect(line string) bool {
	m := aspectLine.FindStringSubmatch(line)
	switch {
	case m == nil:
		return false
	case m[1] == "":
		t.Aspects = append(t.Aspects, Aspect{Text: m[2]})
	case len(t.Aspects) == 0:
		return false
	default:
		a := &t.Aspects[len(t.Aspects)-1]
		a.Sub = append(a.Sub, Aspect{Text: m[2]})
	}
	return true
}

// LoadBest reads best_candidates.txt.
func LoadBest(path string) ([]Best, error) {
	blocks, err := readBlocks(path)
	if err != nil {
		return nil, err
	}
	if len(blocks) == 0 {
		return nil, errors.New("known-item retrieval: no best candidates")
	}
	var list []Best
	for i, b := range blocks {
		m := bestBlock.FindStringSubmatch(b)
		if m == nil {
			return nil, fmt.Errorf("read %s: block %d: want \"Query id\", \"Best Candidate ID\" and \"Best Candidate\"", path, i+1)
		}
		best := Best{Text: m[2], Abstract: m[5]}
		best.Query, _ = strconv.Atoi(m[1])
		best.Candidate, _ = strconv.Atoi(m[3])
		if best.Score, err = strconv.ParseFloat(m[4], 64); err != nil {
			return nil, fmt.Errorf("read %s: block %d: score: %w", path, i+1, err)
		}
		list = append(list, best)
	}
	return list, nil
}

// knownItems retrieves the best abstract of each query of best_candidates.txt among the best abstracts of all: a test that
// needs no corpus.
func knownItems(ctx context.Context, r bench.Request) (*bench.Result, error) {
	best, err := LoadBest(r.Dataset)
	if err != nil {
		return nil, err
	}
	t := bench.Table{Name: "known", Title: "The best abstract of each query among those of all queries, %", Label: "method", Decimals: 2}
	documents, pool := bestAbstracts(best)
	for _, method := range r.Chosen(lexicalMethods()) {
		ranker, err := NewRanker(method, documents, r.Embedder)
		if err != nil {
			return nil, err
		}
		var first, mrr bench.Mean
		for _, b := range best {
			it := bench.Item{Example: qa.Example{UUID: strconv.Itoa(b.Query), Question: strings.ReplaceAll(b.Text, "\n", " "), Pool: pool}}
			ranking, err := Rank(ctx, ranker, it)
			if err != nil {
				return nil, err
			}
			wanted := map[string]bool{strconv.Itoa(b.Candidate): true}
			first.Add(reciprocal(ranking[:1], wanted))
			mrr.Add(reciprocal(ranking, wanted))
		}
		t.Add(first.Percent(method, "R@1"), mrr.Percent(method, "MRR@10"))
	}
	result := bench.NewResult("doris-mae", "DORIS-MAE: known-item retrieval", r.Dataset, nil)
	result.Tables = []bench.Table{t}
	return result, nil
}

// bestAbstracts are the distinct abstracts in the order of the file.
func bestAbstracts(best []Best) (documents []bench.Document, ids []string) {
	seen := make(map[int]bool)
	for _, b := range best {
		if seen[b.Candidate] {
			continue
		}
		seen[b.Candidate] = true
		id := strconv.Itoa(b.Candidate)
		documents, ids = append(documents, bench.Document{ID: id, Abstract: b.Abstract}), append(ids, id)
	}
	return documents, ids
}
