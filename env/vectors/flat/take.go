package flat

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"airqa/env/vectors"
	"airqa/internal/files"
)

// Taking is a collection of another store to take over. Without are the papers that are left out.
type Taking struct {
	From    *Store
	Without []string
}

// Take adds the segments of collections of the same name to the collection c of this store, which it creates if there is
// none; otherwise it changes its fingerprint to that of c. It removes the records of the papers removed first. It links the
// files, which never change, and copies them where that is not possible. No record is read, and no segment is merged: a
// later addition does that.
func (s *Store) Take(ctx context.Context, c vectors.Collection, removed []string, from []Taking) (err error) {
	s.write.Lock()
	defer s.write.Unlock()
	m := manifest{Collection: c}
	old, err := s.hold(c.Name)
	switch {
	case errors.Is(err, vectors.ErrNotFound):
	case err != nil:
		return err
	default:
		defer func() { err = errors.Join(err, old.release()) }()
		m = old.manifest
		m.Collection.Source = c.Source
	}
	return s.change(m, old, func(e *edit) error {
		if len(removed) > 0 {
			if err := e.delete(vectors.Filter{Papers: removed}, 0); err != nil {
				return err
			}
		}
		for _, t := range from {
			if err := e.take(ctx, t); err != nil {
				return err
			}
		}
		if c.Kind == vectors.Words {
			e.Corpus = corpusOf(e.parts, c.Corpus) // one pass over the words of all segments
		}
		return nil
	})
}

func (e *edit) take(ctx context.Context, t Taking) error {
	first := len(e.parts)
	err := t.From.with(e.Collection.Name, func(c *collection) error {
		for _, p := range c.parts {
			if err := errors.Join(ctx.Err(), e.takePart(t.From.folder(e.Collection.Name), p.entry)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(t.Without) == 0 {
		return err
	}
	return e.delete(vectors.Filter{Papers: t.Without}, first)
}

// takePart adds a segment in the folder dir.
func (e *edit) takePart(dir string, entry segment) error {
	own := entry
	own.File = e.newFile("vec")
	err := files.Link(filepath.Join(e.dir, own.File), filepath.Join(dir, entry.File))
	if err == nil && entry.Gone != "" {
		own.Gone = e.newFile("gone")
		err = files.Link(filepath.Join(e.dir, own.Gone), filepath.Join(dir, entry.Gone))
	}
	if err != nil {
		return fmt.Errorf("save collection %s: %w", e.Collection.Name, err)
	}
	p, err := openPart(e.dir, own, e.Collection.Kind)
	if err != nil {
		return err
	}
	e.made = append(e.made, p)
	e.parts = append(e.parts, p)
	return nil
}
