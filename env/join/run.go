package join

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/env/datadir"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/flat"
	"airqa/internal/files"
	"airqa/internal/ledger"
)

// Run joins the directories. After an error the target has the papers that it had.
func (j *Join) Run(ctx context.Context) error {
	if j.to.dir == nil {
		if err := j.lockTarget(); err != nil {
			return err
		}
		if j.to.dir.Generation() > 0 {
			return fmt.Errorf("join into %s: it got papers meanwhile; run the same command again", j.to.path)
		}
	}
	if err := j.takeFiles(ctx); err != nil {
		return err
	}
	if j.Added() == 0 {
		return nil
	}
	before, err := j.recordPlan()
	if err != nil {
		return err
	}
	next, err := j.to.dir.Next()
	if err != nil {
		return err
	}
	all := without(j.to.papers.Files, j.to.removed)
	for _, s := range j.sources {
		all = append(all, s.taken()...)
	}
	slices.SortFunc(all, func(a, b paperdb.Owned) int { return strings.Compare(a.PaperID, b.PaperID) })
	papers := index.PapersOf(all)
	// The database comes last: until it is there, the generation has not begun.
	err = j.takeVectors(ctx, next, papers.Fingerprint)
	if err == nil {
		err = j.takeRows(ctx, next)
	}
	if err == nil {
		j.step("check")
		err = j.check(ctx, next, papers)
	}
	if err != nil {
		return errors.Join(err, index.Discard(next), j.to.dir.WriteInfo(before))
	}
	return j.commit(next, papers)
}

// recordPlan records the settings, which the next command needs if this join is killed at its end, and returns the old ones.
func (j *Join) recordPlan() (before datadir.Info, err error) {
	if before, err = j.to.dir.Info(); err != nil || before.Papers > 0 {
		return before, err
	}
	planned := before
	planned.Index, planned.Chunks = j.first().Index, j.first().Chunks
	return before, j.to.dir.WriteInfo(planned)
}

func (j *Join) step(what string) {
	const tables, collections, end = 9, 2, 1
	j.done++
	j.cfg.Progress(j.done, j.Added()+tables+collections+end, what)
}

// takeFiles takes over PDFs, downloads and records. They do no harm if the join does not end.
func (j *Join) takeFiles(ctx context.Context) error {
	for _, s := range j.sources {
		if err := j.takePDFs(ctx, s); err != nil {
			return fmt.Errorf("join %s: %w", s.path, err)
		}
		if err := j.takeRecords(s); err != nil {
			return fmt.Errorf("join %s: %w", s.path, err)
		}
	}
	return nil
}

func (j *Join) takePDFs(ctx context.Context, s *source) error {
	for _, f := range s.taken() {
		from, err := s.dir.PDFPath(f.PaperID)
		if err != nil {
			return err
		}
		to, err := j.to.dir.PDFPath(f.PaperID)
		if err == nil {
			err = files.Link(to, from)
		}
		if err = errors.Join(files.IgnoreMissing(err), ctx.Err()); err != nil {
			return err
		}
		j.step("PDFs")
	}
	return nil
}

// takeRecords takes over downloads, replies of models, and records of imports. What the target has stays.
func (j *Join) takeRecords(s *source) error {
	entries, err := os.ReadDir(s.dir.Downloads())
	if files.IgnoreMissing(err) != nil {
		return err
	}
	for _, e := range entries {
		to := filepath.Join(j.to.dir.Downloads(), e.Name())
		_, have := os.Lstat(to)
		if have == nil || !e.Type().IsRegular() || strings.Contains(e.Name(), ".part") || strings.HasSuffix(e.Name(), ".jsonl") {
			continue
		}
		if err := files.Link(to, filepath.Join(s.dir.Downloads(), e.Name())); err != nil {
			return err
		}
	}
	for name, key := range map[string]string{"replies/replies.jsonl": "key", "downloads/fetched.jsonl": "url"} { // one record a line
		name = filepath.FromSlash(name)
		if _, err := ledger.Join(filepath.Join(j.to.dir.Path(), name), filepath.Join(s.dir.Path(), name), key); err != nil {
			return err
		}
	}
	return j.to.dir.TakeImports(s.dir)
}

// takeVectors makes the collections of the next generation.
func (j *Join) takeVectors(ctx context.Context, next *datadir.Dir, source string) (err error) {
	if err := index.Discard(next); err != nil { // of an interrupted join
		return err
	}
	if _, err := index.BranchFiles(j.to.dir, next); err != nil {
		return err
	}
	store, err := flat.Open(next.Vectors(), next.Generation())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	var from []flat.Taking
	settings := j.to.settings
	for _, s := range j.sources {
		if s.counts.Added > 0 {
			settings = s.settings
			from = append(from, flat.Taking{From: s.store, Without: s.without})
		}
	}
	for _, c := range []vectors.Collection{settings.words, settings.dense} {
		c.Source = source
		if err := store.Take(ctx, c, j.to.removed, from); err != nil {
			return err
		}
		j.step("vectors")
	}
	return nil
}

// takeRows makes the database of the next generation.
func (j *Join) takeRows(ctx context.Context, next *datadir.Dir) error {
	c := paperdb.Combination{Removed: j.to.removed, Progress: func(int, int) { j.step("rows") }}
	if len(j.to.papers.Files) > 0 {
		c.Base = j.to.dir.Database()
	}
	for _, s := range j.sources {
		if s.counts.Added > 0 {
			c.Parts = append(c.Parts, paperdb.Part{Path: s.dir.Database(), Without: s.without})
		}
	}
	if err := os.MkdirAll(filepath.Dir(next.Database()), 0o755); err != nil {
		return err
	}
	if err := paperdb.Combine(ctx, next.Database(), c); err != nil {
		return err
	}
	_, err := paperdb.Compact(ctx, next.Database())
	return err
}

// check compares the papers of the next generation with the plan, and the sources with what they were.
func (j *Join) check(ctx context.Context, next *datadir.Dir, papers index.Papers) error {
	for _, s := range j.sources {
		if err := s.unchanged(); err != nil {
			return errors.Join(err, os.Remove(next.Database()))
		}
	}
	have, err := papersOf(ctx, next.Database())
	if err == nil && have.Fingerprint != papers.Fingerprint {
		err = errors.Join(errors.New("the joined database has other papers than planned; run the same command again"), os.Remove(next.Database()))
	}
	return err
}

// commit makes the next generation the current one.
func (j *Join) commit(next *datadir.Dir, papers index.Papers) error {
	info, err := next.Info()
	if err != nil {
		return err
	}
	info.Fingerprint, info.Papers = papers.Fingerprint, len(papers.Files)
	if err := next.Commit(info); err != nil {
		return err
	}
	return index.Prune(next)
}
