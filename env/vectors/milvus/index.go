package milvus

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"airqa/env/vectors"
)

// exact is the index that compares a query with every vector.
const exact = "FLAT"

// parameter is a number that an index has.
type parameter struct {
	name, server string // in URLs, and for the server
	least, most  int
	preset       int
	search       bool // it belongs to searches, not to the index
	hits         bool // it is at least the number of hits of a search
}

var ivf = []parameter{
	{name: "nlist", server: "nlist", least: 1, most: 65536, preset: 1024},
	{name: "nprobe", server: "nprobe", least: 1, most: 65536, preset: 64, search: true},
}

// indexes are the indexes of dense collections. The ranges are those of the Milvus documentation.
var indexes = map[string][]parameter{
	exact:       nil,
	"AUTOINDEX": nil,
	"HNSW": {
		{name: "m", server: "M", least: 2, most: 2048, preset: 16},
		{name: "ef_construction", server: "efConstruction", least: 1, most: 1 << 20, preset: 200},
		{name: "ef", server: "ef", least: 1, most: 32768, preset: 64, search: true, hits: true},
	},
	"IVF_FLAT": ivf,
	"IVF_SQ8":  ivf,
	"DISKANN":  {{name: "search_list", server: "search_list", least: 1, most: 65535, preset: 100, search: true, hits: true}},
}

// index is the type of an index with all its parameters.
type index struct {
	kind   string
	values map[string]int
}

// newIndex checks the type and the parameters of an index, and completes them.
func newIndex(kind string, given map[string]string) (index, error) {
	known, ok := indexes[kind]
	if !ok {
		return index{}, fmt.Errorf("unknown index %q; indexes are %s", kind, strings.Join(slices.Sorted(maps.Keys(indexes)), ", "))
	}
	x := index{kind: kind, values: make(map[string]int)}
	var names []string
	for _, p := range known {
		names = append(names, p.name)
		x.values[p.name] = p.preset
		text, ok := given[p.name]
		if !ok {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < p.least || n > p.most {
			return index{}, fmt.Errorf("option %s=%s: want a number from %d to %d", p.name, text, p.least, p.most)
		}
		x.values[p.name] = n
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			return index{}, fmt.Errorf("option %s does not belong to index %s; its options are: %s", name, kind, strings.Join(names, " "))
		}
	}
	if x.values["nprobe"] > x.values["nlist"] {
		if _, ok := given["nprobe"]; ok {
			return index{}, fmt.Errorf("option nprobe=%d: want at most nlist=%d", x.values["nprobe"], x.values["nlist"])
		}
		x.values["nprobe"] = x.values["nlist"]
	}
	return x, nil
}

// parseIndex parses the text of [index.String]. An empty text is the exact index.
func parseIndex(text string) (index, error) {
	if text == "" {
		text = exact
	}
	kind, rest, _ := strings.Cut(text, " ")
	given := make(map[string]string)
	for field := range strings.FieldsSeq(rest) {
		name, value, _ := strings.Cut(field, "=")
		given[name] = value
	}
	return newIndex(kind, given)
}

// String returns the type and all parameters, such as "IVF_FLAT nlist=1024 nprobe=64".
func (x index) String() string {
	words := []string{x.kind}
	for _, p := range indexes[x.kind] {
		words = append(words, fmt.Sprintf("%s=%d", p.name, x.values[p.name]))
	}
	return strings.Join(words, " ")
}

// entity is the index for the server.
func (x index) entity() entity.Index {
	params := make(map[string]string)
	for _, p := range indexes[x.kind] {
		if !p.search {
			params[p.server] = strconv.Itoa(x.values[p.name])
		}
	}
	text, _ := json.Marshal(params) // of strings
	return entity.NewGenericIndex("", entity.IndexType(x.kind), map[string]string{
		"metric_type": string(entity.COSINE), "params": string(text),
	})
}

// searchFor returns the parameters of a search for a number of hits.
func (x index) searchFor(hits int) searchParam {
	params := make(searchParam)
	for _, p := range indexes[x.kind] {
		n := x.values[p.name]
		if p.hits {
			n = max(n, hits)
		}
		if p.search {
			params[p.server] = n
		}
	}
	return params
}

// searchParam are parameters of a search.
type searchParam map[string]any

func (p searchParam) Params() map[string]any        { return p }
func (p searchParam) AddRadius(r float64)           { p["radius"] = r }
func (p searchParam) AddRangeFilter(filter float64) { p["range_filter"] = filter }

// indexOf returns the index of a collection. A sparse one is exact.
func indexOf(c vectors.Collection) (entity.Index, error) {
	if c.Kind != vectors.Dense {
		return entity.NewIndexSparseInverted(entity.IP, 0)
	}
	x, err := parseIndex(c.Index)
	return x.entity(), err
}

// IndexFor returns the index that the URL of the store chooses for a dense collection; without a choice, the one that it has.
func (s *Store) IndexFor(c vectors.Collection) string {
	switch {
	case s.index == "" || c.Kind != vectors.Dense:
		return c.Index
	case s.index == exact:
		return ""
	}
	return s.index
}

// Reindex gives a dense collection another index. Its records stay. Until it ends, which may take long, no search works.
func (s *Store) Reindex(ctx context.Context, name, index string) error {
	return s.change(ctx, name, "change the index of", func(e *entry) error {
		if e.info.Index == index {
			return nil
		}
		next := *e
		next.number, next.info.Index, next.info.Recall = e.number+1, index, nil
		if err := s.reindex(ctx, e.collection, e.info, next.info); err != nil {
			return err
		}
		return s.catalog.succeed(ctx, &next)
	})
}

func (s *Store) reindex(ctx context.Context, collection string, old, next vectors.Collection) error {
	if err := s.server.client.ReleaseCollection(ctx, collection); err != nil {
		return err
	}
	err := s.server.index(ctx, collection, next)
	if err != nil { // searches work again, with the old one
		_ = s.server.index(context.WithoutCancel(ctx), collection, old)
	}
	return err
}

// index replaces the index of a collection that is not loaded, and loads it.
func (s *server) index(ctx context.Context, name string, c vectors.Collection) error {
	index, err := indexOf(c)
	if err != nil {
		return err
	}
	if have, err := s.client.DescribeIndex(ctx, name, fieldVector); err == nil && len(have) > 0 {
		if err := s.client.DropIndex(ctx, name, fieldVector, client.WithIndexName(have[0].Name())); err != nil {
			return err
		}
	}
	if err := s.client.CreateIndex(ctx, name, fieldVector, index, true); err != nil {
		return refused(c, err)
	}
	return refused(c, s.load(ctx, name))
}

// refused explains the error of a server that may not have an index.
func refused(c vectors.Collection, err error) error {
	if err == nil || c.Index == "" {
		return err
	}
	return fmt.Errorf("the server refuses index %s, which not every server has; choose another one, or index=FLAT: %w", c.Index, err)
}

// SetRecall records the recall of the index of a collection.
func (s *Store) SetRecall(ctx context.Context, name string, recall vectors.Recall) error {
	return s.change(ctx, name, "describe", func(e *entry) error {
		next := *e
		next.number, next.info.Recall = e.number+1, &recall
		return s.catalog.succeed(ctx, &next)
	})
}
