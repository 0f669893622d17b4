package llm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"airqa/internal/concurrent"
	"airqa/internal/fuzzy"
	"airqa/internal/httpclient"
	"airqa/llm/catalog"
	"airqa/qa"
)

// Defaults of [Config].
const (
	DefaultTimeout    = 5 * time.Minute
	DefaultMaxRetries = 5
)

// Provider makes a model from a configuration whose Spec names it.
type Provider func(Config) (qa.Model, error)

// Config configures a model. Only Spec is required.
type Config struct {
	// Spec is PROVIDER:MODEL, such as "openai:gpt-4o" or "scripted:episode.jsonl". The model's name may contain colons.
	Spec string
	// Access is the address up to /chat/completions, /responses, /messages or /api/chat, which must not contain a key, and what
	// is sent there. No other host is contacted. A key is required at the provider's own address.
	Access
	// NoCalls means that no request is made, so that a key is not required.
	NoCalls bool
	// Sampling with a reasoning effort declares that the model thinks before it replies, for models that the catalog does
	// not know: OpenAI then gets the limit as max_completion_tokens, and reasoning may start without a tag.
	Sampling qa.Sampling
	// Body has members to add to each request, such as chat_template_kwargs. They replace sampling settings, but may not be
	// what airqa sets itself, such as messages.
	Body map[string]any
	// Catalog lists what models reject; nil is [catalog.Builtin].
	Catalog *catalog.Catalog
	// Pool shares connections and limits with other models; nil is a private pool.
	Pool *Pool
	// Timeout limits one request, not the whole call; 0 is [DefaultTimeout].
	Timeout time.Duration
	// MaxRetries is the maximum number of retries; 0 is [DefaultMaxRetries], a negative number is none.
	MaxRetries int
	// HTTPClient is for tests and unusual transports; nil makes one. Its redirect policy is replaced: redirects are not
	// followed, because they could send the conversation to another host.
	HTTPClient *http.Client
	// Sleep waits between requests and returns early with the context's error; nil uses the clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now returns the time; nil is [time.Now].
	Now func() time.Time
	// OnWait is called when a call of a built-in endpoint starts to wait, and the function it returns when the wait is
	// over. class is that of the preceding failure (qa.FailRateLimit, ...) or [Queue]. It may be nil. Calls may
	// overlap.
	OnWait func(class qa.FailureClass) (over func())
	// OnNotice is called once when an endpoint turns out to reject a setting, to stream only, or not to respond. It may be
	// nil. Calls may overlap.
	OnNotice func(text string)
	// Rand returns numbers in [0, 1) for back-off jitter; nil is [rand.Float64]. Calls may overlap.
	Rand func() float64
	// Providers adds providers by name, or replaces built-in ones.
	Providers map[string]Provider
}

// SplitSpec splits a spec at its first colon. A spec without a colon is a provider without a model.
func SplitSpec(spec string) (provider, model string) {
	provider, model, _ = strings.Cut(spec, ":")
	return provider, model
}

// Open makes the model that c.Spec names. It contacts no endpoint; "scripted:FILE" reads the file.
func Open(c Config) (qa.Model, error) {
	c = c.withDefaults()
	if err := checkSampling(c.Sampling); err != nil {
		return nil, fmt.Errorf("model %q: %w", c.Spec, err)
	}
	name, _ := SplitSpec(c.Spec)
	open, ok := providers(c.Providers)[name]
	if !ok {
		return nil, unknownProvider(c)
	}
	model, err := open(c)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", c.Spec, err)
	}
	return model, nil
}

func providers(extra map[string]Provider) map[string]Provider {
	known := map[string]Provider{"scripted": openScripted}
	for _, v := range vendors() {
		known[v.name] = func(c Config) (qa.Model, error) {
			e, err := NewEndpoint(c)
			if err != nil {
				return nil, err
			}
			backoff := httpclient.Backoff{First: time.Second, Longest: time.Minute, Rand: c.Rand}
			return &Retrier{
				inner: e, onWait: c.OnWait, notice: c.OnNotice, retries: max(c.MaxRetries, 0), sleep: c.Sleep, backoff: backoff, down: new(atomic.Bool),
			}, nil
		}
	}
	maps.Copy(known, extra)
	return known
}

func (c Config) withDefaults() Config {
	c.Catalog, c.Pool = cmp.Or(c.Catalog, catalog.Builtin()), cmp.Or(c.Pool, NewPool(0))
	c.Timeout, c.MaxRetries = cmp.Or(c.Timeout, DefaultTimeout), cmp.Or(c.MaxRetries, DefaultMaxRetries)
	if c.Sleep == nil {
		c.Sleep = concurrent.Sleep
	}
	if c.OnWait == nil {
		c.OnWait = func(qa.FailureClass) func() { return func() {} }
	}
	if c.OnNotice == nil {
		c.OnNotice = func(string) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rand == nil {
		c.Rand = rand.Float64
	}
	c.Key = strings.TrimSpace(c.Key)
	return c
}

// unknownProvider is the error for a spec without a provider or with an unknown one. It suggests a correction.
func unknownProvider(c Config) error {
	known := slices.Sorted(maps.Keys(providers(c.Providers)))
	list := strings.Join(known, ", ")
	provider, model, named := strings.Cut(c.Spec, ":")
	switch {
	case c.Spec == "":
	case !named:
		return fmt.Errorf("model %q has no provider: did you mean %s? The providers are %s", c.Spec, likelySpec(c), list)
	case similar(provider, known) != "":
		return fmt.Errorf("model %q: unknown provider %q: did you mean %s:%s? The providers are %s",
			c.Spec, provider, similar(provider, known), model, list)
	}
	return fmt.Errorf("model %q: unknown provider %q: want PROVIDER:MODEL with a provider of %s", c.Spec, provider, list)
}

// likelySpec is the likely meaning of a spec without a colon: a provider without models such as "offline", a model
// after another separator, or one of OpenAI's.
func likelySpec(c Config) string {
	provider, model := "openai", c.Spec
	for _, v := range vendors() {
		if rest, ok := strings.CutPrefix(c.Spec, v.name); ok && strings.IndexAny(rest, "-_/. ") == 0 {
			provider, model = v.name, rest[1:]
		}
	}
	if bare := similar(model, slices.Sorted(maps.Keys(c.Providers))); bare != "" {
		return bare
	}
	return provider + ":" + model
}

// similar returns the name most similar to a misspelled one, or "".
func similar(name string, names []string) string {
	const least = 75 // percent: one wrong letter of four
	best, score := "", least-1
	for _, n := range names {
		if r := fuzzy.Ratio(strings.ToLower(name), n); r > score {
			best, score = n, r
		}
	}
	return best
}
