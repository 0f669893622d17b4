package sources

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"airqa/internal/httpclient"
)

// fetch fetches one paper, unless it exists. The event is empty if the context ended.
func (h *host) fetch(ctx context.Context, item Item) Event {
	e := Event{Item: item}
	if e.Path, e.skipped = h.registry.have(item); !e.skipped {
		e.Path, e.Err = h.download(ctx, item)
	}
	if e.Err != nil {
		if ctx.Err() != nil {
			return Event{}
		}
		e.Path = ""
	}
	h.tell(e, 0)
	return e
}

// download downloads one paper with a few attempts, and returns its path. It honours any delay that a server requests. The
// result decides whether the host is asked for more.
func (h *host) download(ctx context.Context, item Item) (path string, err error) {
	const maxFailed = 5 // papers in a row, after all tries; then the host is left in peace
	if h.down != nil {
		return "", h.down
	}
	name := h.registry.reserveName(item)
	path = filepath.Join(h.Dir, name)
	p, err := openPart(path+".part", item.URL)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, p.leave()) }()
	if h.registry.completed(item, p) {
		return path, p.finish(path)
	}
	exhausted, err := h.retry(ctx, func() error { return h.request(ctx, item, p) })
	_, unavailable := errors.AsType[*unavailableError](err)
	switch {
	case err == nil:
		h.answered, h.failed = true, 0
		return path, h.keep(item, p, name)
	case unavailable:
		h.down = err
	case exhausted:
		if h.failed++; h.failed == maxFailed {
			h.down = fmt.Errorf("%s failed for %d papers in a row: %w", h.name, maxFailed, err)
		}
	}
	return "", err
}

// retry sends a request until it succeeds, as often as allowed.
func (h *host) retry(ctx context.Context, request func() error) (exhausted bool, err error) {
	policy := httpclient.Policy{
		Tries: h.Tries, Backoff: httpclient.Backoff{First: 2 * time.Second, Longest: time.Minute}, Exact: true, Sleep: h.Sleep,
	}
	err = httpclient.Retry(ctx, policy, request)
	transient, exhausted := errors.AsType[*httpclient.Transient](err)
	if exhausted {
		err = fmt.Errorf("after %d requests: %w; run the same command to resume", h.Tries, transient.Err)
	}
	return exhausted, err
}

// request sends one request, and writes the body of the response to the part.
func (h *host) request(ctx context.Context, item Item, p *part) error {
	header := http.Header{"Accept": {"application/pdf, */*;q=0.1"}}
	if p.resumable() { // request only the rest
		header.Set("Range", fmt.Sprintf("bytes=%d-", p.size))
		header.Set("If-Range", p.version.Validator)
	}
	return h.get(ctx, item.URL, header, func(resp *http.Response, body io.Reader) error {
		if complete, err := h.begin(resp, p); complete || err != nil {
			return err
		}
		return h.stream(item, p, resp, body)
	})
}

// get sends one request to an address and passes the response to use, with a body that notices when the server stops sending.
func (h *host) get(ctx context.Context, address string, header http.Header, use func(resp *http.Response, body io.Reader) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := &httpclient.Transient{Err: fmt.Errorf("fetch from %s: the server stopped sending data", h.name)}
	watch := time.AfterFunc(headerTimeout+h.Stall, func() { cancel(stalled) })
	defer watch.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header = header
	req.Header.Set("User-Agent", h.UserAgent)
	req.Header.Set("Accept-Encoding", "identity") // a range of a compressed file would be useless
	resp, err := h.client(req, watch).Do(req)
	if err != nil {
		return h.failure(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	read := func(data []byte) (int, error) {
		watch.Reset(h.Stall)
		n, err := resp.Body.Read(data)
		if err != nil && !errors.Is(err, io.EOF) {
			err = h.failure(ctx, err)
		}
		return n, err
	}
	return use(resp, readFunc(read))
}

// begin reads the response headers and moves the part to the offset of the body. complete means that the part already has
// everything.
func (h *host) begin(resp *http.Response, p *part) (complete bool, err error) {
	sent := resp.Header.Get("Content-Range")
	switch resp.StatusCode {
	case http.StatusOK:
		return false, p.reset(validator(resp.Header))
	case http.StatusPartialContent:
		if strings.HasPrefix(sent, fmt.Sprintf("bytes %d-", p.size)) && p.size > 0 {
			return false, nil
		}
	case http.StatusRequestedRangeNotSatisfiable:
		if sent == fmt.Sprintf("bytes */%d", p.size) && p.size > 0 {
			return true, nil // interrupted after the last byte
		}
	default:
		return false, statusError(resp, h.Now())
	}
	// The part does not match the server's file: start over.
	if err := p.reset(""); err != nil {
		return false, err
	}
	return false, &httpclient.Transient{Err: fmt.Errorf("%s sent a different range than requested", resp.Request.URL.Host)}
}

type readFunc func(data []byte) (int, error)

func (f readFunc) Read(data []byte) (int, error) { return f(data) }

// stream writes the body to the part.
func (h *host) stream(item Item, p *part, resp *http.Response, body io.Reader) error {
	total := int64(-1)
	if resp.ContentLength >= 0 {
		total = p.size + resp.ContentLength
	}
	tooLarge := func(what string) error {
		err := fmt.Errorf("the file %s; the limit is %d MB: nothing was saved", what, h.MaxBytes>>20)
		return errors.Join(err, p.reset(""))
	}
	if total > h.MaxBytes {
		return tooLarge(fmt.Sprintf("has %d MB", total>>20))
	}
	buffered := bufio.NewReaderSize(body, 32<<10)
	if p.size == 0 {
		if err := checkHead(buffered, resp.Request.URL.Host); err != nil {
			return errors.Join(err, p.reset(""))
		}
	}
	p.wrote = func(n int) { h.tell(Event{Item: item, Bytes: p.size, Total: total}, int64(n)) }
	if _, err := io.Copy(p, io.LimitReader(buffered, h.MaxBytes-p.size+1)); err != nil {
		return err
	}
	if p.size > h.MaxBytes {
		return tooLarge("is too large")
	}
	if total >= 0 && p.size != total {
		return &httpclient.Transient{Err: fmt.Errorf("fetch from %s: %w", h.name, io.ErrUnexpectedEOF)}
	}
	return nil
}

// checkHead checks that the body starts like a PDF: many servers answer a wrong URL with a web page.
func checkHead(body *bufio.Reader, host string) error {
	head, err := body.Peek(1024)
	if bytes.Contains(head, []byte("%PDF-")) {
		return nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	what := "something other than a PDF"
	switch {
	case len(head) == 0:
		what = "an empty file"
	case strings.HasPrefix(http.DetectContentType(head), "text/html"):
		what = "a web page, not a PDF; use the URL of the PDF itself"
	}
	return fmt.Errorf("%s sent %s: nothing was saved", host, what)
}

// keep verifies a complete file, records it and moves it to its final path.
func (h *host) keep(item Item, p *part, name string) error {
	sum, err := p.sum()
	if err != nil {
		return fmt.Errorf("check %s: %w", name, err)
	}
	if item.SHA256 != "" && sum != item.SHA256 {
		err := fmt.Errorf("the downloaded file has SHA-256 %s, not %s: nothing was saved", sum, item.SHA256)
		return errors.Join(err, p.reset(""))
	}
	// The record comes first: a file without one would be fetched again under another name.
	if err := h.registry.add(record{URL: item.URL, File: name, SHA256: sum, Bytes: p.size, At: h.Now().UTC()}); err != nil {
		return err
	}
	return p.finish(filepath.Join(h.Dir, name))
}
