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

// shelf keeps documents that were drawn from open for the next picture, as long as their instances are not needed
// elsewhere: the documents in use, on the shelf and waited for are at most as many as the pool has instances, so nobody
// waits for an instance that lies idle.
type shelf struct {
	mu     sync.Mutex
	limit  int // the pool's instances
	claims int // documents that are open, on the shelf or waited for
	idle   []*volume
	closed bool
}

// volume is an open document and the file that it was read from.
type volume struct {
	doc  *Document
	path string
	size int64
	time time.Time
}

// claim announces that an instance is needed. It makes room by closing the document that has been idle longest.
func (s *shelf) claim() {
	s.mu.Lock()
	s.claims++
	var oldest *volume
	if s.claims > s.limit && len(s.idle) > 0 {
		oldest, s.idle = s.idle[0], s.idle[1:]
	}
	s.mu.Unlock()
	if oldest != nil {
		_ = oldest.doc.Close()
	}
}

// release ends a claim, when its instance is back in the pool or was never had.
func (s *shelf) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims--
}

// take hands out an idle document of a file as it is now. One of the file as it was is closed.
func (s *shelf) take(path string, info os.FileInfo) *volume {
	for {
		v := s.pull(path)
		if v == nil || v.size == info.Size() && v.time.Equal(info.ModTime()) {
			return v
		}
		_ = v.doc.Close()
	}
}

// pull takes the youngest document of a file from the shelf; nil when there is none.
func (s *shelf) pull(path string) *volume {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, v := range slices.Backward(s.idle) {
		if v.path == path {
			s.idle = slices.Delete(s.idle, i, i+1)
			return v
		}
	}
	return nil
}

// put gives a document back. It is closed when somebody waits for its instance.
func (s *shelf) put(v *volume) {
	s.mu.Lock()
	keep := !s.closed && s.claims <= s.limit
	if keep {
		s.idle = append(s.idle, v)
	}
	s.mu.Unlock()
	if !keep {
		_ = v.doc.Close()
	}
}

// close closes what is idle; what is in use is closed by its user.
func (s *shelf) close() {
	s.mu.Lock()
	s.closed = true
	idle := s.idle
	s.idle = nil
	s.mu.Unlock()
	for _, v := range idle {
		_ = v.doc.Close()
	}
}

// borrow opens the PDF at path, or takes it from the shelf. Give it back with put.
func (p *Pool) borrow(ctx context.Context, path string) (*volume, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open PDF: %w", err)
	}
	if v := p.shelf.take(path, info); v != nil {
		v.doc.left = mostSlow * p.cfg.Timeout
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
	return &volume{doc: doc, path: path, size: info.Size(), time: info.ModTime()}, nil
}

// giveBack puts a document on the shelf, but closes it after a fault of its own: PDFium's memory may be damaged or full.
func (p *Pool) giveBack(v *volume, err error) {
	var badBox *BoxError
	var badPage *PageError
	if err == nil || errors.As(err, &badBox) || errors.As(err, &badPage) && badPage.Reason == "" {
		p.shelf.put(v)
		return
	}
	_ = v.doc.Close()
}
