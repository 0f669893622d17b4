package ask

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/ingest"
	"airqa/internal/concurrent"
	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/papers"
	"airqa/run/session"
)

// Library is the cache of data directories, one for each set of PDFs, by content.
type Library struct {
	// Root is the folder of the cache, "ask" in that of the program.
	Root string
	session.Session
}

// done is the file beside a data directory that means that all its PDFs are ingested.
func done(dir string) string { return dir + ".done" }

// Dir returns the data directory of PDFs, and folders of them, and ingests them if that was not done before. Of several
// processes, one ingests and the others wait. to has the embedding model; its Dir is ignored.
func (l Library) Dir(ctx context.Context, paths []string, to env.WriterConfig) (string, error) {
	files, err := ingest.Find(paths)
	if err != nil {
		return "", &qa.UsageError{Err: err}
	}
	if len(files) == 0 {
		return "", qa.Usagef("no PDF in %s", terminal.Line(fmt.Sprint(paths)))
	}
	to.Dir = filepath.Join(l.Root, keyOf(files, to))
	if _, err := os.Stat(done(to.Dir)); err == nil {
		return to.Dir, nil
	}
	if err := os.MkdirAll(l.Root, 0o700); err != nil {
		return "", fmt.Errorf("make the cache of papers: %w", err)
	}
	release, err := l.lock(ctx, to.Dir+".lock")
	if err != nil {
		return "", err
	}
	defer release()
	if _, err := os.Stat(done(to.Dir)); err == nil { // another process has ingested them
		return to.Dir, nil
	}
	return to.Dir, l.ingest(to, files)
}

// lock waits for a lock.
func (l Library) lock(ctx context.Context, path string) (release func(), err error) {
	const retryLock = 200 * time.Millisecond // the pause before a lock is tried again
	for n := 0; ; n++ {
		lock, err := files.Lock(path)
		if err == nil {
			return func() { _ = lock.Close() }, nil
		}
		if !errors.Is(err, files.ErrLocked) {
			return nil, fmt.Errorf("lock the cache of papers: %w", err)
		}
		if n == 0 {
			l.Notify.Infof("waiting: another process is ingesting these papers")
		}
		if err := concurrent.Sleep(ctx, retryLock); err != nil {
			return nil, err
		}
	}
}

// ingest reads the files and marks the directory as complete, unless one of them failed.
func (l Library) ingest(to env.WriterConfig, pdfs []string) error {
	sum, err := papers.Writer{Session: l.Session, To: to}.Ingest(pdfs, ingest.Config{Options: ingest.Options{Workers: 2}}, datadir.Chunking{})
	if err != nil {
		return err
	}
	switch n := len(sum.Failed); {
	case n == len(pdfs):
		return fmt.Errorf("none of %s could be read: %w", terminal.Plural(n, "PDF"), sum.Failed[0].Err)
	case n > 0:
		l.Notify.Warnf("%d of %d PDFs could not be read; the answers come from the others", n, len(pdfs))
		return nil
	}
	return files.WriteFile(done(to.Dir), nil)
}

// keyOf identifies files by content, with what else decides about the rows and vectors of their papers.
func keyOf(files []string, to env.WriterConfig) string {
	var sums []string
	for _, file := range files {
		s, err := ingest.Open(file)
		if err != nil { // reported when it is ingested
			s.File.SHA256 = file
		}
		sums = append(sums, s.File.SHA256+" "+s.File.MetadataSHA256)
	}
	slices.Sort(sums)
	info := to.Embedder.Info()
	h := sha256.New()
	_, _ = fmt.Fprintln(h, ingest.Parser, info.Model, info.Hash, to.Vectors) // hash.Hash never returns an error
	for _, sum := range slices.Compact(sums) {
		_, _ = fmt.Fprintln(h, sum)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
