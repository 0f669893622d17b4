package env

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/internal/files"
	"airqa/qa"
)

// Writer fills a data directory. It holds the directory's lock until Finish or Close. Its methods are safe for
// concurrent use; after Finish, only Close may be called.
//
// It works on a copy of the database, which becomes the next generation at Finish: readers of the current one are not
// disturbed, and no copy is made until something changes. A copy of an interrupted writer is continued.
type Writer struct {
	cfg  WriterConfig
	dir  *datadir.Dir // the current generation
	next *datadir.Dir
	lock *datadir.Lock

	mu       sync.RWMutex
	db       *paperdb.Writer // nil when closed
	branched bool            // whether db belongs to next
	fresh    bool            // whether next has no other changes than those of this writer
	current  index.Papers    // of the current generation; zero before the first ingest
	texts    *embed.Cache    // nil until a paper is added
	ahead    *index.Ahead    // nil with texts
}

// WriterConfig configures a [Writer]. Dir is required.
type WriterConfig struct {
	Dir string
	// Embedder embeds texts; nil means all-MiniLM-L6-v2 in process.
	Embedder embed.Embedder
	// Vectors is the URL of a Milvus server for the collections; empty means the directory's own files.
	Vectors string
	// Shard is the part of a corpus that is added, such as "3/16", which the directory must be for. Empty means anything else.
	Shard string
	// AsInPaper is recorded if the papers are to be as in the paper.
	AsInPaper *qa.AsInPaper
	// Task is what adds papers; see [datadir.Dir.Begin]. It may be nil.
	Task *datadir.Task
	// From is the URL of the server that the vectors are moved from, if Vectors is another store.
	From string
	// Rebuild makes Finish build the collections again, although they seem to match the papers.
	Rebuild bool
	// Progress receives the number of embedded texts during Finish; it may be nil.
	Progress func(done, total int)
	// Notice receives a line for the user when Finish embeds texts again; it may be nil.
	Notice func(line string)
}

// OpenWriter opens a data directory for writing and creates it if it is missing or empty. It fails while another
// process writes to the directory.
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
	w := &Writer{cfg: cfg, dir: d, lock: lock}
	if err := w.open(ctx); err != nil {
		return nil, fmt.Errorf("open data directory %s: %w", d.Path(), errors.Join(err, lock.Release()))
	}
	return w, nil
}

// open opens the next generation if there is one or if there are no papers yet, else the current one for reading.
func (w *Writer) open(ctx context.Context) (err error) {
	if w.next, err = w.dir.Next(); err != nil {
		return err
	}
	if err := w.dir.CheckDatabase(); err != nil {
		return err
	}
	if w.cfg.Shard != "" {
		if err := w.dir.TakeShard(w.cfg.Shard); err != nil {
			return err
		}
	}
	if err := w.dir.NotePaper(w.cfg.AsInPaper); err != nil {
		return err
	}
	if err := index.CheckServer(ctx, w.dir, w.cfg.Vectors); err != nil {
		return err
	}
	if _, err := os.Stat(w.dir.Database()); errors.Is(err, fs.ErrNotExist) {
		return w.branch(ctx)
	}
	if w.db, err = paperdb.OpenStored(ctx, w.dir.Database()); err == nil {
		err = w.checkPapers(ctx)
	}
	if err != nil {
		return errors.Join(err, w.closeDB())
	}
	if _, err := os.Stat(w.next.Database()); err == nil {
		return w.branch(ctx)
	}
	return nil
}

// checkPapers reads the papers and refuses a database that is not the one of its generation, such as an older copy: its
// successor would lack the papers that the collections and the PDFs have.
func (w *Writer) checkPapers(ctx context.Context) error {
	info, err := w.dir.Info()
	if err != nil {
		return err
	}
	if w.current, err = index.ReadPapers(ctx, w.db); err != nil {
		return err
	}
	if w.current.Fingerprint != info.Fingerprint {
		return index.OtherPapers(fmt.Sprintf("papers.duckdb of generation %d", w.dir.Generation()), len(w.current.Files), info)
	}
	return nil
}

