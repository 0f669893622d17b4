package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"airqa/qa"
)

const (
	// placeholder is the model name, and the key when there is none, that langchaingo is given. The name has to be one
	// that it knows nothing about: for names such as o1 and o3-mini it folds system messages into the first user message,
	// and loses them when there is none. The doer writes the true name.
	placeholder = "placeholder"
	// maxReply bounds the body of an answer, maxErrorBody what an error keeps of it.
	maxReply     = 32 << 20
	maxErrorBody = 2000
)

// doer carries one request of langchaingo's client. It completes the request, since that client drops some settings and
// always sends others, and it keeps what the client throws away: status, error, id, served model, usage, tool calls.
type doer struct {
	endpoint     *Endpoint
	conversation conversation
	mask         *mask
	// sent is the request, its messages as bytes.
	sent   map[string]any
	status int
	reply  qa.Reply
	err    error
}

// Do sends the completed request. Its error is kept as well, because langchaingo flattens some errors to text.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	err := d.send(req)
	if err != nil {
		d.err = err
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Request: req,
		Body: io.NopCloser(strings.NewReader(d.endpoint.protocol.empty)),
	}, nil
}

// RoundTrip is Do for the clients that take a transport only.
func (d *doer) RoundTrip(req *http.Request) (*http.Response, error) { return d.Do(req) }

func (d *doer) send(req *http.Request) error {
	fixed, err := d.complete(req)
	if err != nil {
		return d.endpoint.fault(qa.FailBadRequest, err.Error())
	}
	response, err := d.endpoint.client.Do(fixed)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	d.status = response.StatusCode
	body, err := io.ReadAll(io.LimitReader(response.Body, maxReply+1))
	switch {
	case response.StatusCode >= 300:
		return d.endpoint.httpError(response.StatusCode, response.Header, body)
	case err != nil:
		return fmt.Errorf("read the reply: %w", err)
	case len(body) > maxReply:
		return d.endpoint.fault(qa.FailGarbage, fmt.Sprintf("the reply is larger than %d MiB", maxReply>>20))
	}
	if d.reply, err = d.read(response.Header.Get("Content-Type"), body); err != nil {
		return d.endpoint.rejected(body, err)
	}
	return nil
}

func (d *doer) read(contentType string, body []byte) (qa.Reply, error) {
	if stream := d.endpoint.protocol.readStream; stream != nil && isStream(contentType, body) {
		return stream(body)
	}
	return d.endpoint.protocol.read(body)
}

// complete replaces the body: the true model name, the settings that are set and no other.
func (d *doer) complete(req *http.Request) (*http.Request, error) {
	fields := map[string]json.RawMessage{}
	if err := json.NewDecoder(req.Body).Decode(&fields); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	full, err := d.endpoint.protocol.body(fields, d.conversation)
	if err != nil {
		return nil, fmt.Errorf("complete the request: %w", err)
	}
	full["model"] = d.endpoint.model
	maps.Copy(full, d.endpoint.settings)
	d.endpoint.quirks.apply(full, d.endpoint.protocol.stream)
	d.sent = full
	body, err := encode(full)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	if body, err = d.mask.lift(body); err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	fixed, err := http.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	fixed.Header = req.Header.Clone()
	fixed.Header.Set("User-Agent", "airqa")
	d.endpoint.protocol.authorize(fixed.Header, d.endpoint.key)
	return fixed, nil
}

// encode writes an object with its keys in order. What is JSON already, mostly the messages with their images, is copied
// as it is: encoding/json would check and compact every byte of it again.
func encode(fields map[string]any) ([]byte, error) {
	var out bytes.Buffer
	between := byte('{')
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		out.WriteByte(between)
		fmt.Fprintf(&out, "%q:", key)
		value, isRaw := fields[key].(json.RawMessage)
		if !isRaw {
			var err error
			if value, err = json.Marshal(fields[key]); err != nil {
				return nil, err
			}
		}
		out.Write(value)
		between = ','
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// rejected explains a success without a reply. OpenRouter reports the failure of the server behind it that way, with the
// status as the code of an error object; Ollama reports a fault in the middle of a reply as an error alone.
func (e *Endpoint) rejected(body []byte, err error) error {
	var stream brokenStream
	if errors.As(err, &stream) {
		body = stream.body
	}
	message, code := errorObject(body)
	if status := statusOf(code); status != 0 {
		return e.httpError(status, nil, body)
	}
	if message != "" {
		return e.fault(qa.FailGarbage, message)
	}
	detail := fmt.Sprintf("%v: %s", err, e.keep(body))
	page, ok := webPage(e.keep(body))
	if ok {
		detail = "the reply is " + page
	}
	f := e.fault(qa.FailGarbage, detail)
	if ok || !json.Valid(body) && !errors.Is(err, errCutStream) {
		f.hint = "this is not a chat endpoint: most base URLs end in /v1"
	}
	return f
}

func (e *Endpoint) httpError(status int, header http.Header, body []byte) *HTTPError {
	kept := e.keep(body)
	return &HTTPError{
		Status: status, RetryAfter: max(retryAfter(header, e.now()), retryDelay(kept)), Body: kept, Endpoint: e.where(),
		Location: e.redact(bareAddress(header.Get("Location"))),
	}
}

// bareAddress is an address without its query and credentials.
func bareAddress(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// keep returns what an error holds of a body. It redacts before it cuts, so that no half of a key stays at the end, and
// takes the decoded message when JSON escapes hid a key.
func (e *Endpoint) keep(body []byte) string {
	text := e.redact(string(body))
	if message, _ := errorObject([]byte(text)); e.redact(message) != message {
		text = e.redact(message)
	}
	return strings.ToValidUTF8(text[:min(len(text), maxErrorBody)], "?")
}

func orPlaceholder(key string) string {
	if key == "" {
		return placeholder
	}
	return key
}
