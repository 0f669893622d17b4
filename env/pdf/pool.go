package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// Limits of [Config] when a field is zero.
const (
	// DefaultMaxPages is more than any paper or thesis has; page counts of broken files reach millions.
	DefaultMaxPages = 3000
	// DefaultMaxPixels bounds one image: 40 million pixels are 160 MB in the guest, a letter page at 580 dpi.
	DefaultMaxPixels = 40_000_000
	// memoryPages is the ceiling of a guest's memory in units of 64 KiB: 256 MiB, enough for the largest image. A file made
	// to fill memory (forms that draw forms) ends there, with an error of its page.
	memoryPages = 4096
	// DefaultTimeout is far more than a page needs, also on a busy machine: the slowest drawings of real papers take about a
	// second.
	DefaultTimeout = 20 * time.Second
)

// Config is how a [Pool] is set up. The zero value works.
type Config struct {
	// CacheDir keeps PDFium's compiled code between runs; compiling takes seconds. Empty means airqa/wazero in
	// the user's cache directory. A folder that cannot be written is replaced by a temporary one.
	CacheDir string
	// MaxInstances is how many documents may be open at once; 0 means one for each processor.
	MaxInstances int
	// MaxPages refuses documents that claim more; 0 means [DefaultMaxPages].
	MaxPages int
	// MaxPixels bounds one drawn image; 0 means [DefaultMaxPixels].
	MaxPixels int
	// Timeout ends a call of PDFium that takes longer, as a file made to keep it busy does: with an error of the page, on which
	// the next page is read as ever. A document is given up after ten times that. 0 means [DefaultTimeout].
	Timeout time.Duration
}

// Pool hands out PDFium instances, one to a document. It starts on the first [Pool.Open]; a process needs one. Its
// methods may be called from several goroutines.
type Pool struct {
	cfg      Config
	shelf    shelf
	memories memories
	// slots has one entry for each instance in use. It stands in for the limit of go-pdfium's own pool, whose waiters can
	// miss the return of an instance and then wait for ever: see freshInstance.
	slots chan struct{}

	mu       sync.Mutex
	pool     pdfium.Pool
	starting chan struct{} // closed when the start that runs has ended; nil when none has begun or the last one failed
	startErr error
	cache    wazero.CompilationCache
	tempDir  string // removed by Close
	closed   bool
}

// NewPool checks cfg and returns a pool that has started nothing yet.
func NewPool(cfg Config) (*Pool, error) {
	if cfg.MaxInstances < 0 || cfg.MaxPages < 0 || cfg.MaxPixels < 0 || cfg.Timeout < 0 {
		return nil, errors.New("pdf pool: a limit is negative")
	}
	if cfg.MaxInstances == 0 {
		cfg.MaxInstances = runtime.NumCPU()
	}
	if cfg.MaxPages == 0 {
		cfg.MaxPages = DefaultMaxPages
	}
	if cfg.MaxPixels == 0 {
		cfg.MaxPixels = DefaultMaxPixels
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	return &Pool{cfg: cfg, shelf: shelf{limit: cfg.MaxInstances}, slots: make(chan struct{}, cfg.MaxInstances)}, nil
}

// Close ends all instances. Documents that are still open fail afterwards. It waits for a start of PDFium to end.
func (p *Pool) Close() error {
	p.shelf.close()
	p.mu.Lock()
	starting, wasClosed := p.starting, p.closed
	p.closed = true
	p.mu.Unlock()
	if wasClosed {
		return nil
	}
	if starting != nil {
		<-starting
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	if p.pool != nil {
		errs = append(errs, p.pool.Close())
	}
	if p.cache != nil {
		errs = append(errs, p.cache.Close(context.Background()))
	}
	if p.tempDir != "" {
		errs = append(errs, os.RemoveAll(p.tempDir))
	}
	return errors.Join(errs...)
}

// freshInstance returns a fresh instance, once fewer than MaxInstances are in use. Return it with [Pool.giveUp]. The caller
// holds a claim of the shelf as long as the instance is open. Waiting for a free instance ends with ctx, and with an error
// after longer than any document may take.
func (p *Pool) freshInstance(ctx context.Context) (pdfium.Pdfium, error) {
	pool, err := p.started(ctx)
	if err != nil {
		return nil, err
	}
	limit := (mostSlow + 1) * p.cfg.Timeout
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-late.C:
		return nil, fmt.Errorf("start PDFium instance: all %d are in use and none became free in %v", cap(p.slots), limit)
	}
	inst, err := instance(ctx, pool)
	if err != nil {
		<-p.slots
	}
	return inst, err
}

// instance starts an instance. The pool has no limit of its own, so it never waits.
func instance(ctx context.Context, pool pdfium.Pool) (inst pdfium.Pdfium, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("start PDFium instance: %v", v)
		}
	}()
	inst, err = pool.GetInstanceWithContext(ctx)
	switch {
	case ctx.Err() != nil && err == nil:
		_ = inst.Close() // cancelled just then: an instance that nobody closes would be lost to the pool
		return nil, ctx.Err()
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("start PDFium instance: %w", err)
	}
	return inst, nil
}

