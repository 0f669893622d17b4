package milvus

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/env/vectors"
)

// entry is the catalog's record of one collection. It is immutable.
type entry struct {
	info       vectors.Collection // without the encoder
	collection string             // its name on the server
	number     int64
	pieces     int    // of the encoder
	hidden     []span // records of unfinished inserts, invisible to readers
}

// description is the body of a described row.
type description struct {
	Format     int                `json:"format"`
	Collection vectors.Collection `json:"collection"`
	Pieces     int                `json:"pieces"`
}

// descriptionFormat is the version that this program writes. It also reads version 1, which had no windows.
const descriptionFormat = 2

// state is everything the catalog has about one name.
type state struct {
	live *entry // nil without a complete collection
	// leftovers are collections on the server that an interrupted program did not finish creating or dropping.
	leftovers []string
}

// collect assembles the state from the rows of one name.
func collect(rows []row) (state, error) {
	var s state
	for _, r := range rows {
		if r.kind != described || s.live != nil && r.number < s.live.number {
			continue
		}
		live, err := newEntry(r)
		if err != nil {
			return state{}, err
		}
		s.live = live
	}
	leftovers := make(map[string]bool)
	for _, r := range rows {
		switch {
		case s.live == nil || r.collection != s.live.collection:
			leftovers[r.collection] = true
		case r.kind == inserting:
			ids, err := r.span()
			if err != nil {
				return state{}, err
			}
			s.live.hidden = append(s.live.hidden, ids)
		}
	}
	s.leftovers = slices.Sorted(maps.Keys(leftovers))
	return s, nil
}

func newEntry(r row) (*entry, error) {
	var d description
	if err := json.Unmarshal([]byte(r.body), &d); err != nil {
		return nil, fmt.Errorf("read its description: %w", err)
	}
	if d.Format < 1 || d.Format > descriptionFormat {
		return nil, fmt.Errorf("its description has format %d; this program reads 1 to %d", d.Format, descriptionFormat)
	}
	return &entry{info: d.Collection, collection: r.collection, number: r.number, pieces: d.Pieces}, nil
}

// publish describes a complete collection in the catalog. The last row that it writes makes the collection current.
func (c *catalog) publish(ctx context.Context, e *entry) error {
	encoded := base64.StdEncoding.EncodeToString(e.info.Encoder)
	var rows []row
	for text := range slices.Chunk([]byte(encoded), maxBody) {
		rows = append(rows, row{name: e.info.Name, collection: e.collection, kind: encoderPart, number: int64(len(rows)), body: string(text)})
	}
	for batch := range slices.Chunk(rows, batchBytes/maxBody) {
		if err := c.add(ctx, batch...); err != nil {
			return err
		}
	}
	info := e.info
	info.Encoder = nil
	body, err := json.Marshal(description{Format: descriptionFormat, Collection: info, Pieces: len(rows)})
	if err != nil {
		return err
	}
	if len(body) > maxBody {
		return fmt.Errorf("%w: the description takes %d bytes, the limit is %d", vectors.ErrInvalid, len(body), maxBody)
	}
	return c.add(ctx, row{name: info.Name, collection: e.collection, kind: described, number: e.number, body: string(body)})
}

// encoder joins the pieces of the encoder.
func (c *catalog) encoder(ctx context.Context, e *entry) ([]byte, error) {
	if e.pieces == 0 {
		return nil, nil
	}
	rows, err := c.rows(ctx, all(equal(fieldOf, e.collection), equal(fieldKind, encoderPart)))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b row) int { return int(a.number - b.number) })
	if len(rows) != e.pieces {
		return nil, errors.New("a part of its encoder is missing; build it again")
	}
	var text strings.Builder
	for _, r := range rows {
		text.WriteString(r.body)
	}
	return base64.StdEncoding.DecodeString(text.String())
}
