package embed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"airqa/internal/httpclient"
	"airqa/internal/tokens"
	"airqa/qa"
)

// Limits on what an endpoint may send or request.
const (
	maxReply = 256 << 20
	maxShown = 300 // bytes of an error response to quote
	maxWait  = time.Minute
)

func (o *OpenAI) request(texts []string, c coding) ([]byte, error) {
	body := map[string]any{"model": o.config.Model, "input": texts, "encoding_format": c.format()}
	if o.config.Dimensions > 0 {
		body["dimensions"] = o.config.Dimensions
	}
	for name, value := range o.body {
		body[name] = value
	}
	return json.Marshal(body)
}

// limited sends a request through the limiter.
func (o *OpenAI) limited(ctx context.Context, body []byte) ([]byte, error) {
	slot, _, err := o.limiter.Acquire(ctx, nil)
	if err != nil {
		return nil, err
	}
	reply, status, err := o.post(ctx, body)
	outcome := httpclient.Outcome{OK: err == nil, Refused: status == http.StatusTooManyRequests, Fault: status >= 500}
	var transient *httpclient.Transient
	if errors.As(err, &transient) {
		outcome.RetryAfter = transient.After
	}
	o.limiter.Release(slot, outcome)
	return reply, err
}

// post sends one request. status is 0 if there is no response.
func (o *OpenAI) post(ctx context.Context, body []byte) (reply []byte, status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url, bytes.NewReader(body))
	if err != nil {
		return nil, 0, errors.New("the endpoint URL is invalid")
	}
	req.Header.Set("Content-Type", "application/json")
	if o.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+o.config.Key)
	}
	maps.Copy(req.Header, o.config.Headers)
	resp, err := o.config.Client.Do(req)
	if err != nil {
		return nil, 0, o.broken(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // the body was read or abandoned
	reply, err = httpclient.ReadAll(resp.Body, maxReply)
	switch {
	case errors.Is(err, httpclient.ErrTooLarge):
		return nil, resp.StatusCode, err
	case err != nil:
		return nil, resp.StatusCode, o.broken(ctx, err)
	case resp.StatusCode != http.StatusOK:
		text := fmt.Sprintf("%.*s", maxShown, httpclient.Redact(resp.Status+": "+string(reply), o.config.Key, o.config.Headers))
		err = &refusedError{resp.StatusCode, text, reply}
		if httpclient.Busy(resp.StatusCode) {
			err = &httpclient.Transient{Err: err, After: min(httpclient.RetryAfter(resp.Header, o.config.Now()), maxWait)}
		}
		return nil, resp.StatusCode, err
	}
	return reply, resp.StatusCode, nil
}

// broken describes a connection error without the URL, which may contain a secret.
func (o *OpenAI) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text := httpclient.Redact(httpclient.Bare(err).Error(), o.config.Key, o.config.Headers)
	return &httpclient.Transient{Err: fmt.Errorf("ask endpoint: %s", text)}
}

// vectors parses a response, reports its tokens and orders its vectors by text.
func (o *OpenAI) vectors(body []byte, texts []string) ([][]float32, error) {
	n := len(texts)
	var reply struct {
		Data []struct {
			Index     *int   `json:"index"` // nil from servers that keep the order
			Embedding vector `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt int `json:"prompt_tokens"`
			Total  int `json:"total_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return nil, fmt.Errorf("read reply: %w", err)
	}
	used := qa.Usage{Prompt: max(reply.Usage.Prompt, reply.Usage.Total)}
	if used.Prompt <= 0 {
		used.Prompt, used.Estimated = 0, true
		for _, text := range texts {
			used.Prompt += min(tokens.Count(text), o.config.Tokens)
		}
	}
	o.config.OnUsage(used)
	if len(reply.Data) != n {
		return nil, fmt.Errorf("endpoint returned %d vectors for %d texts", len(reply.Data), n)
	}
	out := make([][]float32, n)
	dim := o.config.Dimensions
	for place, d := range reply.Data {
		i := *cmp.Or(d.Index, &place)
		if i < 0 || i >= n || out[i] != nil {
			return nil, fmt.Errorf("embedding response: missing or duplicate index %d of %d", i, n)
		}
		if dim == 0 {
			dim = len(d.Embedding.numbers)
		}
		if len(d.Embedding.numbers) != dim || !unit(d.Embedding.numbers, o.config.Raw) {
			return nil, fmt.Errorf("endpoint returned an unusable vector of %d numbers, want %d", len(d.Embedding.numbers), dim)
		}
		out[i] = d.Embedding.numbers
		o.coding.Store(int32(d.Embedding.coding))
	}
	return out, nil
}
