package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"airqa/internal/httpclient"
	"airqa/qa"
)

// OpenAIConfig says which endpoint to ask. BaseURL and Model are required.
type OpenAIConfig struct {
	BaseURL    string       // up to and without /embeddings, for instance https://api.openai.com/v1
	Model      string       // as the endpoint spells it
	Key        string       // bearer token; empty for endpoints that ask for none
	Dimensions int          // asked of the endpoint and checked when above 0; 0 takes what the model gives
	Batch      int          // texts in a request; 0 means 64
	Tokens     int          // tokens of cl100k_base that the model reads of a text; 0 means [DefaultTokens]
	Attempts   int          // of each request, the first one included; 0 means 4
	Client     *http.Client // nil means one with a limit of two minutes a request; it follows no redirect
	Parallel   int          // maximum number of concurrent requests; 0 means 64
	// Sleep waits between attempts, or returns ctx's error; nil means a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now is the time; nil is time.Now.
	Now func() time.Time
	// Rand returns numbers in [0, 1) for the jitter of the back-off; nil is rand.Float64. Calls may overlap.
	Rand func() float64
	// OnUsage gets the tokens of each request that brought vectors, as the endpoint reports them, else counted here. Calls may
	// overlap; nil gets nothing.
	OnUsage func(qa.Usage)
}

// DefaultTokens is the limit of OpenAI's embedding models.
const DefaultTokens = 8191

// OpenAI embeds texts over an endpoint that speaks the OpenAI protocol (POST BaseURL/embeddings). Calls may overlap.
type OpenAI struct {
	config  OpenAIConfig
	url     string
	limiter *httpclient.Limiter
	policy  httpclient.Policy
}

// NewOpenAI checks the configuration. It asks the endpoint nothing.
func NewOpenAI(c OpenAIConfig) (*OpenAI, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, errors.New("embedding endpoint: the base URL is no http or https address")
	}
	if c.Model == "" {
		return nil, errors.New("embedding endpoint: no model named")
	}
	if c.Dimensions < 0 || c.Batch < 0 || c.Attempts < 0 || c.Tokens < 0 || c.Parallel < 0 {
		return nil, errors.New("embedding endpoint: a number below 0")
	}
	c = c.withDefaults()
	return &OpenAI{
		config: c, url: base.JoinPath("embeddings").String(), limiter: httpclient.NewLimiter(c.Parallel, c.Now),
		policy: httpclient.Policy{
			Tries: c.Attempts, Sleep: c.Sleep, Backoff: httpclient.Backoff{First: time.Second, Longest: 32 * time.Second, Rand: c.Rand},
		},
	}, nil
}

func (c OpenAIConfig) withDefaults() OpenAIConfig {
	c.Batch = cmp.Or(c.Batch, 64)
	c.Tokens = cmp.Or(c.Tokens, DefaultTokens)
	c.Attempts = cmp.Or(c.Attempts, 4)
	c.Parallel = cmp.Or(c.Parallel, 64)
	if c.Client == nil {
		c.Client = httpclient.New(c.Parallel, 2*time.Minute)
	}
	c.Client = httpclient.NoRedirects(*c.Client)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rand == nil {
		c.Rand = rand.Float64
	}
	if c.OnUsage == nil {
		c.OnUsage = func(qa.Usage) {}
	}
	return c
}

// Info names the model. Endpoints show no weights, so there is no digest, and the dimension is the one asked for or 0.
func (o *OpenAI) Info() Info {
	return Info{Model: "openai:" + o.config.Model, Dim: o.config.Dimensions, Window: o.config.Tokens}
}

// Embed asks for the vectors of texts, a batch at a time, and brings them to length 1. An empty text, which endpoints
// refuse, is sent as one space; a text that is too long is cut to its first window. A busy or failing endpoint (429, 5xx, no
// connection) is asked again, up to Attempts times, after the pause that it asks for, at most a minute. Requests share a limit
// that adapts to refusals. Errors never hold the key.
func (o *OpenAI) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(len(texts), o.config.Batch)
		vectors, err := o.batch(ctx, texts[:n])
		if err != nil {
			return nil, fmt.Errorf("embed with %s: %w", o.config.Model, err)
		}
		if len(out) > 0 && len(vectors[0]) != len(out[0]) {
			return nil, fmt.Errorf("embed with %s: vectors of %d and of %d numbers", o.config.Model, len(out[0]), len(vectors[0]))
		}
		out, texts = append(out, vectors...), texts[n:]
	}
	return out, nil
}

func (o *OpenAI) batch(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	body, err := o.request(texts)
	if err != nil {
		return nil, err
	}
	var reply []byte
	err = httpclient.Retry(ctx, o.policy, func() error {
		reply, err = o.limited(ctx, body)
		return err
	})
	var transient *httpclient.Transient
	switch {
	case errors.As(err, &transient):
		return nil, &qa.UnavailableError{Err: transient.Err}
	case err != nil:
		return nil, err
	}
	return o.vectors(reply, texts)
}

// unit brings v to length 1 in place; it is false for a vector without direction.
func unit(v []float32) bool {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if !(squares > 0) || math.IsInf(squares, 0) {
		return false
	}
	by := 1 / math.Sqrt(squares)
	for i, x := range v {
		v[i] = float32(float64(x) * by)
	}
	return true
}
