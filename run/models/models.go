// Package models opens the models of a command, and connects each to what its requests pass through: a cache of replies, a
// budget, and notices about waiting calls. Runs, synthesis, annotation, enrichment and judges
// use it. Start from [Open], [Models.Open] and [Model.Connect].
package models

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/llm/catalog"
	"airqa/llm/offline"
	"airqa/qa"
)

// Offline is the name of the rule-based model, and of the lexical judge, that ship with the program.
const Offline = "offline"

// Temperatures of the paper (Appendix C.2); the second is for reasoning models.
const (
	usualTemperature     = 0.7
	reasoningTemperature = 0.6
)

// Default reply limits in tokens: the limit in the authors' code, for all models, and a higher one for reasoning models. The
// paper states none.
const (
	usualReply     = 1500
	reasoningReply = 8000
)

// Config configures how the models of a command are called. The zero value uses the endpoints and keys of the environment.
type Config struct {
	// BaseURL is the address of the endpoint; empty for the environment's or the provider's.
	BaseURL string
	// OwnURL is the address that the command line or the environment gives: keys are for that one, or for their providers.
	// A BaseURL that only a file names gets none of them unless it is one of these.
	OwnURL string
	// Sampling has the settings that are given; temperature and reply limit have defaults.
	Sampling qa.Sampling
	// Temperature is the default of models that do not reason; nil is the paper's.
	Temperature *float64
	// Body is added to requests, see [llm.Config].
	Body map[string]any
	// MaxConnections is the maximum number of concurrent requests per model; 0 is [llm.DefaultMaxConnections].
	MaxConnections int
	// Timeout limits one request; 0 is [llm.DefaultTimeout]. Retries follow transient failures.
	Timeout time.Duration
	Retries int
	// Catalog is a file with a list of models that is merged over the built-in one; may be empty.
	Catalog string
	// NoCalls opens models that are only described: no key is required.
	NoCalls bool
	// Price replaces the catalog's price of all models; may be nil. With PriceRequired, because a limit in USD must be
	// enforced, a model of unknown price is not opened.
	Price         *qa.Price
	PriceRequired bool
	// Getenv reads the environment. Required.
	Getenv func(string) string
	// Notify receives settings that an endpoint rejects; may be nil.
	Notify terminal.Notify
}

// Models opens models that share connections, limits and the catalog.
type Models struct {
	config  Config
	catalog *catalog.Catalog
	pool    *llm.Pool
}

// Open reads the catalog. It opens no model.
func Open(c Config) (*Models, error) {
	list, err := catalog.Open(c.Catalog)
	if err != nil {
		return nil, &qa.UsageError{Err: err}
	}
	if c.Temperature == nil {
		c.Temperature = new(usualTemperature)
	}
	return &Models{config: c, catalog: list, pool: llm.NewPool(c.MaxConnections)}, nil
}

// Model is a model with its description for run.json.
type Model struct {
	// Spec is PROVIDER:NAME, or [Offline].
	Spec string
	// Endpoint answers without cache and budget; see [Model.Connect]. It is nil for a judge without a key.
	Endpoint  qa.Model
	Described map[string]any
	// Headers are the names of the headers added to requests.
	Headers []string
	// Listed is the entry of the catalog; nil if there is none.
	Listed *catalog.Model
	// Price is nil if unknown.
	Price *qa.Price
	// MaxReply is the maximum number of tokens of a reply.
	MaxReply int

	waits *waits // nil for a model that never waits
}

// Open makes the model of a spec. It contacts no endpoint.
func (m *Models) Open(spec string) (Model, error) {
	if spec == Offline {
		opened := Model{
			Spec: spec, Endpoint: offline.New(), Described: map[string]any{"provider": Offline}, MaxReply: m.replyLimit(catalog.Model{}),
		}
		return m.priced(opened, &qa.Price{})
	}
	waiting := &waits{}
	c := m.Config(spec)
	c.OnWait = waiting.begin
	c.OnNotice = func(text string) { m.config.Notify.Notef("%s", text) }
	endpoint, err := llm.Open(c)
	if err != nil {
		return Model{}, &qa.UsageError{Err: err}
	}
	described, err := llm.Describe(c)
	if err != nil {
		return Model{}, err
	}
	opened := Model{Spec: spec, Endpoint: endpoint, Described: described, MaxReply: c.Sampling.MaxTokens, waits: waiting}
	opened.Headers = slices.Sorted(maps.Keys(c.Headers))
	if known, ok := m.catalog.Find(spec); ok {
		opened.Listed = &known
	}
	return m.priced(opened, listedPrice(m.catalog, spec))
}

// Config returns the configuration of a model.
func (m *Models) Config(spec string) llm.Config {
	c := m.config
	retries := cmp.Or(c.Retries, -1) // in llm.Config, 0 is the default and a negative number is none
	access := llm.FromEnvironment(spec, c.Getenv).Pair(c.OwnURL)
	known, _ := m.catalog.Find(spec)
	access = withHeaders(access, known.HeaderLines(c.Getenv))
	if c.BaseURL != "" {
		access = access.At(c.BaseURL)
	}
	sampling := c.Sampling
	sampling.MaxTokens = m.replyLimit(known)
	if sampling.Temperature == nil {
		sampling.Temperature = c.Temperature
		if c.Sampling.Reasons() || known.Reasoning {
			sampling.Temperature = new(reasoningTemperature)
		}
	}
	return llm.Config{
		Spec: spec, Access: access, NoCalls: c.NoCalls, Timeout: c.Timeout, MaxRetries: retries,
		Body: c.Body, Catalog: m.catalog, Pool: m.pool, Sampling: sampling,
		// Named so that an unknown provider's error lists it; Open makes it without an endpoint's settings.
		Providers: map[string]llm.Provider{
			Offline: func(llm.Config) (qa.Model, error) { return offline.New(), nil },
		},
	}
}

// replyLimit is the maximum number of tokens of a model's reply.
func (m *Models) replyLimit(known catalog.Model) int {
	if m.config.Sampling.MaxTokens > 0 {
		return m.config.Sampling.MaxTokens
	}
	limit := usualReply
	if m.config.Sampling.Reasons() || known.Reasoning {
		limit = reasoningReply
	}
	if known.Output > 0 {
		limit = min(limit, known.Output)
	}
	return limit
}
