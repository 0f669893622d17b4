package pdf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// documentCache caches open documents for further images. It never delays other users of the pool: the documents in use, cached
// and waited for never exceed the pool's instances, so no caller waits for an idle instance.
type documentCache struct {
	mu     sync.Mutex
	limit  int // the pool's instances
	claims int // documents that are open, cached or waited for
	idle   []*cachedDocument
	closed bool
}

type cachedDocument struct {
	doc  *Document
	path string
	size int64
	time time.Time
}

// claim reserves an instance. If necessary, it closes the document that has been idle longest.
func (c *documentCache) claim() {
	c.mu.Lock()
	c.claims++
	var oldest *cachedDocument
	if c.claims > c.limit && len(c.idle) > 0 {
		oldest, c.idle = c.idle[0], c.idle[1:]
	}
	c.mu.Unlock()
	if oldest != nil {
		_ = oldest.doc.Close()
	}
}

// release ends a claim, after its instance is back in the pool or could not be obtained.
func (c *documentCache) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.claims--
}

// take removes and returns the most recently used document of the present version of a file, or nil.
func (c *documentCache) take(path string, info os.FileInfo) *cachedDocument {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, v := range slices.Backward(c.idle) {
		if v.path == path && v.size == info.Size() && v.time.Equal(info.ModTime()) {
			c.idle = slices.Delete(c.idle, i, i+1)
			return v
		}
	}
	return nil
}

// put returns a document. It is closed if a caller waits for its instance.
func (c *documentCache) put(v *cachedDocument) {
	c.mu.Lock()
	keep := !c.closed && c.claims <= c.limit
	if keep {
		c.idle = append(c.idle, v)
	}
	c.mu.Unlock()
	if !keep {
		_ = v.doc.Close()
	}
}

// close closes the idle documents; users close those in use.
func (c *documentCache) close() {
	c.mu.Lock()
	c.closed = true
	idle := c.idle
	c.idle = nil
	c.mu.Unlock()
	for _, v := range idle {
		_ = v.doc.Close()
	}
}

// borrow opens the PDF at path or takes it from the cache. Return it with giveBack.
func (p *Pool) borrow(ctx context.Context, path string) (*cachedDocument, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open PDF: %w", err)
	}
	if v := p.docs.take(path, info); v != nil {
		v.doc.left = maxDocumentTimeouts * p.cfg.Timeout
		return v, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("open PDF: %w", err)
	}
	doc, err := p.Open(ctx, data)
	if err != nil {
		return nil, err
	}
	doc.keep = keptPages
	return &cachedDocument{doc: doc, path: path, size: info.Size(), time: info.ModTime()}, nil
}

// giveBack caches a document, or closes it after an error of its own, which may mean that PDFium's memory is corrupt or
// full.
func (p *Pool) giveBack(v *cachedDocument, err error) {
	var badBox *BoxError
	var badPage *PageError
	if err == nil || errors.As(err, &badBox) || errors.As(err, &badPage) && badPage.Reason == "" {
		p.docs.put(v)
		return
	}
	_ = v.doc.Close()
}
