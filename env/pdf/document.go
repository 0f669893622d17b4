package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/klippa-app/go-pdfium"
)

// Document is an open PDF. It holds one instance of the pool until Close, and is for one goroutine at a time.
// Pages count from 1.
type Document struct {
	inst      pdfium.Pdfium
	g         *guest
	handle    uint64 // FPDF_DOCUMENT
	pages     int
	maxPixels int

	keep    int    // how many pages stay loaded, at least 1
	loaded  []leaf // the one in use last
	current int    // the page in use, 0 for none
	page    uint64 // its FPDF_PAGE
	buffers buffers
	release func() // tells the pool that the instance is back
	frames  map[int]frame
	fonts   map[uint32]string // FPDF_FONT to its name
}

// leaf is a page in memory.
type leaf struct {
	number int
	handle uint64 // FPDF_PAGE
}

// keptPages is how many pages of a document that pictures are drawn from stay loaded.
const keptPages = 4

// PageInfo is the shape of a page.
type PageInfo struct {
	// Width and Height are those of the page as shown, in points.
	Width, Height float64
	// Rotation is the page's own turn, clockwise: 0, 90, 180 or 270.
	Rotation int
	// Crop is the visible part in PDF user space (y up): left, bottom, right, top.
	Crop [4]float64
}

// errors of FPDF_GetLastError, fpdfview.h.
const (
	lastErrorPassword = 4
	lastErrorSecurity = 5
)

// Open reads a PDF from memory. It waits while MaxInstances documents are open, and copies data. A file that is no
// PDF, broken, encrypted, without pages or with too many is an [*OpenError].
func (p *Pool) Open(ctx context.Context, data []byte) (*Document, error) {
	if err := checkHeader(data); err != nil {
		return nil, err
	}
	inst, err := p.instance(ctx)
	if err != nil {
		return nil, err
	}
	d := &Document{
		inst: inst, maxPixels: p.cfg.MaxPixels, frames: map[int]frame{}, fonts: map[uint32]string{},
		keep: 1, release: p.shelf.release,
	}
	if err := d.load(data, p.cfg.MaxPages); err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

// checkHeader wants "%PDF-" within the first kilobyte, as readers do.
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

func (d *Document) load(data []byte, maxPages int) error {
	g, err := newGuest(d.inst)
	if err != nil {
		return err
	}
	d.g = g
	d.handle = uint64(g.word("FPDF_LoadMemDocument", uint64(g.put(data)), uint64(len(data)), 0))
	if d.handle == 0 {
		return d.openError()
	}
	d.pages = int(int32(g.word("FPDF_GetPageCount", d.handle)))
	if err := g.take(); err != nil {
		return &OpenError{Broken, "broken PDF: " + err.Error()}
	}
	return checkPages(d.pages, maxPages)
}

func (d *Document) openError() error {
	if err := d.g.take(); err != nil {
		return &OpenError{Broken, "broken PDF: " + err.Error()}
	}
	switch code := d.g.word("FPDF_GetLastError"); code {
	case lastErrorPassword:
		return &OpenError{Encrypted, "encrypted PDF: it needs a password"}
	case lastErrorSecurity:
		return &OpenError{Encrypted, "encrypted PDF: its kind of encryption is not supported"}
	default:
		return &OpenError{Broken, "broken PDF: no readable page tree (truncated download?)"}
	}
}

func checkPages(pages, limit int) error {
	switch {
	case pages < 1:
		return &OpenError{NoPages, "PDF without pages"}
	case pages > limit:
		return &OpenError{TooManyPages, fmt.Sprintf("PDF claims %d pages, more than the limit of %d", pages, limit)}
	default:
		return nil
	}
}

var errClosed = errors.New("read PDF: the document is closed")

// Close gives the instance back. It may be called twice.
func (d *Document) Close() error {
	if d.inst == nil {
		return nil
	}
	inst := d.inst
	d.inst, d.g = nil, nil
	defer d.release()
	if err := inst.Close(); err != nil {
		return fmt.Errorf("close PDF: %w", err)
	}
	return nil
}

// Pages is how many pages there are, at least 1.
func (d *Document) Pages() int { return d.pages }

// Page tells the shape of page n. A page out of range or unreadable is a [*PageError].
func (d *Document) Page(n int) (PageInfo, error) {
	f, err := d.frame(n)
	if err != nil {
		return PageInfo{}, err
	}
	w, h := f.size()
	return PageInfo{Width: w, Height: h, Rotation: 90 * f.turns, Crop: [4]float64{f.left, f.bottom, f.right, f.top}}, nil
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

// turnTo loads page n and closes those beyond the ones to keep: a page in memory costs megabytes.
func (d *Document) turnTo(n int) error {
	if d.inst == nil {
		return errClosed
	}
	if n < 1 || n > d.pages {
		return &PageError{Page: n, Pages: d.pages}
	}
	if n == d.current || d.reuse(n) {
		return nil
	}
	d.leave()
	page := uint64(d.g.word("FPDF_LoadPage", d.handle, uint64(n-1)))
	if err := d.fault(n); err != nil {
		return err
	}
	if page == 0 {
		return &PageError{Page: n, Pages: d.pages, Reason: "it is missing or broken in the file"}
	}
	d.current, d.page = n, page
	d.loaded = append(d.loaded, leaf{n, page})
	d.frames[n] = d.measure()
	return d.fault(n)
}

// reuse turns to a page that is loaded.
func (d *Document) reuse(n int) bool {
	at := slices.IndexFunc(d.loaded, func(l leaf) bool { return l.number == n })
	if at < 0 {
		return false
	}
	l := d.loaded[at]
	d.loaded = append(slices.Delete(d.loaded, at, at+1), l)
	d.current, d.page = n, l.handle
	return true
}

// leave makes room for one more page.
func (d *Document) leave() {
	d.current, d.page = 0, 0
	for len(d.loaded) >= d.keep {
		d.g.call("FPDF_ClosePage", d.loaded[0].handle)
		_ = d.g.take()
		d.loaded = d.loaded[1:]
	}
}

// measure reads the visible box of the loaded page (crop within media box) and its turn.
func (d *Document) measure() frame {
	f := frame{turns: int(d.g.word("FPDFPage_GetRotation", d.page)) & 3}
	if d.g.yes("FPDF_GetPageBoundingBox", d.page, d.g.at(0)) {
		r := d.g.floats(4) // left, top, right, bottom
		f.left, f.top, f.right, f.bottom = r[0], r[1], r[2], r[3]
	}
	return f
}

// fault turns a pending fault of the guest into an error of page n.
func (d *Document) fault(n int) error {
	if err := d.g.take(); err != nil {
		return &PageError{Page: n, Pages: d.pages, Reason: err.Error()}
	}
	return nil
}
