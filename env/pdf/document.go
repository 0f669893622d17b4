package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/klippa-app/go-pdfium"
)

// Document is an open PDF. It holds one instance of the pool until Close and is not safe for concurrent use. Pages
// count from 1.
type Document struct {
	pool    *Pool
	data    []byte
	inst    pdfium.Pdfium // nil if PDFium was stopped and could not be restarted
	g       *guest
	handle  uint64        // FPDF_DOCUMENT
	left    time.Duration // remaining time of PDFium
	pages   int
	release func() // notifies the pool that the instance is back; nil after Close

	keep    int          // number of pages to keep loaded, at least 1
	loaded  []loadedPage // most recently used last
	current int          // the current page, 0 for none
	page    uint64       // its FPDF_PAGE
	frames  map[int]frame
	fonts   map[uint32]run  // styles by FPDF_FONT
	off     map[string]bool // names of the layers that are off; nil before they were needed
}

type loadedPage struct {
	number int
	handle uint64 // FPDF_PAGE
}

// keptPages is the number of pages that a cached document keeps loaded.
const keptPages = 4

// Errors of FPDF_GetLastError, fpdfview.h.
const (
	lastErrorPassword = 4
	lastErrorSecurity = 5
)

// Open reads a PDF from memory. It waits while MaxInstances documents are open. The document keeps data, which must not
// change. The error is an [*OpenError] for a file that is not a PDF, is broken or encrypted, has no pages or too many,
// or is too slow to open.
func (p *Pool) Open(ctx context.Context, data []byte) (*Document, error) {
	if err := checkHeader(data); err != nil {
		return nil, err
	}
	p.docs.claim()
	d := &Document{pool: p, data: data, left: maxDocumentTimeouts * p.cfg.Timeout, keep: 1, release: p.docs.release}
	if err := d.reopen(ctx); err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

func (d *Document) reopen(ctx context.Context) error {
	if err := d.leaveInstance(); err != nil {
		return err
	}
	inst, err := d.pool.freshInstance(ctx)
	if err != nil {
		return err
	}
	d.inst = inst
	d.frames, d.fonts, d.loaded, d.current = map[int]frame{}, map[uint32]run{}, nil, 0
	if d.g, err = newGuest(inst, &d.pool.memories); err != nil {
		return err
	}
	err = d.watched(ctx, d.load)
	var slow *slowError
	if errors.As(err, &slow) {
		return &OpenError{TooSlow, "broken PDF: " + slow.Error()}
	}
	return err
}

// checkHeader requires "%PDF-" within the first kilobyte, as PDF readers do.
func checkHeader(data []byte) error {
	switch head := data[:min(1024, len(data))]; {
	case len(data) == 0:
		return &OpenError{NotPDF, "not a PDF: the file is empty"}
	case bytes.Contains(head, []byte("%PDF-")):
		return nil
	case bytes.Contains(bytes.ToLower(head), []byte("<html")) || bytes.Contains(bytes.ToLower(head), []byte("<!doctype")):
		return &OpenError{NotPDF, "not a PDF: the file is a web page"}
	default:
		return &OpenError{NotPDF, "not a PDF: the file has no %PDF header"}
	}
}

func (d *Document) load() error {
	g := d.g
	d.handle = uint64(g.word("FPDF_LoadMemDocument", uint64(g.put(d.data)), uint64(len(d.data)), 0))
	if d.handle == 0 {
		if err := g.take(); err != nil {
			return &OpenError{Broken, "broken PDF: " + err.Error()}
		}
		switch g.word("FPDF_GetLastError") {
		case lastErrorPassword:
			return &OpenError{Encrypted, "encrypted PDF: it needs a password"}
		case lastErrorSecurity:
			return &OpenError{Encrypted, "encrypted PDF: its kind of encryption is not supported"}
		default:
			return &OpenError{Broken, "broken PDF: no readable page tree (truncated download?)"}
		}
	}
	d.pages = int(int32(g.word("FPDF_GetPageCount", d.handle)))
	if err := g.take(); err != nil {
		return &OpenError{Broken, "broken PDF: " + err.Error()}
	}
	switch limit := d.pool.cfg.MaxPages; {
	case d.pages < 1:
		return &OpenError{NoPages, "PDF without pages"}
	case d.pages > limit:
		return &OpenError{TooManyPages, fmt.Sprintf("PDF claims %d pages, more than the limit of %d", d.pages, limit)}
	}
	return nil
}

var errClosed = errors.New("read PDF: the document is closed")

// Close returns the instance. It is idempotent.
func (d *Document) Close() error {
	if d.release == nil {
		return nil
	}
	release := d.release
	d.release, d.data = nil, nil
	defer release()
	return d.leaveInstance()
}

// leaveInstance returns the instance to the pool, if there is one.
func (d *Document) leaveInstance() error {
	if d.inst == nil {
		return nil
	}
	inst := d.inst
	d.inst, d.g = nil, nil
	defer func() { <-d.pool.slots }()
	if err := inst.Close(); err != nil {
		return fmt.Errorf("close PDF: %w", err)
	}
	return nil
}

// Pages returns the number of pages, at least 1.
func (d *Document) Pages() int { return d.pages }

// PageSize returns the size of page n as displayed, in points. If the page is out of range or unreadable, the error is a
// [*PageError].
func (d *Document) PageSize(ctx context.Context, n int) (width, height float64, err error) {
	err = d.onPage(ctx, n, func() error {
		f, err := d.frame(n)
		width, height = f.size()
		return err
	})
	return width, height, err
}

func (d *Document) frame(n int) (frame, error) {
	if f, ok := d.frames[n]; ok {
		return f, nil
	}
	if err := d.turnTo(n); err != nil {
		return frame{}, err
	}
	return d.frames[n], nil
}

// turnTo loads page n and closes excess pages, because a loaded page takes megabytes.
func (d *Document) turnTo(n int) error {
	if n < 1 || n > d.pages {
		return &PageError{Page: n, Pages: d.pages}
	}
	if n == d.current {
		return nil
	}
	if at := slices.IndexFunc(d.loaded, func(l loadedPage) bool { return l.number == n }); at >= 0 {
		l := d.loaded[at]
		d.loaded = append(slices.Delete(d.loaded, at, at+1), l)
		d.current, d.page = n, l.handle
		return nil
	}
	d.current, d.page = 0, 0
	for len(d.loaded) >= d.keep {
		d.g.call("FPDF_ClosePage", d.loaded[0].handle)
		clear(d.fonts) // those of the page may be freed, and others come to their place
		_ = d.g.take()
		d.loaded = d.loaded[1:]
	}
	page := uint64(d.g.word("FPDF_LoadPage", d.handle, uint64(n-1)))
	if err := d.fault(n); err != nil {
		return err
	}
	if page == 0 {
		return &PageError{Page: n, Pages: d.pages, Reason: "it is missing or broken in the file"}
	}
	d.current, d.page = n, page
	d.loaded = append(d.loaded, loadedPage{n, page})
	f := frame{turns: int(d.g.word("FPDFPage_GetRotation", d.page)) & 3}
	if d.g.yes("FPDF_GetPageBoundingBox", d.page, d.g.at(0)) { // the crop box within the media box
		r := d.g.floats(4) // left, top, right, bottom
		f.left, f.top, f.right, f.bottom = r[0], r[1], r[2], r[3]
	}
	d.frames[n] = f
	return d.fault(n)
}

// fault converts a pending fault of the guest to an error of page n.
func (d *Document) fault(n int) error {
	if err := d.g.take(); err != nil {
		return &PageError{Page: n, Pages: d.pages, Reason: err.Error()}
	}
	return nil
}