// branch opens the database of the next generation for writing. The caller holds mu, or is the only user of w.
func (w *Writer) branch(ctx context.Context) error {
	if w.branched {
		return nil
	}
	if err := w.closeDB(); err != nil {
		return err
	}
	if err := w.next.Branch(w.dir); err != nil {
		return err
	}
	db, err := paperdb.OpenWriter(ctx, w.next.Database())
	w.db, w.branched = db, err == nil
	return err
}

// errClosed is returned by a writer after Finish.
var errClosed = errors.New("the writer is closed")

// change calls do with the database of the next generation. Calls may overlap.
func (w *Writer) change(ctx context.Context, do func(*paperdb.Writer) error) error {
	w.mu.Lock()
	if w.db == nil {
		w.mu.Unlock()
		return errClosed
	}
	w.fresh = w.fresh || !w.branched
	err := w.branch(ctx)
	db := w.db
	w.mu.Unlock()
	if err != nil {
		return err
	}
	return do(db)
}

// read calls do with the database.
func (w *Writer) read(do func(*paperdb.Writer) error) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.db == nil {
		return errClosed
	}
	return do(w.db)
}

// ChunkAs fixes how pages are split: see [datadir.Dir.ChunkAs].
func (w *Writer) ChunkAs(want datadir.Chunking) (datadir.Chunking, error) { return w.dir.ChunkAs(want) }

// Has reports whether the same PDF with the same metadata file was already read by the same parser. It returns the
// paper's id.
func (w *Writer) Has(ctx context.Context, f paperdb.File) (id string, ok bool, err error) {
	err = w.read(func(db *paperdb.Writer) (err error) {
		id, ok, err = db.Has(ctx, f)
		return err
	})
	return id, ok, err
}

// Owner returns the file that a paper was read from; false if there is no such paper.
func (w *Writer) Owner(ctx context.Context, paperID string) (f paperdb.File, ok bool, err error) {
	err = w.read(func(db *paperdb.Writer) (err error) {
		f, ok, err = db.Owner(ctx, paperID)
		return err
	})
	return f, ok, err
}

// Title returns the title of a paper, or "" if there is no such paper.
func (w *Writer) Title(ctx context.Context, paperID string) (title string, err error) {
	err = w.read(func(db *paperdb.Writer) (err error) {
		title, err = db.Title(ctx, paperID)
		return err
	})
	return title, err
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
		err = files.WriteFile(path, pdf)
	default:
		if info, statErr := os.Stat(path); statErr != nil || !info.Mode().IsRegular() {
			p.Metadata.PDFPath = ""
		}
	}
	if err != nil {
		return fmt.Errorf("put paper %s: %w", p.Metadata.PaperID, err)
	}
	known := false
	err = w.change(ctx, func(db *paperdb.Writer) (err error) {
		if _, known, err = db.Owner(ctx, p.Metadata.PaperID); err == nil {
			err = db.Put(ctx, p)
		}
		return err
	})
	if err != nil || known { // most texts of another version of a paper have vectors
		return err
	}
	a, err := w.embedAhead(ctx)
	if err != nil {
		return err
	}
	return a.Add(ctx, p)
}

// embedAhead returns what embeds texts in the background, and starts it with the first paper.
func (w *Writer) embedAhead(ctx context.Context) (*index.Ahead, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.db == nil {
		return nil, errClosed
	}
	if w.ahead != nil {
		return w.ahead, nil
	}
	if err := w.openTexts(); err != nil {
		return nil, err
	}
	w.ahead = index.StartAhead(ctx, w.cfg.Embedder, w.texts)
	return w.ahead, nil
}

func (w *Writer) endAhead(ctx context.Context) error {
	if w.ahead == nil {
		return nil
	}
	a := w.ahead
	w.ahead = nil
	return a.End(ctx)
}

// Finish indexes the papers that changed, makes the next generation the current one and closes the writer. It also
// recovers from an earlier, interrupted writer. A damaged search index is an error, unless it is rebuilt. If the model fails
// and the current generation has no vectors either, the next one becomes current with an index of words, beside the error.
func (w *Writer) Finish(ctx context.Context) error {
	err := w.finish(ctx)
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("finish data directory %s: %w", w.dir.Path(), err)
	}
	return nil
}

