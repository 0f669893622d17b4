package fetch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"airqa/internal/httpclient"
)

// transfer is a download in progress.
type transfer struct {
	host   string
	item   Item
	part   *part
	report func(bytes, total int64)
}

// download fills the part, with a few attempts. It honours any delay that a server requests.
func (s *session) download(ctx context.Context, t transfer) error {
	policy := httpclient.Policy{
		Tries: s.Tries, Backoff: httpclient.Backoff{First: 2 * time.Second, Longest: time.Minute}, Exact: true, Sleep: s.Sleep,
	}
	err := httpclient.Retry(ctx, policy, func() error { return s.try(ctx, t) })
	var transient *httpclient.Transient
	if errors.As(err, &transient) {
		return fmt.Errorf("after %d requests: %w; run the same command to resume", s.Tries, transient.Err)
	}
	return err
}

// try makes one request.
func (s *session) try(ctx context.Context, t transfer) error {
	if err := s.wait(ctx, t.host); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(headerTimeout+s.Stall, func() { cancel(errStalled) })
	defer watch.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.item.URL, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", s.UserAgent)
	req.Header.Set("Accept", "application/pdf, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "identity")          // a range of a compressed file would be useless
	if p := t.part; p.size > 0 && p.mark.Validator != "" { // request only the rest
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.size))
		req.Header.Set("If-Range", p.mark.Validator)
	}
	resp, err := s.client(req).Do(req)
	if err != nil {
		return failure(ctx, t.host, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := s.begin(resp, t.part); err != nil {
		return err
	}
	err = s.stream(t, resp, &watched{resp.Body, watch, s.Stall})
	var disk *fs.PathError
	var known *httpclient.Transient
	if err == nil || errors.As(err, &known) || errors.As(err, &disk) || errors.Is(err, errUnfit) {
		return err
	}
	return failure(ctx, t.host, err)
}

// wait waits until the minimum delay since the host's last request has passed.
func (s *session) wait(ctx context.Context, host string) error {
	if rest := s.Delay - s.Now().Sub(s.asked[host]); rest > 0 {
		if err := s.Sleep(ctx, rest); err != nil {
			return err
		}
	}
	s.asked[host] = s.Now()
	return ctx.Err()
}

// begin reads the response headers and moves the part to the offset of the body.
func (s *session) begin(resp *http.Response, p *part) error {
	switch resp.StatusCode {
	case http.StatusOK:
		return p.reset(validator(resp.Header))
	case http.StatusPartialContent:
		if strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", p.size)) && p.size > 0 {
			return nil
		}
	case http.StatusRequestedRangeNotSatisfiable:
	default:
		return statusError(resp, s.Now())
	}
	// The part does not match the server's file: start over.
	if err := p.reset(""); err != nil {
		return err
	}
	return &httpclient.Transient{Err: fmt.Errorf("%s sent a different range than requested", resp.Request.URL.Host)}
}

// errUnfit is wrapped by errors about the content, which further requests cannot fix.
var errUnfit = errors.New("nothing was saved")

// stream writes the body to the part.
func (s *session) stream(t transfer, resp *http.Response, body io.Reader) error {
	p, total := t.part, int64(-1)
	if resp.ContentLength >= 0 {
		total = p.size + resp.ContentLength
	}
	if total > s.MaxBytes {
		return s.tooLarge(p, fmt.Sprintf("has %d MB", total>>20))
	}
	buffered := bufio.NewReaderSize(body, 32<<10)
	if p.size == 0 {
		if err := checkHead(buffered, resp.Request.URL.Host); err != nil {
			return errors.Join(err, p.reset(""))
		}
	}
	p.wrote = func(size int64) { t.report(size, total) }
	if _, err := io.Copy(p, io.LimitReader(buffered, s.MaxBytes-p.size+1)); err != nil {
		return err
	}
	if p.size > s.MaxBytes {
		return s.tooLarge(p, "is too large")
	}
	if total >= 0 && p.size != total {
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (s *session) tooLarge(p *part, what string) error {
	err := fmt.Errorf("the file %s; the limit is %d MB: %w", what, s.MaxBytes>>20, errUnfit)
	return errors.Join(err, p.reset(""))
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
	return fmt.Errorf("%s sent %s: %w", host, what, errUnfit)
}

// keep verifies a complete file, records it and moves it to its final path.
func (s *session) keep(item Item, p *part, name string) error {
	sum, err := p.sum()
	if err != nil {
		return fmt.Errorf("check %s: %w", name, err)
	}
	if item.SHA256 != "" && sum != item.SHA256 {
		err := fmt.Errorf("the downloaded file has SHA-256 %s, not %s: %w", sum, item.SHA256, errUnfit)
		return errors.Join(err, p.reset(""))
	}
	// The record comes first: a file without one would be fetched again under another name.
	r := record{Format: registryFormat, URL: item.URL, File: name, SHA256: sum, Bytes: p.size, At: s.Now().UTC()}
	line, err := json.Marshal(r)
	if err == nil {
		err = s.registry.byURL.Add(line)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", registryName, err)
	}
	return p.finish(filepath.Join(s.Dir, name))
}

// watched is a body whose request is cancelled when no data arrives for a while.
type watched struct {
	body  io.Reader
	watch *time.Timer
	stall time.Duration
}

// Read restarts the timer.
func (w *watched) Read(p []byte) (int, error) {
	w.watch.Reset(w.stall)
	return w.body.Read(p)
}
