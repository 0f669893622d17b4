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

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
)

// Event is one line of an episode, decoded as far as copying it needs.
type Event struct {
	// Type is one of the Type constants; Seq counts from 1.
	Type string `json:"type"`
	Seq  int    `json:"seq"`
	// Step belongs to a call or an observation.
	Step int `json:"step"`
	// Line is the whole line with its newline.
	Line []byte `json:"-"`
}

// Events returns the lines of one episode ("uuid#repeat") in order, or none if it is not in the log.
func (r *Run) Events(id string) ([]Event, error) {
	var events []Event
	read := 0
	for raw, err := range r.eachLine(id) {
		if err != nil {
			return nil, err
		}
		ev, err := decode[Event](raw)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", LogFile, r.linesOf(id)[read].number, err)
		}
		read++
		ev.Line = bytes.Clone(raw)
		if ev.Type == TypeStart && ev.Seq == 1 {
			events = nil // the events so far are a damaged attempt
		}
		events = append(events, ev)
	}
	return events, nil
}

// hashPattern matches the names of texts and images in a line.
var hashPattern = lazyregexp.New(`"[0-9a-f]{64}"`)

// Copy appends events of another run verbatim, with their texts and images. The log must not have events of their
// episode.
func (w *Writer) Copy(from *Run, events []Event) error {
	for _, ev := range events {
		for _, name := range hashPattern.FindAll(ev.Line, -1) {
			if err := w.copyBlobs(from.Dir, string(name[1:len(name)-1])); err != nil {
				return err
			}
		}
		if _, err := w.append(json.RawMessage(ev.Line)); err != nil {
			return err
		}
	}
	return w.Sync()
}

// copyBlobs copies the files with a hash from another run directory.
func (w *Writer) copyBlobs(dir, sum string) error {
	for _, name := range []string{filepath.Join(textsDir, sum+".txt"), filepath.Join(imagesDir, sum+".png")} {
		data, err := readIn(dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if files.Hash(data) != sum {
			return &BlobError{name, damaged}
		}
		if err := files.WriteFile(filepath.Join(w.dir, name), data); err != nil {
			return err
		}
	}
	return nil
}

// eachLine yields all lines of an episode in order, with their newlines, damaged attempts included. A line is valid until
// the next iteration.
func (r *Run) eachLine(episode string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := r.linesOf(episode)
		if len(lines) == 0 {
			return
		}
		file, err := OpenFile(r.Dir, LogFile)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = file.Close() }()
		for raw, err := range read(file, lines) {
			if !yield(raw, err) {
				return
			}
		}
	}
}

// CopyEpisode appends all lines of an episode of another run as they are, after those that an interrupted copy left in have, the
// run of the writer. It leaves out an episode that have began by itself. [Writer.CopyBlobs] copies what the lines refer to.
func (w *Writer) CopyEpisode(from, have *Run, episode string) error {
	var before [][]byte
	for line := range have.eachLine(episode) {
		before = append(before, bytes.Clone(line))
	}
	for line, err := range from.eachLine(episode) {
		if err != nil {
			return fmt.Errorf("%s: %w", from.Dir, err)
		}
		if !bytes.Equal(w.redact(line), line) {
			if line, err = w.encode(json.RawMessage(line)); err != nil {
				return fmt.Errorf("encode event: %w", err)
			}
		}
		if len(before) > 0 {
			if !bytes.Equal(line, before[0]) {
				return nil
			}
			before = before[1:]
			continue
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
