package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// blockSize is the approximate number of bytes read at once.
const blockSize = 256 << 10

// Block is a piece of a file with whole records. Blocks can be decoded concurrently.
type Block struct {
	File string
	// Line is the number of the first line, from 1.
	Line int
	// Data belongs to the receiver of the block; the reader does not use it again.
	Data []byte
	// single is true for a block that is one record, over any number of lines.
	single bool
	// note explains how the file was read, if that is not obvious.
	note string
}

// Records yields the records with their line numbers and skips empty lines.
func (b Block) Records() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if b.single {
			yield(b.Line, b.Data)
			return
		}
		n := b.Line
		for line := range bytes.Lines(b.Data) {
			if len(bytes.TrimSpace(line)) > 0 && !yield(n, line) {
				return
			}
			n++
		}
	}
}

// Blocks yields the text of the files that [Load] reads. An error ends it.
func Blocks(path string) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			yield(Block{}, fmt.Errorf("questions: %w", err))
		case info.IsDir():
			folder(path, yield)
		default:
			file(path, yield)
		}
	}
}

// LineBlocks yields the text of a JSON Lines file. what describes its content in errors, such as "predictions".
func LineBlocks(what, path string) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) { lineBlocks(what, path, yield) }
}

func folder(dir string, yield func(Block, error) bool) {
	entries, err := os.ReadDir(dir) // sorted by name; no globbing, since the folder's name may have special characters
	if err != nil {
		yield(Block{}, err)
		return
	}
	var files []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".json" {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	if len(files) == 0 {
		yield(Block{}, fmt.Errorf("questions %s: the folder contains no *.json file", dir))
	}
	for _, f := range files {
		if !file(f, yield) {
			return
		}
	}
}

func lineBlocks(what, path string, yield func(Block, error) bool) bool {
	file, err := openText(path)
	if err != nil {
		yield(Block{}, fmt.Errorf("%s: %w", what, err))
		return false
	}
	defer func() { _ = file.Close() }()
	r := blockReader{in: file}
	for line := 1; ; {
		data, err := r.next()
		if err != nil && !errors.Is(err, io.EOF) {
			yield(Block{}, fmt.Errorf("%s: %w", what, err))
			return false
		}
		if len(data) > 0 && !yield(Block{File: path, Line: line, Data: data, note: file.note}, nil) {
			return false
		}
		file.note = ""
		if err != nil {
			return true
		}
		line += bytes.Count(data, []byte{'\n'})
	}
}

// blockReader splits a stream at line ends.
type blockReader struct {
	in   io.Reader
	rest []byte // the beginning of an incomplete line
}

// next returns whole lines; with [io.EOF] the last ones, if any. A line longer than a block is returned whole.
func (r *blockReader) next() ([]byte, error) {
	buf := make([]byte, len(r.rest), len(r.rest)+blockSize)
	copy(buf, r.rest)
	for {
		n, err := r.in.Read(buf[len(buf):cap(buf)])
		seen := len(buf)
		buf = buf[:seen+n]
		if err != nil {
			r.rest = nil
			return buf, err
		}
		if len(buf) < cap(buf) {
			continue
		}
		if end := bytes.LastIndexByte(buf[seen:], '\n'); end >= 0 {
			r.rest = buf[seen+end+1:]
			return buf[: seen+end+1 : seen+end+1], nil
		}
		if end := bytes.LastIndexByte(buf[:seen], '\n'); end >= 0 {
			r.rest = buf[end+1:]
			return buf[: end+1 : end+1], nil
		}
		buf = append(make([]byte, 0, 2*cap(buf)), buf...)
	}
}
