package runlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"airqa/internal/lazyregexp"
)

// Lines yields all lines of an episode in order, with their newlines, damaged attempts included. A line is valid until
// the next iteration.
func (r *Run) Lines(episode string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := r.linesOf(episode)
		if len(lines) == 0 {
			return
		}
		file, err := openIn(r.Dir, LogFile)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = file.Close() }()
		in := &adjacent{file: file}
		for i, at := range lines {
			raw, err := in.line(lines[i:])
			if err != nil {
				err = fmt.Errorf("%s:%d: %w", LogFile, at.number, err)
			}
			if !yield(raw, err) || err != nil {
				return
			}
		}
	}
}

// CopyEpisode appends all lines of an episode of another run as they are. [Writer.CopyBlobs] copies what they refer to.
func (w *Writer) CopyEpisode(from *Run, episode string) error {
	for line, err := range from.Lines(episode) {
		if err != nil {
			return fmt.Errorf("%s: %w", from.Dir, err)
		}
		if !bytes.Equal(w.redact(line), line) {
			if line, err = w.encode(json.RawMessage(line)); err != nil {
				return fmt.Errorf("encode event: %w", err)
			}
		}
		w.mu.Lock()
		err = w.writeLine(line)
		w.mu.Unlock()
		if err != nil {
			return fmt.Errorf("write log: %w", err)
		}
	}
	return nil
}

var blobName = lazyregexp.New(`^([0-9a-f]{64})(\.txt|\.png)$`)

// CopyBlobs copies the texts and images of another run. It leaves out and returns those that are damaged.
func (w *Writer) CopyBlobs(dir string) (damaged []error, err error) {
	for _, folder := range []string{textsDir, imagesDir} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return damaged, err
		}
		for _, e := range entries {
			name := blobName.FindStringSubmatch(e.Name())
			if name == nil {
				continue
			}
			data, err := readBlob(dir, folder, name[1], name[2])
			if err != nil {
				damaged = append(damaged, err)
				continue
			}
			if err := w.blobs.put(filepath.Join(folder, e.Name()), data); err != nil {
				return damaged, err
			}
		}
	}
	return damaged, nil
}
