package milvus

import (
	"math/rand/v2"

	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"airqa/env/vectors"
)

// The fields of a collection, as in the paper's reference implementation, except that the writer assigns the ids: a
// range of ids then identifies the records of one call.
const (
	fieldID     = "id"
	fieldVector = "vector"
	fieldPaper  = "pdf_id"
	fieldPage   = "page_number"
	fieldTable  = "table_name"
	fieldColumn = "column_name"
	fieldKey    = "primary_key"
	// fieldText identifies the text of a dense vector.
	fieldText = "text_hash"
)

var originFields = []string{fieldPaper, fieldPage, fieldTable, fieldColumn, fieldKey}

// Limits of one insert. Milvus Lite's time grows with the square of the number of rows; Milvus rejects messages over 64
// MB.
const (
	batchRows  = 500
	batchBytes = 16 << 20
)

// newIDs returns count consecutive random ids. A collision is improbable, with 2^62 ids to choose from.
func newIDs(count int) span {
	return span{first: rand.Int64N(1 << 62), count: int64(count)}
}

// serverDim is the dimension on the server. Milvus has no vectors of dimension 1; padding with a zero leaves the cosine
// unchanged.
func serverDim(dim int) int { return max(dim, 2) }

func varchar(name string, length int64) *entity.Field {
	return entity.NewField().WithName(name).WithDataType(entity.FieldTypeVarChar).WithMaxLength(length)
}

func schemaOf(name string, c vectors.Collection) *entity.Schema {
	vector := entity.NewField().WithName(fieldVector).WithDataType(entity.FieldTypeSparseVector)
	if c.Kind == vectors.Dense {
		vector = vector.WithDataType(entity.FieldTypeFloatVector).WithDim(int64(serverDim(c.Dim)))
	}
	schema := entity.NewSchema().WithName(name).
		WithField(entity.NewField().WithName(fieldID).WithDataType(entity.FieldTypeInt64).WithIsPrimaryKey(true)).
		WithField(vector).
		WithField(varchar(fieldPaper, vectors.MaxName+1)).
		WithField(entity.NewField().WithName(fieldPage).WithDataType(entity.FieldTypeInt16)).
		WithField(varchar(fieldTable, vectors.MaxName+1)).
		WithField(varchar(fieldColumn, vectors.MaxName+1)).
		WithField(varchar(fieldKey, vectors.MaxKey))
	if c.Kind == vectors.Dense {
		schema = schema.WithField(entity.NewField().WithName(fieldText).WithDataType(entity.FieldTypeInt64))
	}
	return schema
}

// columnsOf converts validated records to columns, with ids starting at first.
func (e *entry) columnsOf(records []vectors.Record, first int64) ([]entity.Column, error) {
	n := len(records)
	ids, hashes, pages := make([]int64, n), make([]int64, n), make([]int16, n)
	papers, tables, columns, keys := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, r := range records {
		ids[i], hashes[i], pages[i] = first+int64(i), r.Text, int16(r.Page)
		papers[i], tables[i], columns[i], keys[i] = r.PaperID, r.Table, r.Column, r.Key
	}
	vector, err := vectorColumn(e.info, records)
	list := []entity.Column{
		entity.NewColumnInt64(fieldID, ids), vector,
		entity.NewColumnVarChar(fieldPaper, papers), entity.NewColumnInt16(fieldPage, pages),
		entity.NewColumnVarChar(fieldTable, tables), entity.NewColumnVarChar(fieldColumn, columns),
		entity.NewColumnVarChar(fieldKey, keys),
	}
	if e.info.Kind == vectors.Dense {
		list = append(list, entity.NewColumnInt64(fieldText, hashes))
	}
	return list, err
}

func vectorColumn(c vectors.Collection, records []vectors.Record) (entity.Column, error) {
	if c.Kind == vectors.Dense {
		rows := make([][]float32, len(records))
		for i, r := range records {
			rows[i] = denseVector(r.Dense)
		}
		return entity.NewColumnFloatVector(fieldVector, serverDim(c.Dim), rows), nil
	}
	rows := make([]entity.SparseEmbedding, len(records))
	for i, r := range records {
		var err error
		if rows[i], err = sparseVector(r.Sparse); err != nil {
			return nil, err
		}
	}
	return entity.NewColumnSparseVectors(fieldVector, rows), nil
}

func denseVector(v []float32) entity.FloatVector {
	if len(v) == 1 {
		return entity.FloatVector{v[0], 0}
	}
	return v
}

func sparseVector(terms []vectors.Term) (entity.SparseEmbedding, error) {
	positions, weights := make([]uint32, len(terms)), make([]float32, len(terms))
	for i, t := range terms {
		positions[i], weights[i] = t.Position, t.Weight
	}
	return entity.NewSliceSparseEmbedding(positions, weights)
}
