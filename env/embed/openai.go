package embed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"airqa/internal/files"
	"airqa/internal/httpclient"
	"airqa/internal/tokens"
	"airqa/qa"
)

// OpenAIConfig configures an endpoint. BaseURL and Model are required.
type OpenAIConfig struct {
	BaseURL    string       // without /embeddings, for instance https://api.openai.com/v1
	Model      string       // as named by the endpoint
	Key        string       // bearer token; may be empty
	Headers    http.Header  // of every request; may be nil
	Body       string       // JSON object with members to add to every request; empty for none
	Dimensions int          // requested and checked if above 0; 0 means the model's default
	Batch      int          // maximum number of texts per request; 0 means 64
	Tokens     int          // token limit of the model per text, in cl100k_base; 0 means [DefaultTokens]
	Attempts   int          // attempts per request, including the first; 0 means 4
	Client     *http.Client // nil means a client with a timeout of two minutes that follows no redirects
	Parallel   int          // maximum number of concurrent requests; 0 means 64, and 16 for a corpus (see [BlocksOf])
	// QueryPrefix and TextPrefix begin every query and every other text, such as "query: " and "passage: " of E5.
	QueryPrefix, TextPrefix string
	// Raw leaves vectors as the endpoint sends them, instead of length 1.
	Raw bool
	// Sleep waits between attempts or returns ctx's error; nil means a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now returns the time; nil means time.Now.
	Now func() time.Time
	// Rand returns numbers in [0, 1) for the jitter of the back-off; nil means rand.Float64. Calls may overlap.
	Rand func() float64
	// OnUsage receives the tokens of each successful request, as reported by the endpoint or else counted here. Calls
	// may overlap; it may be nil.
	OnUsage func(qa.Usage)
	// Notice receives a line for the user when the endpoint turns out to accept fewer texts per request than Batch; it may be nil.
	Notice func(line string)
}

// corpusRequests is the default number of concurrent requests for a corpus: enough for several GPUs, and few enough that a slow
// server answers the last one before its timeout.
const corpusRequests = 16

// DefaultTokens is the limit of OpenAI's embedding models.
const DefaultTokens = 8191

// OpenAI embeds texts with an OpenAI-compatible endpoint (POST BaseURL/embeddings). It is safe for concurrent use.
type OpenAI struct {
	config  OpenAIConfig
	body    map[string]json.RawMessage
	url     string
	host    string
	prefix  string
	sizes   *sizes
	limiter *httpclient.Limiter
	policy  httpclient.Policy
	blocks  Blocks
	coding  *atomic.Int32 // of the vectors in responses, a coding
}

// NewOpenAI checks the configuration. It sends no request.
func NewOpenAI(c OpenAIConfig) (*OpenAI, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, errors.New("embedding endpoint: the base URL is not an http or https URL")
	}
	if c.Model == "" {
		return nil, errors.New("embedding endpoint: no model given")
	}
	body, err := members(c.Body)
	if err != nil {
		return nil, err
	}
	if min(c.Dimensions, c.Batch, c.Attempts, c.Tokens, c.Parallel) < 0 {
		return nil, errors.New("embedding endpoint: negative number")
	}
	calls := cmp.Or(c.Parallel, corpusRequests)
	c = c.withDefaults()
	if n := max(tokens.Count(c.QueryPrefix), tokens.Count(c.TextPrefix)); n > c.Tokens/2 {
		return nil, fmt.Errorf("embedding endpoint: a prefix of %d tokens takes more than half of the %d tokens of a text", n, c.Tokens)
	}
	return &OpenAI{
		config: c, body: body, blocks: Blocks{Texts: c.Batch, Calls: calls}, host: base.Host, sizes: &sizes{known: batchSize{texts: c.Batch}},
		prefix: c.TextPrefix, coding: new(atomic.Int32), url: base.JoinPath("embeddings").String(), limiter: httpclient.NewLimiter(c.Parallel, c.Now),
		policy: httpclient.Policy{
			Tries: c.Attempts, Sleep: c.Sleep, Backoff: httpclient.Backoff{First: time.Second, Longest: 32 * time.Second, Rand: c.Rand},
		},
	}, nil
}