func (w *Writer) finish(ctx context.Context) (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.db == nil {
		return errClosed
	}
	failed := w.endAhead(ctx)
	if _, ok := errors.AsType[*embed.FailedError](failed); failed != nil && !ok {
		return failed
	}
	after, err := w.papersAfter(ctx)
	if err != nil {
		return err
	}
	// Within a process, the engine opens a file either for writing or for reading.
	if err := w.closeDB(); err != nil {
		return err
	}
	if w.branched {
		if _, err := paperdb.Compact(ctx, w.next.Database()); err != nil {
			return err
		}
	} else {
		done, err := w.keepOrBranch(ctx)
		if done || err != nil {
			return err
		}
	}
	if err := w.openTexts(); err != nil {
		return err
	}
	update := index.Update{
		Config: w.indexing(), Dir: w.dir, Next: w.next, Before: w.current, After: after, Texts: w.texts, Failed: failed,
	}
	done, err := update.Run(ctx)
	if done {
		err = errors.Join(err, w.dropRemoved(ctx, w.next))
	}
	return err
}

// papersAfter returns the papers of the next generation, if few changed since the current one; otherwise, they are read.
func (w *Writer) papersAfter(ctx context.Context) (after index.Papers, err error) {
	if !w.fresh || w.current.Fingerprint == "" {
		return after, nil
	}
	const many = 8 // looking up a paper costs more than reading one of all
	changed, err := w.db.Touched(ctx)
	if err != nil || many*len(changed) > len(w.current.Files) {
		return after, err
	}
	files, err := w.db.FilesOf(ctx, changed)
	if err != nil {
		return after, err
	}
	return w.current.With(changed, files), nil
}

// keepOrBranch decides what becomes of a generation that no paper has changed. If its search index is up to date and not to be
// rebuilt, it stays the current one and nothing is left to do. Otherwise the next one starts from it.
func (w *Writer) keepOrBranch(ctx context.Context) (done bool, err error) {
	if w.cfg.Rebuild {
		return false, w.next.Branch(w.dir)
	}
	done, err = index.IsCurrent(ctx, w.dir, w.indexing())
	switch {
	case err != nil:
		return false, err
	case done:
		return true, w.dropRemoved(ctx, w.dir)
	}
	return false, w.next.Branch(w.dir)
}

// indexing configures the update of the search index.
func (w *Writer) indexing() index.Config {
	return index.Config{
		Embedder: w.cfg.Embedder, Vectors: w.cfg.Vectors, From: w.cfg.From, Rebuild: w.cfg.Rebuild,
		Progress: w.cfg.Progress, Notice: w.cfg.Notice,
	}
}

// openTexts opens the cache of vectors, unless it is open.
func (w *Writer) openTexts() (err error) {
	if w.texts == nil {
		w.texts, err = index.OpenTexts(filepath.Join(w.next.Path(), "embeddings"), w.indexing())
	}
	return err
}

// Close releases the directory without changing what readers see. After Finish it does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = w.endAhead(ended) // the next writer embeds what is left
	var err error
	if w.texts != nil {
		err = w.texts.Close()
		w.texts = nil
	}
	err = errors.Join(err, w.closeDB())
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
func (w *Writer) Files(ctx context.Context) (files []paperdb.Owned, err error) {
	err = w.read(func(db *paperdb.Writer) (err error) {
		files, err = db.Files(ctx)
		return err
	})
	return files, err
}

// Enrichable returns the parts of a paper that can be summarised, see paperdb.Reader.Enrichable.
func (w *Writer) Enrichable(ctx context.Context, paperID string) (p paperdb.Paper, err error) {
	err = w.read(func(db *paperdb.Writer) (err error) {
		p, err = db.Enrichable(ctx, paperID)
		return err
	})
	return p, err
}

// Enrich writes texts into cells of a paper in one transaction and changes the fingerprint of the data. Finish makes
// the texts visible to readers and searchable.
func (w *Writer) Enrich(ctx context.Context, paperID string, fills []paperdb.Fill) error {
	return w.change(ctx, func(db *paperdb.Writer) error { return db.Enrich(ctx, paperID, fills) })
}
