package env

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/env/paperdb"
	"airqa/internal/atomicfile"
)

// Writer fills a data directory. It holds the directory's lock until Finish or Close. Its methods are safe for
// concurrent use; after Finish, only Close may be called.
type Writer struct {
	cfg  WriterConfig
	dir  *datadir.Dir
	lock *datadir.Lock
	db   *paperdb.Writer // nil when closed
}

// WriterConfig configures a [Writer]. Dir is required.
type WriterConfig struct {
	Dir string
	// Embedder embeds texts; nil means all-MiniLM-L6-v2 in process.
	Embedder embed.Embedder
	// Vectors is the URL of a Milvus server for the collections; empty means the directory's own files.
	Vectors string
	// Progress receives the number of embedded texts during Finish; it may be nil.
	Progress func(done, total int)
	// Notice receives a line for the user when Finish has repaired something; it may be nil.
	Notice func(line string)
}

// OpenWriter opens a data directory for writing and creates it if it is missing or empty. It fails while another
// process uses the directory.
func OpenWriter(ctx context.Context, cfg WriterConfig) (*Writer, error) {
	if cfg.Embedder == nil {
		var err error
		if cfg.Embedder, err = minilm.Open(minilm.Config{}); err != nil {
			return nil, err
		}
	}
	if cfg.Progress == nil {
		cfg.Progress = func(int, int) {}
	}
	if cfg.Notice == nil {
		cfg.Notice = func(string) {}
	}
	path, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("open data directory: %w", err)
	}
	if err := paperdb.CheckPath(path); err != nil {
		return nil, err // before the folder is created
	}
	d, err := datadir.Create(path)
	if err != nil {
		return nil, err
	}
	lock, err := d.Lock()
	if err != nil {
		return nil, err
	}
	db, err := paperdb.OpenWriter(ctx, d.Database())
	if err != nil {
		return nil, fmt.Errorf("open data directory %s: %w", d.Path(), errors.Join(err, lock.Release()))
	}
	w := &Writer{cfg: cfg, dir: d, lock: lock, db: db}
	if err := w.completeRemoval(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// ChunkAs fixes how pages are split: see [datadir.Dir.ChunkAs].
func (w *Writer) ChunkAs(want datadir.Chunking) (datadir.Chunking, error) { return w.dir.ChunkAs(want) }

// Has reports whether the same PDF with the same metadata file was already read by the same parser. It returns the
// paper's id.
func (w *Writer) Has(ctx context.Context, f paperdb.File) (string, bool, error) {
	return w.db.Has(ctx, f)
}

// Owner returns the file that a paper was read from; false if there is no such paper.
func (w *Writer) Owner(ctx context.Context, paperID string) (paperdb.File, bool, error) {
	return w.db.Owner(ctx, paperID)
}

// Title returns the title of a paper, or "" if there is no such paper.
func (w *Writer) Title(ctx context.Context, paperID string) (string, error) {
	return w.db.Title(ctx, paperID)
}

// Put stores a paper and its PDF, replacing an earlier version, and sets Metadata.PDFPath. It writes the PDF before the
// rows, so a row never refers to a missing file. A nil pdf stores only the rows and keeps an existing PDF. Readers see
// the paper after Finish.
func (w *Writer) Put(ctx context.Context, p paperdb.Paper, pdf []byte) error {
	path, err := w.dir.PDFPath(p.Metadata.PaperID)
	if err != nil {
		return fmt.Errorf("put paper: %w", err)
	}
	if p.Metadata.PDFPath, err = datadir.PDFName(p.Metadata.PaperID); err != nil {
		return fmt.Errorf("put paper: %w", err)
	}
	switch {
	case pdf != nil:
		err = atomicfile.WriteFile(path, pdf)
	default:
		if info, statErr := os.Stat(path); statErr != nil || !info.Mode().IsRegular() {
			p.Metadata.PDFPath = ""
		}
	}
	if err != nil {
		return fmt.Errorf("put paper %s: %w", p.Metadata.PaperID, err)
	}
	return w.db.Put(ctx, p)
}

// Finish rebuilds outdated parts of the search index, records the fingerprint and closes the writer. It also recovers
// from an earlier, interrupted writer.
func (w *Writer) Finish(ctx context.Context) error {
	if w.db == nil {
		return errors.New("finish data directory: the writer is closed")
	}
	// Within a process, the engine opens a file either for writing or for reading.
	err := w.closeDB()
	if err == nil {
		err = reindex(ctx, w.dir, w.cfg)
	}
	if err == nil {
		err = w.forgetRemoval()
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("finish data directory %s: %w", w.dir.Path(), err)
	}
	return nil
}

// Close releases the directory without rebuilding the search index. After Finish it does nothing.
func (w *Writer) Close() error {
	err := w.closeDB()
	if w.lock != nil {
		err = errors.Join(err, w.lock.Release())
		w.lock = nil
	}
	return err
}

func (w *Writer) closeDB() error {
	if w.db == nil {
		return nil
	}
	db := w.db
	w.db = nil
	return db.Close()
}

// Files returns the source file of each paper, ordered by paper id.
func (w *Writer) Files(ctx context.Context) ([]paperdb.Owned, error) { return w.db.Files(ctx) }

// Enrichable returns the parts of a paper that can be summarised, see paperdb.Reader.Enrichable.
func (w *Writer) Enrichable(ctx context.Context, paperID string) (paperdb.Paper, error) {
	return w.db.Enrichable(ctx, paperID)
}

// Enrich writes texts into cells of a paper in one transaction and changes the fingerprint of the data. Finish makes
// the texts visible to readers and searchable.
func (w *Writer) Enrich(ctx context.Context, paperID string, fills []paperdb.Fill) error {
	return w.db.Enrich(ctx, paperID, fills)
}
