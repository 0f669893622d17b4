package terminal

import (
	"errors"

	"airqa/trace"
	"airqa/trace/cause"
)

// desk has the notes of the runs: comments and decisions. Files are opened when they are needed.
type desk struct {
	author string
	files  map[string]*trace.NoteFile
	// decisions are those of the runs of files.
	decisions map[id]cause.Code
}

func newDesk(author string) *desk {
	return &desk{author: author, files: make(map[string]*trace.NoteFile), decisions: make(map[id]cause.Code)}
}

func (d *desk) file(run string) (*trace.NoteFile, error) {
	if f := d.files[run]; f != nil {
		return f, nil
	}
	f, err := trace.OpenNotes(run, trace.NoteConfig{Author: d.author})
	if err == nil {
		d.files[run] = f
	}
	return f, err
}

// read reads the decisions on episodes, also those of other people and of earlier visits.
func (d *desk) read(list []id) error {
	runs := make(map[string]map[string]trace.Note)
	for _, e := range list {
		if runs[e.run] == nil {
			f, err := d.file(e.run)
			if err != nil {
				return err
			}
			runs[e.run] = f.Decisions()
		}
		delete(d.decisions, e)
		if n, ok := runs[e.run][e.episode]; ok {
			d.decisions[e] = n.Cause
		}
	}
	return nil
}

// of returns the notes of an episode; those that cannot be read are left out.
func (d *desk) of(e id) []trace.Note {
	f, err := d.file(e.run)
	if err != nil {
		return nil
	}
	return f.Of(e.episode)
}

func (d *desk) decided(e id) (cause.Code, bool) {
	c, ok := d.decisions[e]
	return c, ok
}

func (d *desk) decide(e id, c cause.Code) error {
	f, err := d.file(e.run)
	if err != nil {
		return err
	}
	if _, err := f.Decide(e.episode, c); err != nil {
		return err
	}
	d.decisions[e] = c
	return nil
}

// undecide removes the decision that counts; the one before it counts again.
func (d *desk) undecide(e id) error {
	f, err := d.file(e.run)
	if err != nil {
		return err
	}
	if _, err := f.Undecide(e.episode); err != nil {
		return err
	}
	delete(d.decisions, e)
	if n, ok := f.Decided(e.episode); ok {
		d.decisions[e] = n.Cause
	}
	return nil
}

func (d *desk) comment(e id, step int, text string) error {
	f, err := d.file(e.run)
	if err != nil {
		return err
	}
	_, err = f.Add(trace.Note{Episode: e.episode, Step: step, Text: text})
	return err
}

func (d *desk) close() error {
	var all []error
	for _, f := range d.files {
		all = append(all, f.Close())
	}
	return errors.Join(all...)
}
