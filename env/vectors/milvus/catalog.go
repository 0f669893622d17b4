package milvus

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"airqa/env/vectors"
)

// catalogName is the collection that stores the metadata of the others. Milvus's own descriptions are too short for an
// encoder, immutable, and lost on some servers.
const catalogName = "airqa_catalog"

// Kinds of catalog rows.
const (
	// claimed is written before a collection is created on the server, so that leftovers of an interrupted program can
	// be recognised. Its number is the version of the collection.
	claimed = "claim"
	// described is written when a collection is complete, and makes it the current version. Its body is a
	// [description].
	described = "info"
	// encoderPart is a part of the encoder in base64. Its number is its index, from 0.
	encoderPart = "part"
	// inserting exists while records are inserted. Its number is their first id, its body their count.
	inserting = "insert"
)

// The catalog's own fields; fieldOf is the collection's name on the server.
const (
	fieldName   = "name"
	fieldOf     = "collection"
	fieldKind   = "kind"
	fieldNumber = "number"
	fieldBody   = "body"
)

// maxBody is the server's limit for the text of one field, rounded down.
const maxBody = 60_000

type row struct {
	id         int64
	name       string // of the collection, as known to callers
	collection string // its name on the server
	kind       string
	number     int64
	body       string
}

type catalog struct {
	server *server
	name   string

	mu    sync.Mutex
	found bool // reports whether the server has the catalog
}

// exists reports whether there is a catalog; without one, the store is empty.
func (c *catalog) exists(ctx context.Context) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found {
		return true, nil
	}
	found, err := c.server.client.HasCollection(ctx, c.name)
	if found && err == nil {
		err = c.check(ctx)
	}
	c.found = found && err == nil
	return c.found, err
}

// check refuses a collection of another program that has the catalog's name.
func (c *catalog) check(ctx context.Context) error {
	have, err := c.server.client.DescribeCollection(ctx, c.name)
	if err != nil {
		return err
	}
	for _, want := range c.schema().Fields {
		same := func(f *entity.Field) bool { return f.Name == want.Name && f.DataType == want.DataType }
		if !slices.ContainsFunc(have.Schema.Fields, same) {
			return fmt.Errorf("the server has a collection %s that airqa did not make; "+
				"choose another prefix, as in milvus://HOST:19530?prefix=NAME_", c.name)
		}
	}
	return nil
}

// ensure creates the catalog, or completes an interrupted creation.
func (c *catalog) ensure(ctx context.Context) error {
	index, err := entity.NewIndexFlat(entity.COSINE)
	if err != nil {
		return err
	}
	found, err := c.exists(ctx)
	if err != nil {
		return err
	}
	if found {
		return c.server.prepare(ctx, c.name, index)
	}
	return c.server.create(ctx, c.schema(), index)
}

// schema includes a vector, which Milvus requires.
func (c *catalog) schema() *entity.Schema {
	return entity.NewSchema().WithName(c.name).
		WithField(entity.NewField().WithName(fieldID).WithDataType(entity.FieldTypeInt64).WithIsPrimaryKey(true)).
		WithField(entity.NewField().WithName(fieldVector).WithDataType(entity.FieldTypeFloatVector).WithDim(2)).
		WithField(varchar(fieldName, 256)).
		WithField(varchar(fieldOf, 256)).
		WithField(varchar(fieldKind, 16)).
		WithField(entity.NewField().WithName(fieldNumber).WithDataType(entity.FieldTypeInt64)).
		WithField(varchar(fieldBody, 65_535))
}

// add writes rows in one message and assigns their ids.
func (c *catalog) add(ctx context.Context, rows ...row) error {
	n := len(rows)
	ids, numbers, vector := make([]int64, n), make([]int64, n), make([][]float32, n)
	names, collections, kinds, bodies := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	first := newIDs(n).first
	for i, r := range rows {
		ids[i], numbers[i], vector[i] = first+int64(i), r.number, []float32{1, 0}
		names[i], collections[i], kinds[i], bodies[i] = r.name, r.collection, r.kind, r.body
	}
	_, err := c.server.client.Insert(ctx, c.name, "",
		entity.NewColumnInt64(fieldID, ids), entity.NewColumnFloatVector(fieldVector, 2, vector),
		entity.NewColumnVarChar(fieldName, names), entity.NewColumnVarChar(fieldOf, collections),
		entity.NewColumnVarChar(fieldKind, kinds), entity.NewColumnInt64(fieldNumber, numbers),
		entity.NewColumnVarChar(fieldBody, bodies))
	return err
}

func (c *catalog) remove(ctx context.Context, expr string) error {
	return c.server.client.Delete(ctx, c.name, "", expr)
}

// rows returns the rows that match expr, unordered; none if there is no catalog.
func (c *catalog) rows(ctx context.Context, expr string) ([]row, error) {
	found, err := c.exists(ctx)
	if err != nil || !found {
		return nil, err
	}
	set, err := c.server.query(ctx, c.name, expr, fieldID, fieldName, fieldOf, fieldKind, fieldNumber, fieldBody)
	if err != nil {
		return nil, err
	}
	r := reader{set: set}
	rows := make([]row, r.len(fieldID))
	for i := range rows {
		rows[i] = row{
			id: r.number(fieldID, i), name: r.text(fieldName, i), collection: r.text(fieldOf, i),
			kind: r.text(fieldKind, i), number: r.number(fieldNumber, i), body: r.text(fieldBody, i),
		}
	}
	return rows, r.err
}

// span returns the id range of an inserting row.
func (r row) span() (span, error) {
	count, err := strconv.ParseInt(r.body, 10, 64)
	if err != nil {
		return span{}, fmt.Errorf("catalog row %d: %w", r.id, err)
	}
	return span{first: r.number, count: count}, nil
}

// reader reads values from columns and keeps the first error.
type reader struct {
	set client.ResultSet
	err error
}

func (r *reader) len(column string) int {
	if c := r.set.GetColumn(column); c != nil {
		return c.Len()
	}
	return 0
}

func (r *reader) text(column string, i int) string {
	return value(r, column, i, entity.Column.GetAsString)
}

func (r *reader) number(column string, i int) int64 {
	return value(r, column, i, entity.Column.GetAsInt64)
}

func (r *reader) origin(i int) vectors.Origin {
	return vectors.Origin{
		PaperID: r.text(fieldPaper, i), Page: int(r.number(fieldPage, i)),
		Table: r.text(fieldTable, i), Column: r.text(fieldColumn, i), Key: r.text(fieldKey, i),
	}
}

func value[T any](r *reader, column string, i int, get func(entity.Column, int) (T, error)) T {
	var v T
	c := r.set.GetColumn(column)
	if c == nil {
		r.err = fmt.Errorf("the response has no column %s", column)
		return v
	}
	v, err := get(c, i)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("column %s: %w", column, err)
	}
	return v
}
