package runlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/internal/ledger"
	"airqa/qa"
)

// Event is one line of an episode, decoded as far as replaying and copying need.
type Event struct {
	// Type is one of the Type constants; Seq counts from 1.
	Type string `json:"type"`
	Seq  int    `json:"seq"`
	// Step and By belong to a call (by the model) or an observation.
	Step int    `json:"step"`
	By   string `json:"by"`
	// Hash is the fingerprint of an observation, see [Fingerprint].
	Hash string `json:"hash"`
	// Outcome, Reason and Answer belong to an end.
	Outcome qa.Outcome `json:"outcome"`
	Reason  string     `json:"reason"`
	Answer  qa.Answer  `json:"answer"`
	// Attempts of a lost event and Failed of an end are requests without a reply.
	Attempts []qa.Attempt `json:"attempts"`
	Failed   []qa.Attempt `json:"failed_attempts"`
	// Line is the whole line with its newline.
	Line []byte `json:"-"`
}

// Events returns the lines of one episode ("uuid#repeat") in order, or none if it is not in the log.
func (r *Run) Events(id string) ([]Event, error) {
	var events []Event
	read := 0
	for raw, err := range r.Lines(id) {
		if err != nil {
			return nil, err
		}
		ev := Event{Line: bytes.Clone(raw)}
		if err := json.Unmarshal(raw, &ev); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", LogFile, r.linesOf(id)[read].number, err)
		}
		read++
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
		if ledger.Hash(data) != sum {
			return &BlobError{name, damaged}
		}
		if err := files.WriteFile(filepath.Join(w.dir, name), data); err != nil {
			return err
		}
	}
	return nil
}