// members reads a JSON object with members to add to requests; nil if there is none.
func members(object string) (body map[string]json.RawMessage, err error) {
	if object == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(object), &body); err != nil {
		return nil, fmt.Errorf("embedding endpoint: body: %w", err)
	}
	for _, name := range []string{"model", "input", "encoding_format"} {
		if body[name] != nil {
			return nil, fmt.Errorf("embedding endpoint: airqa sets %s itself", name)
		}
	}
	return body, nil
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
	if c.Notice == nil {
		c.Notice = func(string) {}
	}
	return c
}

// Info identifies the model. Endpoints do not expose weights, so there is no digest. The dimension is the requested one
// or 0. What is added to requests and to texts decides the vectors, too.
func (o *OpenAI) Info() Info {
	info := Info{Model: "openai:" + o.config.Model, Dim: o.config.Dimensions, Window: o.config.Tokens, Body: o.config.Body}
	info.QueryPrefix, info.TextPrefix = o.config.QueryPrefix, o.config.TextPrefix
	added := info.Body
	if info.TextPrefix != "" {
		added += "\n" + info.TextPrefix
	}
	if added != "" {
		info.Hash = files.Hash(added)
	}
	return info
}

// Queries returns the same model with the prefix of queries. Both share the limits of requests.
func (o *OpenAI) Queries() Embedder {
	queries := *o
	queries.prefix = o.config.QueryPrefix
	return &queries
}

// Embed requests the vectors of texts in batches, several at a time, and normalises them to length 1. It sends an empty
// text, which endpoints refuse, as one space, and the first window of a text that is too long, each after the prefix. It retries transient
// failures (429, 5xx, no connection) up to Attempts times, after the requested delay, at most a minute. A refused request
// of several texts is sent again as smaller ones, at once, and the size that the endpoint accepts is used from then on.
// Requests share a limit that adapts to refusals. Errors never contain the key.
func (o *OpenAI) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	input := make([]string, len(texts))
	for i, text := range texts {
		input[i] = cmp.Or(o.prefix+o.Windows(text)[0], " ")
	}
	batches := slices.Collect(slices.Chunk(input, o.config.Batch))
	made := make([][][]float32, len(batches))
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(o.blocks.Calls)
	for i, batch := range batches {
		group.Go(func() (err error) {
			made[i], err = o.batch(inner, batch)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("embed with %s: %w", o.config.Model, cmp.Or(ctx.Err(), err))
	}
	out := slices.Concat(made...)
	for _, v := range out {
		if len(v) != len(out[0]) {
			return nil, fmt.Errorf("embed with %s: vectors of %d and of %d numbers", o.config.Model, len(out[0]), len(v))
		}
	}
	return out, nil
}

// Blocks is a request at a time, as many at once as the configuration allows.
func (o *OpenAI) Blocks() Blocks { return o.blocks }

// send embeds the texts of one request.
func (o *OpenAI) send(ctx context.Context, texts []string) ([][]float32, error) {
	asked := coding(o.coding.Load())
	reply, err := o.ask(ctx, texts, asked)
	if refused, ok := errors.AsType[*refusedError](err); ok && asked == unknown &&
		(refused.status == http.StatusBadRequest || refused.status == http.StatusUnprocessableEntity) { // some do not know encoding_format
		if reply, err = o.ask(ctx, texts, floats); err == nil {
			o.coding.Store(int32(floats))
		}
	}
	if err != nil {
		return nil, err
	}
	return o.vectors(reply, texts)
}

// ask sends the texts of a request until the endpoint responds, or the attempts are used up.
func (o *OpenAI) ask(ctx context.Context, texts []string, c coding) (reply []byte, err error) {
	body, err := o.request(texts, c)
	if err != nil {
		return nil, err
	}
	err = httpclient.Retry(ctx, o.policy, func() error {
		reply, err = o.limited(ctx, body)
		if refused, ok := errors.AsType[*refusedError](err); ok && len(texts) > 1 && refused.mayBeSize() {
			return refused // not as a transient failure: fewer texts are sent next
		}
		return err
	})
	if transient, ok := errors.AsType[*httpclient.Transient](err); ok {
		return nil, &qa.UnavailableError{Err: transient.Err}
	}
	return reply, err
}

// unit normalises v to length 1 in place, unless it is to stay raw; it returns false if that is impossible.
func unit(v []float32, raw bool) bool {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if !(squares > 0) || math.IsInf(squares, 0) {
		return false
	}
	if raw {
		return true
	}
	by := 1 / math.Sqrt(squares)
	for i, x := range v {
		v[i] = float32(float64(x) * by)
	}
	return true
}
