package sources

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
	*queue
	item Item
	part *part
}

// download fills the part, with a few attempts. It honours any delay that a server requests.
func (q *queue) download(ctx context.Context, t *transfer) error {
	policy := httpclient.Policy{
		Tries: q.Tries, Backoff: httpclient.Backoff{First: 2 * time.Second, Longest: time.Minute}, Exact: true, Sleep: q.Sleep,
	}
	err := httpclient.Retry(ctx, policy, func() error {
		err := t.request(ctx)
		if _, offline := errors.AsType[*OfflineError](err); offline && t.answered { // the host may be back soon
			return &httpclient.Transient{Err: err}
		}
		return err
	})
	if transient, ok := errors.AsType[*httpclient.Transient](err); ok {
		return &exhausted{fmt.Errorf("after %d requests: %w; run the same command to resume", q.Tries, transient.Err)}
	}
	return err
}

func (t *transfer) request(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(headerTimeout+t.Stall, func() { cancel(errStalled) })
	defer watch.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.item.URL, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", t.UserAgent)
	req.Header.Set("Accept", "application/pdf, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "identity")          // a range of a compressed file would be useless
	if p := t.part; p.size > 0 && p.mark.Validator != "" { // request only the rest
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.size))
		req.Header.Set("If-Range", p.mark.Validator)
	}
	resp, err := t.client(req, watch).Do(req)
	if err != nil {
		return failure(ctx, t.host, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if complete, err := t.begin(resp, t.part); complete || err != nil {
		return err
	}
	err = t.stream(t, resp, &watched{resp.Body, watch, t.Stall})
	_, known := errors.AsType[*httpclient.Transient](err)
	_, disk := errors.AsType[*fs.PathError](err)
	if err == nil || known || disk || errors.Is(err, errUnfit) {
		return err
	}
	return failure(ctx, t.host, err)
}

// begin reads the response headers and moves the part to the offset of the body. complete means that the part already has
// everything.
func (s *session) begin(resp *http.Response, p *part) (complete bool, err error) {
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
		return false, statusError(resp, s.Now())
	}
	// The part does not match the server's file: start over.
	if err := p.reset(""); err != nil {
		return false, err
	}
	return false, &httpclient.Transient{Err: fmt.Errorf("%s sent a different range than requested", resp.Request.URL.Host)}
}

// errUnfit is wrapped by errors about the content, which further requests cannot fix.
var errUnfit = errors.New("nothing was saved")

// stream writes the body to the part.
func (s *session) stream(t *transfer, resp *http.Response, body io.Reader) error {
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
	p.wrote = func(n int, size int64) { s.tell(Event{Item: t.item, Bytes: size, Total: total}, int64(n)) }
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
