// Package rows reads files of training data, JSON and JSON Lines, and turns their rows into prompts and responses as
// LLaMA-Factory 0.9.5 does, following the entry of the data set in dataset_info.json. Start from [Open], [File.Raw] and
// [File.Parse], then [ReadInfo] and [Info.Convert].
//
// It does not infer types as the trainer's reader does. What depends on that is [NotChecked].
package rows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"airqa/internal/python"
)

// Errors of whole files.
var (
	ErrEmpty  = errors.New("SchemaInferenceError: Please pass `features` or at least one example when writing data: the file is empty")
	ErrNoRows = errors.New(`ValueError: Instruction "train" corresponds to no data`)
)

// NotChecked is the error of what cannot be known without running the trainer; it is the reason.
type NotChecked string

func (n NotChecked) Error() string { return string(n) }

// partSize is the number of bytes from which the trainer's reader takes the types of a file of lines: the first 10 MB.
const partSize = 10 << 20

// File is a file of rows.
type File struct {
	// Schema is the type of a row.
	Schema *Type
	// Len is the number of rows.
	Len int
	// Doubt is why it is not known whether the trainer's reader loads the file; nil if it does.
	Doubt error

	path  string
	array bool
	spans []span
}

// span is the place of a row in the file.
type span struct{ start, end int64 }

// Open reads a file to its end and returns the types of its columns. The error is the trainer's, or [NotChecked].
func Open(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	r := bufio.NewReaderSize(in, 1<<20)
	f := &File{path: path, Schema: &Type{Kinds: Object}}
	skip := 0
	if mark, err := r.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		skip, _ = r.Discard(len(byteOrderMark))
	}
	if err := newScanner(f, r, int64(skip)).file(); err != nil {
		return nil, err
	}
	switch {
	case f.Len == 0 && !f.array:
		return nil, ErrEmpty
	case len(f.Schema.Fields) == 0:
		return nil, ErrNoRows
	}
	return f, nil
}

const byteOrderMark = "\xef\xbb\xbf"

// Parse reads the text of a row.
func (f *File) Parse(raw []byte) (Cell, error) {
	v, err := python.FromJSON(raw)
	return Cell{v, f.Schema}, err
}

// Raw streams the text of the rows, each valid until the next.
func (f *File) Raw() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in, err := os.Open(f.path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = in.Close() }()
		r := bufio.NewReaderSize(in, 1<<20)
		var row bytes.Buffer
		at := int64(0)
		for _, s := range f.spans[:f.Len] {
			row.Reset()
			_, err := io.CopyN(io.Discard, r, s.start-at)
			if err == nil {
				_, err = io.CopyN(&row, r, s.end-s.start)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", f.path, err)
			}
			if at = s.end; !yield(row.Bytes(), err) || err != nil {
				return
			}
		}
	}
}

// Row reads row n, counted from 0.
func (f *File) Row(n int) (Cell, error) {
	if n < 0 || n >= f.Len {
		return Cell{}, fmt.Errorf("%s has %d rows; rows are counted from 0", f.path, f.Len)
	}
	in, err := os.Open(f.path)
	if err != nil {
		return Cell{}, err
	}
	defer func() { _ = in.Close() }()
	s := f.spans[n]
	raw, err := io.ReadAll(io.NewSectionReader(in, s.start, s.end-s.start))
	if err != nil {
		return Cell{}, err
	}
	return f.Parse(raw)
}
