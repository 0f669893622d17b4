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
	first      int64  // number of the first piece of the encoder
	pieces     int    // of the encoder
	hidden     []span // records of unfinished inserts, invisible to readers
}

// description is the body of a described row.
type description struct {
	Format     int                `json:"format"`
	Collection vectors.Collection `json:"collection"`
	First      int64              `json:"first,omitempty"`
	Pieces     int                `json:"pieces"`
}

const descriptionFormat = 1

// ErrDescription is wrapped by errors about a description that is damaged or of another format. [Store.Replace] makes the
// collection again.
var ErrDescription = errors.New("airqa store vectors --rebuild makes it again")

// state is everything the catalog has about one name.
type state struct {
	live *entry // nil without a complete collection
	// refused is the error of a complete collection whose description cannot be read; it is among the leftovers.
	refused error
	// leftovers are collections on the server that an interrupted program did not finish creating or dropping.
	leftovers []string
}

// collect assembles the state from the rows of one name.
func collect(rows []row) (state, error) {
	var s state
	last := row{number: -1}
	for _, r := range rows {
		if r.kind == described && r.number >= last.number {
			last = r
		}
	}
	if last.kind == described {
		s.live, s.refused = newEntry(last)
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
		return nil, fmt.Errorf("read its description: %w; %w", err, ErrDescription)
	}
	if d.Format != descriptionFormat {
		return nil, fmt.Errorf("its description has format %d, not %d; %w", d.Format, descriptionFormat, ErrDescription)
	}
	return &entry{info: d.Collection, collection: r.collection, number: r.number, first: d.First, pieces: d.Pieces}, nil
}

func (c *catalog) addEncoder(ctx context.Context, e *entry) error {
	encoded := base64.StdEncoding.EncodeToString(e.info.Encoder)
	var rows []row
	for text := range slices.Chunk([]byte(encoded), maxBody) {
		number := e.first + int64(len(rows))
		rows = append(rows, row{name: e.info.Name, collection: e.collection, kind: encoderPart, number: number, body: string(text)})
	}
	for batch := range slices.Chunk(rows, batchBytes/maxBody) {
		if err := c.add(ctx, batch...); err != nil {
			return err
		}
	}
	e.pieces = len(rows)
	return nil
}

// addDescription makes e the current state of its collection.
func (c *catalog) addDescription(ctx context.Context, e *entry) error {
	info := e.info
	info.Encoder = nil
	body, err := json.Marshal(description{Format: descriptionFormat, Collection: info, First: e.first, Pieces: e.pieces})
	if err != nil {
		return err
	}
	if len(body) > maxBody {
		return fmt.Errorf("%w: the description takes %d bytes, the limit is %d", vectors.ErrInvalid, len(body), maxBody)
	}
	return c.add(ctx, row{name: info.Name, collection: e.collection, kind: described, number: e.number, body: string(body)})
}

// otherParts returns the filter for pieces that are not of the encoder of e.
func (e *entry) otherParts() string {
	return all(equal(fieldOf, e.collection), equal(fieldKind, encoderPart),
		fmt.Sprintf("(%s < %d or %s >= %d)", fieldNumber, e.first, fieldNumber, e.first+int64(e.pieces)))
}

// encoder joins the pieces of the encoder.
func (c *catalog) encoder(ctx context.Context, e *entry) ([]byte, error) {
	if e.pieces == 0 {
		return nil, nil
	}
	rows, err := c.rows(ctx, all(equal(fieldOf, e.collection), equal(fieldKind, encoderPart), fmt.Sprintf("%s >= %d", fieldNumber, e.first)))
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r row) bool { return r.number >= e.first+int64(e.pieces) }) // of an interrupted change
	slices.SortFunc(rows, func(a, b row) int { return int(a.number - b.number) })
	if len(rows) != e.pieces {
		return nil, errors.New("a part of its encoder is missing; airqa store vectors --rebuild makes it again")
	}
	var text strings.Builder
	for _, r := range rows {
		text.WriteString(r.body)
	}
	return base64.StdEncoding.DecodeString(text.String())
}
