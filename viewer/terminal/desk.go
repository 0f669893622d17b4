package terminal

import (
	"airqa/trace"
	"airqa/trace/cause"
)

// desk has the notes of the runs: comments and decisions. Files are opened when they are needed.
type desk struct {
	files trace.NoteFiles
	// decisions are those of the runs of files.
	decisions map[trace.Key]cause.Code
}

func newDesk(author string) *desk {
	return &desk{files: trace.NoteFiles{Config: trace.NoteConfig{Author: author}}, decisions: make(map[trace.Key]cause.Code)}
}

// read reads the decisions on episodes again.
func (d *desk) read(list []trace.Key) error {
	decided, err := trace.Decisions(list, d.files.Open)
	if err != nil {
		return err
	}
	for _, e := range list {
		delete(d.decisions, e)
		if n, ok := decided[e]; ok {
			d.decisions[e] = n.Cause
		}
	}
	return nil
}

// of returns the notes of an episode; those that cannot be read are left out.
func (d *desk) of(e trace.Key) []trace.Note {
	f, err := d.files.Open(e.Run)
	if err != nil {
		return nil
	}
	return f.Of(e.Episode)
}

func (d *desk) decided(e trace.Key) (cause.Code, bool) {
	c, ok := d.decisions[e]
	return c, ok
}

func (d *desk) decide(e trace.Key, c cause.Code) error {
	f, err := d.files.Open(e.Run)
	if err != nil {
		return err
	}
	if _, err := f.Decide(e.Episode, c); err != nil {
		return err
	}
	d.decisions[e] = c
	return nil
}

// undecide removes the decision that counts; the one before it counts again.
func (d *desk) undecide(e trace.Key) error {
	f, err := d.files.Open(e.Run)
	if err != nil {
		return err
	}
	if _, err := f.Undecide(e.Episode); err != nil {
		return err
	}
	delete(d.decisions, e)
	if n, ok := f.Decided(e.Episode); ok {
		d.decisions[e] = n.Cause
	}
	return nil
}

func (d *desk) comment(e trace.Key, step int, text string) error {
	f, err := d.files.Open(e.Run)
	if err != nil {
		return err
	}
	_, err = f.Add(trace.Note{Episode: e.Episode, Step: step, Text: text})
	return err
}

func (d *desk) close() error { return d.files.Close() }
