package dorismae

import (
	"errors"
	"fmt"
	"slices"
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

// readBlocks reads the parts of a file between rulers. There must be some, and they must begin with head, or none is what
// the error says.
func readBlocks[T any](path, head, none string, parse func(block string) (T, error)) ([]T, error) {
	text, err := files.ReadText(path)
	if err != nil {
		return nil, err
	}
	var list []T
	for _, b := range ruler.Split(string(text), -1) {
		b = strings.Trim(strings.ReplaceAll(b, "\r\n", "\n"), "\n")
		if b == "" {
			continue
		}
		if len(list) == 0 && !strings.HasPrefix(b, head) {
			break
		}
		v, err := parse(b)
		if err != nil {
			return nil, fmt.Errorf("read %s: block %d: %w", path, len(list)+1, err)
		}
		list = append(list, v)
	}
	if len(list) == 0 {
		return nil, errors.New(none)
	}
	return list, nil
}

// LoadTrees reads queries.txt.
func LoadTrees(path string) ([]Tree, error) {
	return readBlocks(path, "Query: ", "read "+path+": it is none of the files that are read: DORIS-MAE_dataset_v1.json, queries.txt "+
		"and best_candidates.txt", parseTree)
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
		aspect := aspectLine.FindStringSubmatch(line) // such as "1. Text", or a tab and "a. Text" for a sub-aspect
		last := len(t.Aspects) - 1
		switch {
		case line == "":
		case line == "Aspects:":
			inAspects = true
		case !inAspects:
			t.Sentences = append(t.Sentences, line)
		case aspect == nil, aspect[1] != "" && last < 0:
			return t, fmt.Errorf("query %d: %.60q is neither an aspect nor a sub-aspect", t.Number, line)
		case aspect[1] == "":
			t.Aspects = append(t.Aspects, Aspect{Text: aspect[2]})
		default:
			t.Aspects[last].Sub = append(t.Aspects[last].Sub, Aspect{Text: aspect[2]})
		}
	}
	if len(t.Sentences) == 0 || len(t.Aspects) == 0 {
		return t, fmt.Errorf("query %d has no text or no aspects", t.Number)
	}
	return t, nil
}

// LoadBest reads best_candidates.txt.
func LoadBest(path string) ([]Best, error) {
	return readBlocks(path, "", "known-item retrieval: no best candidates", func(block string) (best Best, err error) {
		m := bestBlock.FindStringSubmatch(block)
		if m == nil {
			return best, errors.New("want \"Query id\", \"Best Candidate ID\" and \"Best Candidate\"")
		}
		best.Text, best.Abstract = m[2], m[5]
		best.Query, _ = strconv.Atoi(m[1])
		best.Candidate, _ = strconv.Atoi(m[3])
		if best.Score, err = strconv.ParseFloat(m[4], 64); err != nil {
			return best, fmt.Errorf("score: %w", err)
		}
		return best, nil
	})
}

// knownItems are the queries of best_candidates.txt, with the best abstracts of all queries as their pool, of which one is
// relevant: a test that needs no corpus. RP is then the share of queries whose first abstract it is.
func knownItems(path string) (*bench.Dataset, error) {
	best, err := LoadBest(path)
	if err != nil {
		return nil, err
	}
	data := &bench.Dataset{Name: "doris-mae", Title: "DORIS-MAE, known-item retrieval"}
	var pool []string
	for _, b := range best {
		if id := strconv.Itoa(b.Candidate); !slices.Contains(pool, id) {
			data.Documents, pool = append(data.Documents, bench.Document{ID: id, Abstract: b.Abstract}), append(pool, id)
		}
	}
	for _, b := range best {
		it := bench.Item{Example: qa.Example{UUID: "q" + strconv.Itoa(b.Query), Question: strings.ReplaceAll(b.Text, "\n", " "), Kind: qa.Rank, Pool: pool}}
		it.Gold = bench.Gold{Grades: make([]float64, len(pool)), Top: 1}
		it.Gold.Grades[slices.Index(pool, strconv.Itoa(b.Candidate))] = 1
		data.Items = append(data.Items, it)
	}
	complete(data)
	return data, nil
}
