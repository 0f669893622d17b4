package pdf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"airqa/internal/files"
)

// Defaults of [Config].
const (
	// DefaultMaxPages exceeds any paper or thesis; page counts of broken files reach millions.
	DefaultMaxPages = 3000
	// DefaultMaxPixels limits one image: 40 million pixels are 160 MB in the guest, a letter page at 580 dpi.
	DefaultMaxPixels = 40_000_000
	// memoryPages is the maximum memory of a guest in units of 64 KiB: 256 MiB, enough for the largest image. A file
	// designed to exhaust memory (forms that draw forms) gets a page error instead.
	memoryPages = 4096
	// DefaultTimeout is far longer than a page needs, even on a busy machine: the slowest real papers take about a
	// second.
	DefaultTimeout = 20 * time.Second
)

// Config configures a [Pool]. The zero value works.
type Config struct {
	// CacheDir stores PDFium's compiled code between runs; compiling takes seconds. Empty means wazero in
	// the cache, see [files.Cache], whose line about another folder Notice gets; it may be nil.
	CacheDir string
	Notice   func(line string)
	// MaxInstances is the maximum number of open documents; 0 means one per processor.
	MaxInstances int
	// MaxPages is the maximum number of pages of a document; 0 means [DefaultMaxPages].
	MaxPages int
	// MaxPixels is the maximum size of an image; 0 means [DefaultMaxPixels].
	MaxPixels int
	// Timeout limits a call of PDFium. When it expires, the page has an error, and the next page can be read normally.
	// A document is abandoned after ten times the limit. 0 means [DefaultTimeout].
	Timeout time.Duration
}

// Pool provides PDFium instances, one per document. It starts PDFium on the first [Pool.Open]; a process needs only one
// pool. It is safe for concurrent use.
type Pool struct {
	cfg      Config
	docs     documentCache
	memories memories
	// slots has one entry per instance in use. It replaces the limit of go-pdfium's own pool, whose waiters can miss
	// the return of an instance and then wait forever: see freshInstance.
	slots chan struct{}

	mu       sync.Mutex
	pool     pdfium.Pool
	starting chan struct{} // closed when the current start ends; nil if none is running and PDFium has not started
	startErr error
	cache    wazero.CompilationCache
	closed   bool
}

// NewPool checks cfg and returns a pool that has started nothing yet.
func NewPool(cfg Config) (*Pool, error) {
	if cfg.MaxInstances < 0 || cfg.MaxPages < 0 || cfg.MaxPixels < 0 || cfg.Timeout < 0 {
		return nil, errors.New("pdf pool: negative limit")
	}
	cfg.MaxInstances = cmp.Or(cfg.MaxInstances, runtime.NumCPU())
	cfg.MaxPages = cmp.Or(cfg.MaxPages, DefaultMaxPages)
	cfg.MaxPixels = cmp.Or(cfg.MaxPixels, DefaultMaxPixels)
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	return &Pool{cfg: cfg, docs: documentCache{limit: cfg.MaxInstances}, slots: make(chan struct{}, cfg.MaxInstances)}, nil
}

// Close ends all instances. Documents that are still open fail afterwards. It waits for a start of PDFium in progress.
func (p *Pool) Close() error {
	p.docs.close()
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
	return errors.Join(errs...)
}

// freshInstance returns a new instance, once fewer than MaxInstances are in use. Return it with [Pool.giveUp]. The
// caller must hold a claim while the instance is open. Waiting ends with ctx, or with an error after the maximum time
// of a document.
func (p *Pool) freshInstance(ctx context.Context) (pdfium.Pdfium, error) {
	pool, err := p.started(ctx)
	if err != nil {
		return nil, err
	}
	limit := (maxDocumentTimeouts + 1) * p.cfg.Timeout
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-late.C:
		return nil, fmt.Errorf("start PDFium instance: all %d are busy, and none became free within %v", cap(p.slots), limit)
	}
	inst, err := instance(ctx, pool)
	if err != nil {
		<-p.slots
	}
	return inst, err
}

// instance starts an instance. It never waits, because the pool has no limit of its own.
func instance(ctx context.Context, pool pdfium.Pool) (inst pdfium.Pdfium, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("start PDFium instance: %v", v)
		}
	}()
	inst, err = pool.GetInstanceWithContext(ctx)
	switch {
	case ctx.Err() != nil && err == nil:
		_ = inst.Close() // cancelled in the meantime: without Close, the pool would lose the instance
		return nil, ctx.Err()
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("start PDFium instance: %w", err)
	}
	return inst, nil
}

// started returns PDFium, which the first call starts. Compiling takes seconds if the cache is empty. If ctx ends, the
// caller stops waiting, but the start continues for other callers.
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

// start compiles PDFium, or reads it from its cache, and then closes done. After a failure, the next call starts it
// again.
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

func (p *Pool) compile() (_ pdfium.Pool, err error) {
	dir := p.cfg.CacheDir
	if dir == "" {
		if dir, err = files.Cache("wazero", p.cfg.Notice); err != nil {
			return nil, err
		}
	}
	if p.cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
		return nil, fmt.Errorf("open PDFium's cache folder: %w", err)
	}
	// Not WithCloseOnContextDone, which makes everything four times slower, see memory.watch. The empty FSConfig hides the
	// file system from the guest; the default mounts all of it. PDFium leaves broken files with longjmp, which is compiled to
	// exceptions of WebAssembly.
	ctx := experimental.WithCompilationWorkers(context.Background(), min(2, runtime.NumCPU()))
	pool, err := webassembly.Init(webassembly.Config{
		Context:  experimental.WithMemoryAllocator(ctx, &p.memories),
		MaxIdle:  1,
		MaxTotal: -1, // no limit: slots is the limit
		FSConfig: wazero.NewFSConfig(),
		Stdout:   io.Discard,
		Stderr:   io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().
			WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
			WithCompilationCache(p.cache).
			WithMemoryLimitPages(memoryPages),
	})
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return pool, nil
}
