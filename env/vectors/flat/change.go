package flat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"airqa/env/vectors"
	"airqa/internal/files"
)

// Replace writes segments of a bounded number of records as they arrive.
func (s *Store) Replace(ctx context.Context, c vectors.Collection, records iter.Seq2[vectors.Record, error]) error {
	if err := c.Check(); err != nil {
		return err
	}
	if c.Kind == vectors.Sparse {
		return fmt.Errorf("collection %s: %w kind %s in files", c.Name, vectors.ErrInvalid, c.Kind)
	}
	s.write.Lock()
	defer s.write.Unlock()
	return s.change(manifest{Collection: c}, nil, func(e *edit) error { return e.load(ctx, records, nil) })
}

// Insert adds all records or none, as a segment of their own.
func (s *Store) Insert(ctx context.Context, name string, records []vectors.Record) error {
	return s.Add(ctx, name, records, nil)
}

// Add is Insert with a version for each paper, which [Store.Versions] returns. A paper is added once: delete its records
// before it is added again.
func (s *Store) Add(ctx context.Context, name string, records []vectors.Record, versions map[string]string) error {
	s.write.Lock()
	defer s.write.Unlock()
	return s.with(name, func(old *collection) error {
		if len(records) == 0 {
			return nil
		}
		return s.change(old.manifest, old, func(e *edit) error { return e.load(ctx, vectors.All(records), versions) })
	})
}

// Delete marks the records that pass filter as deleted. Merges remove them later.
func (s *Store) Delete(ctx context.Context, name string, filter vectors.Filter) error {
	if filter.IsZero() {
		return fmt.Errorf("delete from collection %s: %w: the filter is empty", name, vectors.ErrInvalid)
	}
	if err := filter.Check(); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	return s.with(name, func(old *collection) error {
		n, err := old.count(filter)
		if err != nil || n == 0 {
			return err
		}
		return s.change(old.manifest, old, func(e *edit) error {
			if err := e.delete(filter, 0); err != nil {
				return err
			}
			return e.merge(ctx)
		})
	})
}

// Describe changes the fingerprint of the papers that a collection was built from.
func (s *Store) Describe(_ context.Context, name, source string) error {
	s.write.Lock()
	defer s.write.Unlock()
	return s.with(name, func(old *collection) error {
		m := old.manifest
		m.Collection.Source = source
		return s.change(m, old, func(*edit) error { return nil })
	})
}

// edit is a change of a collection. Its segments are files that no manifest lists yet.
type edit struct {
	store *Store
	dir   string
	next  int // number of the next file
	manifest
	parts []*part
	made  []*part // opened by the edit
}

