package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
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
// always sends others, and it keeps what the client throws away: status, error, id, served model, usage.
type doer struct {
	model      *OpenAI
	status     int
	completion completion
	err        error
}

// Do sends the completed request. Its error is kept as well, because langchaingo flattens some errors to text.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	response, err := d.send(req)
	d.err = err
	return response, err
}

func (d *doer) send(req *http.Request) (*http.Response, error) {
	fixed, err := d.complete(req)
	if err != nil {
		return nil, err
	}
	response, err := d.model.client.Do(fixed)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	d.status = response.StatusCode
	body, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	if err != nil && response.StatusCode < 300 {
		return nil, fmt.Errorf("read the reply: %w", err)
	}
	if response.StatusCode >= 300 {
		return nil, d.model.httpError(response.StatusCode, response.Header, body)
	}
	return d.accept(body)
}

// complete replaces the body: the true model name, the settings that are set and no other.
func (d *doer) complete(req *http.Request) (*http.Request, error) {
	fields := map[string]json.RawMessage{}
	if err := json.NewDecoder(req.Body).Decode(&fields); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	full := map[string]any{"model": d.model.model, "messages": fields["messages"]}
	maps.Copy(full, d.model.settings)
	body, err := json.Marshal(full)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	fixed, err := http.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	fixed.Header = req.Header.Clone()
	fixed.Header.Set("User-Agent", "airqa")
	if d.model.key == "" {
		fixed.Header.Del("Authorization")
	}
	return fixed, nil
}

// accept reads the reply and gives langchaingo a plain form of it: it knows content as a string only, while some servers
// send a list of parts.
func (d *doer) accept(body []byte) (*http.Response, error) {
	got, err := parseCompletion(body)
	if err != nil {
		return nil, d.model.rejected(body, err)
	}
	d.completion = got
	plain, err := got.plain()
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(plain))}, nil
}

// rejected explains a success without a reply. OpenRouter reports the failure of the server behind it that way, with the
// status as the code of an error object.
func (m *OpenAI) rejected(body []byte, err error) error {
	message, code := errorObject(body)
	if status := statusOf(code); status != 0 {
		return m.httpError(status, nil, body)
	}
	if message != "" {
		return m.fault(ClassGarbage, message)
	}
	return m.fault(ClassGarbage, fmt.Sprintf("%v: %s", err, m.keep(body)))
}

func (m *OpenAI) httpError(status int, header http.Header, body []byte) *HTTPError {
	return &HTTPError{
		Status: status, RetryAfter: retryAfter(header, m.now()), Body: m.keep(body), Endpoint: m.base.Host,
	}
}

// keep returns what an error holds of a body. It redacts before it cuts, so that no half of a key stays at the end, and
// takes the decoded message when JSON escapes hid a key.
func (m *OpenAI) keep(body []byte) string {
	text := m.redact(string(body))
	if message, _ := errorObject([]byte(text)); m.redact(message) != message {
		text = m.redact(message)
	}
	return strings.ToValidUTF8(text[:min(len(text), maxErrorBody)], "?")
}

func orPlaceholder(key string) string {
	if key == "" {
		return placeholder
	}
	return key
}
