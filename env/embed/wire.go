package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Limits on what an endpoint may send back and ask for.
const (
	maxReply = 256 << 20
	maxShown = 300 // bytes of an error reply that are repeated
	maxWait  = time.Minute
	never    = time.Duration(-1) // not worth another attempt
)

// embeddingReply is the part of the endpoint's reply that is read.
type embeddingReply struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
}

func (o *OpenAI) request(texts []string) ([]byte, error) {
	input := make([]string, len(texts))
	for i, text := range texts {
		if input[i] = o.Windows(text)[0]; text == "" {
			input[i] = " "
		}
	}
	return json.Marshal(struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Format     string   `json:"encoding_format"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{o.config.Model, input, "float", o.config.Dimensions})
}

// post sends one request. On an error, wait is how long the endpoint wants to be left alone, or never.
func (o *OpenAI) post(ctx context.Context, body []byte) (text []byte, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url, bytes.NewReader(body))
	if err != nil {
		return nil, never, errors.New("the address of the endpoint cannot be used")
	}
	req.Header.Set("Content-Type", "application/json")
	if o.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+o.config.Key)
	}
	resp, err := o.config.Client.Do(req)
	if err != nil {
		return nil, o.again(ctx), o.transport(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // read to the end or given up: nothing to learn from closing
	text, err = io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return nil, o.again(ctx), o.transport(ctx, err)
	}
	if resp.StatusCode != http.StatusOK {
		said := o.hide(resp.Status + ": " + string(text))
		return nil, retryAfter(resp), fmt.Errorf("endpoint replies %.*s", maxShown, said)
	}
	return text, 0, nil
}

// transport is a connection's error without the address, which may hold a secret.
func (o *OpenAI) transport(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return fmt.Errorf("ask endpoint: %s", o.hide(err.Error()))
}

func (o *OpenAI) again(ctx context.Context) time.Duration {
	if ctx.Err() != nil {
		return never
	}
	return 0
}

// retryAfter reads how long to wait after a refusal: Retry-After in seconds, never for a refusal that will stay.
func retryAfter(resp *http.Response) time.Duration {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode < 500 {
		return never
	}
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(min(seconds, 3600))*time.Second, maxWait)
}

// vectors reads n vectors from a reply, in the order of the texts.
func (o *OpenAI) vectors(text []byte, n int) ([][]float32, error) {
	var reply embeddingReply
	if err := json.Unmarshal(text, &reply); err != nil {
		return nil, fmt.Errorf("read reply: %w", err)
	}
	if len(reply.Data) != n {
		return nil, fmt.Errorf("endpoint gives %d vectors for %d texts", len(reply.Data), n)
	}
	out := make([][]float32, n)
	dim := o.config.Dimensions
	for _, d := range reply.Data {
		if d.Index < 0 || d.Index >= n || out[d.Index] != nil {
			return nil, fmt.Errorf("endpoint gives no vector or two for a text: index %d of %d", d.Index, n)
		}
		if dim == 0 {
			dim = len(d.Embedding)
		}
		if len(d.Embedding) != dim || !unit(d.Embedding) {
			return nil, fmt.Errorf("endpoint gives a vector of %d numbers that cannot be used, want %d", len(d.Embedding), dim)
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}
