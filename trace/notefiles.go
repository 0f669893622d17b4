package trace

import (
	"errors"
	"fmt"
	"sync"
)

// NoteFiles are the notes of several runs. Each file is opened when it is needed. Its methods may overlap.
type NoteFiles struct {
	Config NoteConfig

	mu   sync.Mutex
	open map[string]*NoteFile
}

// Open returns the notes of a run by its directory.
func (n *NoteFiles) Open(run string) (*NoteFile, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if f := n.open[run]; f != nil {
		return f, nil
	}
	f, err := OpenNotes(run, n.Config)
	if err != nil {
		return nil, err
	}
	if n.open == nil {
		n.open = make(map[string]*NoteFile)
	}
	n.open[run] = f
	return f, nil
}

// Close closes all files.
func (n *NoteFiles) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var errs []error
	for _, f := range n.open {
		errs = append(errs, f.Close())
	}
	clear(n.open)
	return errors.Join(errs...)
}

// Decisions returns the decisions that count on some episodes, also those of other people and of earlier visits. open opens
// the notes of a run.
func Decisions(episodes []Key, open func(run string) (*NoteFile, error)) (map[Key]Note, error) {
	decided := make(map[Key]Note)
	runs := make(map[string]map[string]Note)
	for _, e := range episodes {
		if runs[e.Run] == nil {
			f, err := open(e.Run)
			if err != nil {
				return nil, fmt.Errorf("notes of %s: %w", e.Run, err)
			}
			runs[e.Run] = f.Decisions()
		}
		if note, ok := runs[e.Run][e.Episode]; ok {
			decided[e] = note
		}
	}
	return decided, nil
}