// change writes a new version of a collection and makes it visible to later calls. The parts of old are not changed;
// nil means that the collection begins empty.
func (s *Store) change(m manifest, old *collection, do func(*edit) error) (err error) {
	e := &edit{store: s, dir: s.folder(m.Collection.Name), manifest: m}
	e.Corpus = m.Corpus.Clone()
	if old != nil {
		e.parts = slices.Clone(old.parts)
	}
	defer func() {
		for _, p := range e.made {
			err = errors.Join(err, p.release())
		}
	}()
	entries, err := os.ReadDir(e.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	e.next = 1
	for _, entry := range entries { // files of killed writers count, since another generation may list them
		if m := segmentName.FindStringSubmatch(entry.Name()); m != nil {
			n, _ := strconv.Atoi(m[1]) // the pattern has at most nine digits
			e.next = max(e.next, n+1)
		}
	}
	if err := do(e); err != nil {
		return err
	}
	e.Segments = []segment{}
	for _, p := range e.parts {
		e.Segments = append(e.Segments, p.entry)
	}
	if err := e.write(e.dir, s.generation); err != nil {
		return fmt.Errorf("save collection %s: %w", m.Collection.Name, err)
	}
	return errors.Join(s.forget(m.Collection.Name), s.tidy(m.Collection.Name))
}

// load adds records as segments, and merges segments where that is due.
func (e *edit) load(ctx context.Context, records iter.Seq2[vectors.Record, error], versions map[string]string) error {
	next, stop := iter.Pull2(records)
	defer stop()
	for more := true; more; {
		p, err := e.segment(func(d *builder) (err error) {
			d.versions = versions
			more, err = e.fill(ctx, d, next)
			return err
		})
		if err != nil {
			return err
		}
		if p.records == 0 {
			continue
		}
		if e.Collection.Kind == vectors.Words {
			c := e.Corpus.Clone()
			documents, tokens := p.documents(e.Collection.Corpus, func(uint32) bool { return true })
			c.Documents, c.Tokens = c.Documents+documents, c.Tokens+tokens
			for i := range uint32(p.words.texts.len()) {
				if n := p.words.frequency(i); n > 0 {
					known := frequency(e.parts, string(p.words.texts.at(i)))
					c.Move(known, known+n)
				}
			}
			e.Corpus = c
		}
		e.parts = append(e.parts, p)
	}
	return e.merge(ctx)
}

// fill adds up to [Store.maxSegment] records, and reports whether there may be more.
func (e *edit) fill(ctx context.Context, d *builder, next func() (vectors.Record, error, bool)) (more bool, err error) {
	for range e.store.maxSegment {
		r, err, ok := next()
		if !ok {
			return false, nil
		}
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return false, err
		}
		if err := e.Collection.CheckRecord(r); err != nil {
			return false, err
		}
		if err := d.add(r); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (e *edit) segment(fill func(*builder) error) (*part, error) {
	info := e.Collection
	info.Encoder = nil
	name := e.newFile("vec")
	err := files.Write(filepath.Join(e.dir, name), func(w io.Writer) error {
		d := newBuilder(info, e.store.engine.kernel, w)
		if err := fill(d); err != nil {
			return err
		}
		return d.finish()
	})
	if err != nil {
		return nil, fmt.Errorf("save collection %s: %w", info.Name, err)
	}
	p, err := openPart(e.dir, segment{File: name}, info.Kind)
	if err != nil {
		return nil, err
	}
	p.entry.Records = p.records
	e.made = append(e.made, p)
	return p, p.file.verify(func() error { return nil }) // read back what was written
}

func (e *edit) newFile(suffix string) string {
	e.next++
	return fmt.Sprintf("%06d.%s", e.next-1, suffix)
}

// merge merges segments until none is due.
func (e *edit) merge(ctx context.Context) error {
	for {
		due := dueForMerge(e.parts, e.store.maxMerged)
		if len(due) == 0 {
			return nil
		}
		for _, p := range due { // damage must not get a valid checksum
			if err := p.verify(ctx.Err); err != nil {
				return fmt.Errorf("merge segments of collection %s: %s: %w", e.Collection.Name, p.entry.File, err)
			}
		}
		p, err := e.segment(func(d *builder) error { return d.merge(ctx, due) })
		if err != nil {
			return err
		}
		at := slices.Index(e.parts, due[0])
		e.parts = slices.DeleteFunc(e.parts, func(p *part) bool { return slices.Contains(due, p) })
		if p.records > 0 {
			e.parts = slices.Insert(e.parts, at, p)
		}
	}
}

// delete marks the records that pass a filter, in the segments from a number on, as deleted.
func (e *edit) delete(filter vectors.Filter, first int) error {
	kept := e.parts[:first:first]
	for _, p := range e.parts[first:] {
		going, err := p.matching(filter)
		if err == nil && len(going) > 0 {
			p, err = e.without(p, going)
		}
		if err != nil {
			return err
		}
		if p.live() > 0 {
			kept = append(kept, p)
		}
	}
	e.parts = kept
	return nil
}

// matching returns the live records that pass a filter, ascending.
func (p *part) matching(filter vectors.Filter) ([]uint32, error) {
	all, err := p.origins.candidates(filter)
	if err != nil {
		return nil, err
	}
	var list []uint32
	buf := make([]uint32, 0, batchSize)
	for from := 0; from < all.count; from += batchSize {
		b := all.batch(from, min(from+batchSize, all.count), buf)
		if b.list == nil {
			for i := range b.count {
				list = append(list, uint32(b.first+i))
			}
		}
		list = append(list, b.list...)
	}
	slices.Sort(list)
	return list, nil
}

// without writes a new list of deleted records for a segment.
func (e *edit) without(p *part, going []uint32) (*part, error) {
	records := slices.Concat(p.deleted(), going)
	slices.Sort(records)
	var less []fewer
	if e.Collection.Kind == vectors.Words {
		bits := newBits(p.records, going)
		removed, err := p.removal(e.Collection.Corpus, bits)
		if err != nil {
			return nil, err
		}
		for _, f := range removed {
			before := frequency(e.parts, string(p.words.texts.at(f.word)))
			e.Corpus.Move(before, before-int(f.n))
		}
		documents, tokens := p.documents(e.Collection.Corpus, bits.has)
		e.Corpus.Documents, e.Corpus.Tokens = e.Corpus.Documents-documents, e.Corpus.Tokens-tokens
		less = joined(p.words.fewer, removed)
	}
	entry := p.entry
	entry.Gone, entry.GoneCRC32C = e.newFile("gone"), 0
	entry.Records, entry.Dead = p.records-len(records), len(records)
	err := files.Write(filepath.Join(e.dir, entry.Gone), func(w io.Writer) error {
		out := startFile(w)
		out.section("gone", raw(records))
		out.section("fewer", raw(less))
		return out.finish(e.Collection, len(records))
	})
	if err != nil {
		return nil, fmt.Errorf("save collection %s: %w", e.Collection.Name, err)
	}
	changed, err := openPart(e.dir, entry, e.Collection.Kind)
	if err != nil {
		return nil, err
	}
	e.made = append(e.made, changed)
	// The words of later segments are counted without these records.
	e.parts[slices.Index(e.parts, p)] = changed
	return changed, nil
}

// tidy removes the segments of a collection that no manifest lists. Readers that have them open keep them. As long as a
// manifest cannot be read, the segments may be what is left of its generation, so it removes none.
func (s *Store) tidy(name string) error {
	dir := s.folder(name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("tidy collection %s: %w", name, err)
	}
	used, err := listed(dir, entries)
	if errors.Is(err, errDamaged) || errors.Is(err, errFormat) {
		return nil
	}
	for _, e := range entries {
		if err == nil && segmentName.MatchString(e.Name()) && !used[e.Name()] {
			err = files.IgnoreMissing(os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("tidy collection %s: %w", name, err)
	}
	return nil
}

// listed returns the files that the manifests in a folder list.
func listed(dir string, entries []os.DirEntry) (map[string]bool, error) {
	used := make(map[string]bool)
	for _, e := range entries {
		if !manifestName.MatchString(e.Name()) {
			continue
		}
		m, err := readManifest(dir, generationOf(e.Name()))
		if err != nil {
			return nil, err
		}
		for _, s := range m.Segments {
			used[s.File], used[s.Gone] = true, true
		}
	}
	return used, nil
}
