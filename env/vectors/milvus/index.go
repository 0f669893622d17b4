package milvus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"airqa/env/vectors"
	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// exact is the index that compares a query with every vector.
const exact = "FLAT"

var indexWord = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_]*$`)

// indexText joins the name of an index and its parameters, which are numbers, to the text of [Config.Index]. The server knows
// what they mean.
func indexText(kind string, given map[string]string) (string, error) {
	if !indexWord.MatchString(kind) {
		return "", fmt.Errorf("option index=%s: want the name of an index, such as FLAT or HNSW", kind)
	}
	words := []string{kind}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, err := strconv.Atoi(given[name]); err != nil || !indexWord.MatchString(name) {
			return "", fmt.Errorf("option %s=%s: want a number, as a parameter of index %s", name, given[name], kind)
		}
		words = append(words, name+"="+given[name])
	}
	return strings.Join(words, " "), nil
}

// splitIndex is the inverse of [indexText]. An empty text is the exact index.
func splitIndex(text string) (kind string, parameters map[string]string) {
	kind, rest, _ := strings.Cut(text, " ")
	parameters = make(map[string]string)
	for word := range strings.FieldsSeq(rest) {
		name, value, _ := strings.Cut(word, "=")
		parameters[name] = value
	}
	return cmp.Or(kind, exact), parameters
}

type searchParam map[string]any

func (p searchParam) Params() map[string]any        { return p }
func (p searchParam) AddRadius(r float64)           { p["radius"] = r }
func (p searchParam) AddRangeFilter(filter float64) { p["range_filter"] = filter }

// approximate reports whether the server may leave out records that a search should find.
func (e *entry) approximate() bool { return e.info.Kind == vectors.Dense && e.info.Index != "" }

// indexOf returns the index of a collection. A sparse one is exact.
func indexOf(c vectors.Collection) (entity.Index, error) {
	if c.Kind != vectors.Dense {
		return entity.NewIndexSparseInverted(entity.IP, 0)
	}
	kind, given := splitIndex(c.Index)
	text, err := json.Marshal(given)
	return entity.NewGenericIndex("", entity.IndexType(kind), map[string]string{
		"metric_type": string(entity.COSINE), "params": string(text),
	}), err
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

// probe loads a new collection again and searches it once, since some servers accept the name of any index, and refuse it only
// when they load records. The error of a server that is slow or down is left to the next call.
func (s *Store) probe(ctx context.Context, e *entry) error {
	if !e.approximate() {
		return nil
	}
	err := s.server.client.ReleaseCollection(ctx, e.collection)
	if err == nil {
		some := vectors.Vector{Dense: slices.Repeat([]float32{1}, e.info.Dim)}
		_, err = s.search(ctx, e, some, everything, 1, false)
	}
	if _, down := errors.AsType[*qa.UnavailableError](err); down {
		return nil
	}
	return refused(ctx, e.info, err)
}

// refused explains the error of a server that may not have an index.
func refused(ctx context.Context, c vectors.Collection, err error) error {
	if _, down := errors.AsType[*qa.UnavailableError](err); err == nil || c.Index == "" || down || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("the server refuses index %s: %w; run the same airqa command again with another index in the URL of the server, "+
		"such as index=FLAT, which every server has: no text is embedded again", c.Index, err)
}