// giveUp ends an instance of freshInstance and makes room for another.
func (p *Pool) giveUp(inst pdfium.Pdfium) error {
	defer func() { <-p.slots }()
	if err := inst.Close(); err != nil {
		return fmt.Errorf("close PDF: %w", err)
	}
	return nil
}

// started returns PDFium, which the first call starts. Compiling it takes seconds where the cache is empty, so that a
// caller stops waiting when ctx ends; the start itself runs to its end, for the others.
func (p *Pool) started(ctx context.Context) (pdfium.Pool, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errors.New("open PDF: the pool is closed")
	}
	if p.starting == nil {
		p.starting = make(chan struct{})
		go p.start(p.starting)
	}
	starting := p.starting
	p.mu.Unlock()
	select {
	case <-starting:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pool == nil {
		return nil, p.startErr
	}
	return p.pool, nil
}

// start compiles PDFium, or reads it from its cache, and then closes done. After a failure the next call starts it again.
func (p *Pool) start(done chan struct{}) {
	defer close(done)
	pool, err := p.compile()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pool, p.startErr = pool, err
	if err != nil {
		p.starting = nil
	}
}

func (p *Pool) compile() (pdfium.Pool, error) {
	if err := p.openCache(); err != nil {
		return nil, err
	}
	pool, err := webassembly.Init(p.settings())
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return pool, nil
}

// settings never asks for WithCloseOnContextDone: it makes everything four times slower, see memory.watch. The empty FSConfig keeps
// the file system out of the guest, where the default mounts all of it.
func (p *Pool) settings() webassembly.Config {
	ctx := experimental.WithCompilationWorkers(context.Background(), min(2, runtime.NumCPU()))
	return webassembly.Config{
		Context:  experimental.WithMemoryAllocator(ctx, &p.memories),
		MaxIdle:  1,
		MaxTotal: -1, // no limit: slots is the limit
		FSConfig: wazero.NewFSConfig(),
		Stdout:   io.Discard,
		Stderr:   io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().
			WithCompilationCache(p.cache).
			WithMemoryLimitPages(memoryPages),
	}
}

func (p *Pool) openCache() error {
	if dir := p.cacheDir(); dir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(dir)
		if err == nil && writable(dir) {
			p.cache = cache
			return nil
		}
	}
	temp, err := os.MkdirTemp("", "airqa-wazero-")
	if err != nil {
		return fmt.Errorf("make a cache folder for PDFium: %w", err)
	}
	p.tempDir = temp
	p.cache, err = wazero.NewCompilationCacheWithDir(temp)
	if err != nil {
		return fmt.Errorf("open PDFium's cache folder: %w", err)
	}
	return nil
}

func (p *Pool) cacheDir() string {
	if p.cfg.CacheDir != "" {
		return p.cfg.CacheDir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "airqa", "wazero")
}

// writable tells whether files can be made in dir; a read-only folder opens as a cache and then fails late.
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return false
	}
	name := f.Name()
	_ = f.Close()
	return os.Remove(name) == nil
}
