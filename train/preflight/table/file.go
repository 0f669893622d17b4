package table

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
	errDeep   = errors.New("DatasetGenerationError: ArrowInvalid: Recursion level in ArrowSchema struct exceeded")
	ErrUTF8   = errors.New("UnicodeDecodeError: invalid UTF-8")
)

// partSize is the number of bytes that are read at once; types are fixed by the first part.
const partSize = 10 << 20

// File is a file that loads.
type File struct {
	// Schema is the type of a row.
	Schema *Type
	// Len is the number of rows.
	Len   int
	path  string
	array bool
	block int // size of the blocks in which a part is parsed
	mixed bool
	rows  [][]byte // rows of a file that is one object
}

// Open reads a file to its end and returns the types of its columns. The error is the trainer's. With mixed, columns may
// hold values of several types, as in datasets 5.2, which TRL uses.
func Open(path string, mixed bool) (*File, error) {
	f := &File{path: path, block: max(partSize/32, 16<<10), mixed: mixed}
	if mixed {
		f.block = 2 * partSize // a part is one block: types may change in it
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	err = f.parts(in)
	if !errors.Is(err, ErrUTF8) && !errors.Is(err, ErrEmpty) && err != nil {
		err = f.whole(in, err)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case len(f.Schema.Fields) == 0:
		return nil, ErrNoRows
	case f.Schema.depth() > maxDepth+1:
		return nil, errDeep
	}
	return f, nil
}

// parts reads a file of objects in parts of 10 MB that end with a line.
func (f *File) parts(in io.Reader) error {
	r := bufio.NewReaderSize(in, 1<<20)
	buf := make([]byte, partSize)
	for n := 0; ; n++ {
		size, err := io.ReadFull(r, buf[:partSize])
		if size == 0 {
			break
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err := f.part(append(buf[:size], line...)); err != nil {
			return fmt.Errorf("DatasetGenerationError: %w", err)
		}
	}
	if f.Schema == nil {
		return ErrEmpty
	}
	return nil
}

// errStraddling is the error of a row that is longer than a block.
var errStraddling = errors.New("straddling object straddles two block boundaries")

// part reads a part in blocks, which grow until every row fits.
func (f *File) part(data []byte) error {
	for {
		s, rows, err := f.blocks(data)
		if (errors.Is(err, errStraddling) || errors.Is(err, errRetry)) && f.block <= len(data) {
			f.block *= 2
			continue
		}
		if err != nil {
			return fmt.Errorf("ArrowInvalid: JSON parse error: %w", err)
		}
		f.Len += rows
		if f.Schema == nil {
			f.Schema = s.typ()
			return nil
		}
		if err := f.Schema.castable(s); err != nil {
			return fmt.Errorf("%w after the first %d MB", err, partSize>>20)
		}
		return nil
	}
}

// blocks parses data in blocks, each up to its last line end, and merges their shapes.
func (f *File) blocks(data []byte) (*shape, int, error) {
	size := f.block
	all, rows, start := &shape{kind: Struct}, 0, 0
	for from := 0; from < len(data); from += size {
		end := len(data)
		if to := from + size; to < len(data) {
			n := bytes.LastIndexAny(data[from:to], "\r\n")
			if n < 0 && start < from {
				return nil, 0, errStraddling
			}
			if n < 0 {
				continue
			}
			end = from + n + 1
		}
		s := scanner{data: data[start:end], mixed: f.mixed}
		one, n, err := s.rows()
		if err != nil {
			return nil, 0, err
		}
		if err := all.merge(one); err != nil {
			return nil, 0, err
		}
		rows, start = rows+n, end
	}
	return all, rows, nil
}

// rows parses all objects of a block.
func (s *scanner) rows() (*shape, int, error) {
	all, n := &shape{kind: Struct}, 0
	s.pos = len(bom(s.data))
	for ; ; n++ {
		s.space()
		if s.pos == len(s.data) {
			return all, n, nil
		}
		if err := s.value(all); err != nil {
			if f := (*fault)(nil); errors.As(err, &f) {
				err = fmt.Errorf("%w in row %d", err, n)
			}
			return nil, 0, err
		}
	}
}

func bom(data []byte) []byte {
	if b := []byte("\xef\xbb\xbf"); bytes.HasPrefix(data, b) {
		return b
	}
	return nil
}

// whole reads a file that is not made of objects as one JSON text, as the trainer does after an error.
func (f *File) whole(in io.ReadSeeker, cause error) error {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sp := newSplitter(in)
	switch c, err := sp.peek(); {
	case err != nil:
		return cause
	case c == '[':
		*f = File{path: f.path, mixed: f.mixed, array: true}
		return f.items(sp)
	case c == '{':
		return f.columns(sp, cause)
	}
	return cause
}

// items reads an array of objects. Other items are rows too, without the columns that the trainer looks for.
func (f *File) items(sp *splitter) error {
	all := &shape{kind: Struct}
	s := scanner{array: true, mixed: f.mixed}
	first := byte(0)
	for raw, err := range sp.array() {
		if err != nil {
			return err
		}
		if f.Len == 0 {
			first = raw[0]
		}
		s.data, s.pos = raw, 0
		to := all
		switch {
		case (first == '{') != (raw[0] == '{'):
			return fmt.Errorf("DatasetGenerationError: AttributeError: item %d of the array is not an object", f.Len)
		case first != '{':
			to = all.field([]byte("text"), 0)
		}
		if err := s.value(to); err != nil {
			return fmt.Errorf("DatasetGenerationError: ArrowInvalid: %w in row %d", err, f.Len)
		}
		f.Len++
	}
	f.Schema = all.typ()
	return nil
}

// columns reads a file of one object that is not a row: its lists are columns, its other values are repeated.
func (f *File) columns(sp *splitter, cause error) error {
	raw, err := sp.next()
	if err != nil {
		return cause
	}
	if _, err := sp.peek(); !errors.Is(err, io.EOF) {
		return cause // the trainer reports "Trailing data"
	}
	rows, err := transpose(raw)
	if err != nil {
		return cause
	}
	all := &shape{kind: Struct}
	for _, row := range rows {
		if err := (&scanner{array: true, mixed: f.mixed, data: row}).value(all); err != nil {
			return fmt.Errorf("DatasetGenerationError: ArrowInvalid: %w", err)
		}
	}
	*f = File{path: f.path, mixed: f.mixed, rows: rows, Len: len(rows), Schema: all.typ()}
	return nil
}

// Parse reads the text of a row.
func (f *File) Parse(raw []byte) (Cell, error) {
	v, _, err := python.ParseJSON(string(raw), 0, python.Options{Loose: f.array})
	if f.array && bytes.Contains(raw, []byte(`\u`)) {
		v = withoutSurrogates(v)
	}
	return Cell{v, f.Schema}, err
}

// Raw streams the text of the rows, each valid until the next.
func (f *File) Raw() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if f.rows != nil {
			for _, row := range f.rows {
				if !yield(row, nil) {
					return
				}
			}
			return
		}
		in, err := os.Open(f.path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = in.Close() }()
		sp := newSplitter(in)
		if f.array {
			sp.array()(yield)
		} else {
			sp.objects()(yield)
		}
	}
}
