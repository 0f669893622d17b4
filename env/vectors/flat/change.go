package flat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"airqa/env/vectors"
	"airqa/internal/atomicfile"
)

// Create makes an empty collection.
func (s *Store) Create(_ context.Context, c vectors.Collection) error {
	if err := c.Check(); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	if _, err := os.Stat(s.file(c.Name)); err == nil {
		return fmt.Errorf("create collection %s: %w", c.Name, vectors.ErrExists)
	}
	return s.save(c, func(*builder) error { return nil })
}

// Replace writes dense vectors to disk as they arrive. Their codes, a quarter of the size, stay in memory until the
// end.
func (s *Store) Replace(ctx context.Context, c vectors.Collection, records iter.Seq2[vectors.Record, error]) error {
	if err := c.Check(); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	return s.save(c, func(d *builder) error {
		for r, err := range records {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = c.CheckRecord(r)
			}
			if err == nil {
				err = d.add(r)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Drop removes a collection.
func (s *Store) Drop(_ context.Context, name string) error {
	s.write.Lock()
	defer s.write.Unlock()
	if err := s.exists(name); err != nil {
		return err
	}
	if err := errors.Join(s.forget(name), os.RemoveAll(filepath.Join(s.dir, name))); err != nil {
		return fmt.Errorf("drop collection %s: %w", name, err)
	}
	return nil
}

// Insert adds all records or none.
func (s *Store) Insert(ctx context.Context, name string, records []vectors.Record) error {
	s.write.Lock()
	defer s.write.Unlock()
	return s.with(name, func(old *set) error {
		for _, r := range records {
			if err := old.info.CheckRecord(r); err != nil {
				return err
			}
		}
		if len(records) == 0 {
			return nil
		}
		return s.save(old.info, func(d *builder) error {
			err := d.copy(ctx, old, func(place) bool { return true })
			for i := 0; err == nil && i < len(records); i++ {
				err = d.add(records[i])
			}
			return err
		})
	})
}

// Delete removes the records that pass filter.
func (s *Store) Delete(ctx context.Context, name string, filter vectors.Filter) error {
	if filter.IsZero() {
		return fmt.Errorf("delete from collection %s: %w: the filter is empty", name, vectors.ErrInvalid)
	}
	if err := filter.Check(); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	return s.with(name, func(old *set) error {
		n, err := old.count(filter)
		if err != nil || n == 0 {
			return err
		}
		gone := old.origins.filter(filter)
		return s.save(old.info, func(d *builder) error {
			return d.copy(ctx, old, func(p place) bool { return !gone.match(p) })
		})
	})
}

// save writes a collection to its file and makes it visible to later calls.
func (s *Store) save(c vectors.Collection, fill func(*builder) error) error {
	err := atomicfile.Write(s.file(c.Name), func(w io.Writer) error {
		d := newBuilder(c, s.engine.kernel, w)
		if err := fill(d); err != nil {
			return err
		}
		return d.finish()
	})
	if err != nil {
		return fmt.Errorf("save collection %s: %w", c.Name, err)
	}
	return s.forget(c.Name)
}
