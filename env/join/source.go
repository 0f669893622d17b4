package join

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"airqa/env/datadir"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/env/vectors/flat"
	"airqa/internal/terminal"
	"airqa/qa"
)

// directory is a data directory and what is read of it.
type directory struct {
	path     string
	dir      *datadir.Dir // nil if it does not exist
	info     datadir.Info
	papers   index.Papers
	settings settings
}

// source is a directory whose papers are taken.
type source struct {
	directory
	lock   *datadir.Lock // nil if the directory cannot be written
	stat   fs.FileInfo   // of the database
	store  *flat.Store
	counts Source
	// without are the papers that are left out.
	without []string
}

func (s *source) taken() []paperdb.Owned { return without(s.papers.Files, s.without) }

// errInterrupted means that a directory has a next generation that is not complete.
var errInterrupted = qa.Failedf("an ingest into it was interrupted; run the same airqa command again, then join")

// open locks the directory and reads its papers. Unless partial, it must have all that were to be added.
func (s *source) open(ctx context.Context, partial bool) (err error) {
	if s.dir, err = datadir.Open(s.path); err != nil {
		return err
	}
	s.lock, err = s.dir.Lock()
	// What cannot be written has no writer of this user, and holding the generation keeps those of others off.
	if err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return err
	}
	if !partial {
		if err := s.checkWhole(); err != nil {
			return err
		}
	}
	if err := s.dir.Hold(""); err != nil && (!partial || !errors.Is(err, datadir.ErrUnfinished)) {
		return err
	}
	if s.info, err = s.dir.Info(); err != nil {
		return err
	}
	if _, err := os.Stat(s.dir.Database()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.read(ctx)
}

// checkWhole returns an error unless all papers were added. A shard may have none.
func (s *source) checkWhole() error {
	if err := s.dir.CheckWhole(); err != nil {
		return err
	}
	next, err := s.dir.Next()
	if err != nil {
		return err
	}
	if _, err := os.Stat(next.Database()); err == nil {
		return errInterrupted
	}
	if s.dir.Generation() == 0 {
		return qa.Failedf("no ingest into it has ended; run: airqa ingest --data %s PAPERS", terminal.ShellWord(s.path))
	}
	return nil
}

func (s *source) read(ctx context.Context) (err error) {
	if s.info.Index == nil {
		return fmt.Errorf("it has no papers yet; run: airqa ingest --data %s PAPERS", s.path)
	}
	if !index.IsFiles(s.info.Index.Vectors) {
		return fmt.Errorf("its vectors are on a Milvus server; copy them into its files first: airqa store vectors --data %s --to %s", s.path, index.Files)
	}
	if s.stat, err = os.Stat(s.dir.Database()); err != nil {
		return err
	}
	if s.papers, err = papersOf(ctx, s.dir.Database()); err != nil {
		return err
	}
	if s.papers.Fingerprint != s.info.Fingerprint {
		return index.OtherPapers("its database", len(s.papers.Files), s.info)
	}
	if s.store, err = flat.Open(s.dir.Vectors(), s.dir.Generation()); err != nil {
		return err
	}
	s.settings, err = settingsOf(ctx, s.store, s.info, s.papers.Files)
	return err
}

// Close releases the directory.
func (s *source) Close() error {
	var err error
	if s.store != nil {
		err = s.store.Close()
	}
	if s.dir != nil {
		err = errors.Join(err, s.dir.Release())
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Release())
	}
	return err
}

// unchanged returns an error if the papers have changed since open: a program that does not lock the directory wrote to it.
func (s *source) unchanged() error {
	if s.store == nil {
		return nil
	}
	info, err := s.dir.Info()
	if err != nil {
		return err
	}
	now, err := os.Stat(s.dir.Database())
	if err == nil && (info.Generation != s.info.Generation || info.Fingerprint != s.info.Fingerprint || !now.ModTime().Equal(s.stat.ModTime())) {
		err = errors.New("its papers changed meanwhile; run the same command again")
	}
	if err != nil {
		return fmt.Errorf("join %s: %w", s.path, err)
	}
	return nil
}

func papersOf(ctx context.Context, path string) (_ index.Papers, err error) {
	db, err := paperdb.OpenStored(ctx, path)
	if err != nil {
		return index.Papers{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	list, err := db.Files(ctx)
	return index.PapersOf(list), err
}

// target is the directory that gets the papers.
type target struct {
	directory
	// removed are the papers of which a source has the version that counts.
	removed []string
}

type unlock struct{ *datadir.Lock }

func (u unlock) Close() error { return u.Release() }

// lockTarget opens the directory for writing, and creates it if it is missing.
func (j *Join) lockTarget() error {
	if err := paperdb.CheckPath(j.to.path); err != nil {
		return err
	}
	dir, err := datadir.Create(j.to.path)
	if err != nil {
		return err
	}
	lock, err := dir.Lock()
	if err != nil {
		return err
	}
	j.open.Add(unlock{lock})
	if j.to.dir, err = datadir.Open(j.to.path); err != nil { // a writer may have ended before the lock
		return err
	}
	return j.to.dir.CheckDatabase()
}

func (j *Join) readTarget(ctx context.Context) (err error) {
	if j.to.info, err = j.to.dir.Info(); err != nil {
		return err
	}
	next, err := j.to.dir.Next()
	if err != nil {
		return err
	}
	if _, err := os.Stat(next.Database()); err == nil {
		return j.complete(ctx, next)
	}
	if _, err := os.Stat(j.to.dir.Database()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s := source{directory: j.to.directory}
	err = s.read(ctx)
	j.to.directory = s.directory
	if s.store != nil {
		err = errors.Join(err, s.store.Close())
	}
	return err
}

// complete makes the next generation the current one if it lacks only that: a join was killed at its end.
func (j *Join) complete(ctx context.Context, next *datadir.Dir) error {
	if j.cfg.DryRun {
		return errInterrupted
	}
	papers, err := papersOf(ctx, next.Database())
	if err != nil || j.to.info.Index == nil {
		return errors.Join(errInterrupted, err)
	}
	store, err := flat.Open(next.Vectors(), next.Generation())
	if err != nil {
		return err
	}
	info := j.to.info
	info.Fingerprint = papers.Fingerprint
	_, unfinished := settingsOf(ctx, store, info, nil)
	if err := store.Close(); err != nil {
		return err
	}
	if unfinished != nil {
		return errInterrupted
	}
	if err := j.commit(next, papers); err != nil {
		return err
	}
	if j.to.dir, err = datadir.Open(j.to.path); err != nil {
		return err
	}
	return j.readTarget(ctx)
}

// first is the description of the first source with papers.
func (j *Join) first() datadir.Info {
	for _, s := range j.sources {
		if s.store != nil {
			return s.info
		}
	}
	return datadir.Info{}
}
