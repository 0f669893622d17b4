package candidate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"airqa/internal/ledger"
)

// key names a line: the last line of a key counts.
type key struct{ candidate, stage string }

// Ledger is the open ledger of a synthesis. Only their positions are in memory. One process may have it open; calls may
// overlap.
type Ledger struct {
	lines *ledger.Ledger[key, ledger.Span]
}

// OpenLedger opens the ledger of a directory and creates both if they are missing. redact, which may be nil, filters
// every line.
func OpenLedger(dir string, redact func([]byte) []byte) (*Ledger, error) {
	lines, err := ledger.Open(filepath.Join(dir, LedgerFile), ledger.Config[key, ledger.Span]{
		Entry: func(line []byte, at ledger.Span) (key, ledger.Span, error) {
			l, err := decodeLine(line)
			return key{l.Candidate, l.Stage}, at, err
		},
		Redact: redact, Exclusive: true,
	})
	if errors.Is(err, ledger.ErrInUse) {
		return nil, fmt.Errorf("%s: another airqa synth is using it; wait until it is done", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", LedgerFile, err)
	}
	return &Ledger{lines}, nil
}

func decodeLine(line []byte) (Line, error) {
	var l Line
	if err := ledger.Strict(line, &l); err != nil {
		return l, fmt.Errorf("%w; remove the line to redo its stage from the kept replies", err)
	}
	return l, ledger.CheckFormat(l.Format, Format, again)
}

// Close closes the ledger.
func (l *Ledger) Close() error { return l.lines.Close() }

// Get returns the last line of a candidate and stage; false if there is none.
func (l *Ledger) Get(candidateID, stage string) (Line, bool, error) {
	at, ok := l.lines.Get(key{candidateID, stage})
	if !ok {
		return Line{}, false, nil
	}
	raw, err := l.lines.Line(at)
	if err != nil {
		return Line{}, false, fmt.Errorf("read %s: %w", LedgerFile, err)
	}
	line, err := decodeLine(raw)
	return line, err == nil, err
}

// Add appends the lines that differ from the last ones of their candidates and stages; they are on the disk when it
// returns. It sets their format.
func (l *Ledger) Add(lines ...Line) error {
	var text []byte
	for _, line := range lines {
		old, ok, err := l.Get(line.Candidate, line.Stage)
		if err != nil {
			return err
		}
		line.Format = Format
		raw, err := ledger.Encode(line)
		if err != nil {
			return fmt.Errorf("write %s: %w", LedgerFile, err)
		}
		if before, err := ledger.Encode(old); !ok || err != nil || !bytes.Equal(before, raw) {
			text = append(text, raw...)
		}
	}
	if len(text) == 0 {
		return nil
	}
	if err := l.lines.Add(text); err != nil {
		return fmt.Errorf("write %s: %w", LedgerFile, err)
	}
	return nil
}

// Lines yields the lines of a directory's ledger in the order in which they were written, also while another process
// writes. An unfinished last line is left out. A missing ledger has no lines.
func Lines(dir string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := os.Open(filepath.Join(dir, LedgerFile))
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer func() { _ = f.Close() }()
		for raw, err := range ledger.Lines(bufio.NewReaderSize(f, 1<<20)) {
			var line Line
			if err == nil {
				line, err = decodeLine(raw)
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}
