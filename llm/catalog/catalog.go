package catalog

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"airqa/qa"
)

// Model is what is known about a model.
type Model struct {
	// Name is PROVIDER:MODEL; the provider "open" stands for weights that anyone may serve.
	Name string `json:"name"`
	// Also lists further names behind the same provider.
	Also []string `json:"also,omitempty"`
	// Context is the window in tokens, prompt and reply together for most; Output the longest reply. 0 is unknown.
	Context int `json:"context,omitempty"`
	Output  int `json:"output,omitempty"`
	// Price is nil when unknown, as for every server of one's own.
	Price *Price `json:"price,omitempty"`
	// Reasoning models think before they reply, and bill it as output.
	Reasoning bool `json:"reasoning,omitempty"`
	Images    bool `json:"images,omitempty"`
	// DefaultSampling models refuse temperature and top_p; OneSampling models refuse both at once.
	DefaultSampling bool `json:"default_sampling,omitempty"`
	OneSampling     bool `json:"one_sampling,omitempty"`
	// MaxCompletionTokens models take max_completion_tokens instead of max_tokens at every host.
	MaxCompletionTokens bool `json:"max_completion_tokens,omitempty"`
	// SystemAsUser models refuse system messages, or are documented to do better without: they get them as user messages.
	SystemAsUser bool `json:"system_as_user,omitempty"`
	// Source is where the figures were read.
	Source  string `json:"source,omitempty"`
	Comment string `json:"comment,omitempty"`
	// File is where the entry is from: [BuiltinFile] or the path of the user's file, which may have changed a built-in one.
	File string `json:"-"`
}

// Price is in USD a million tokens.
type Price struct {
	Input float64 `json:"input"`
	// Cached is the price of input that the provider had in its cache; nil is the price of other input.
	Cached *float64 `json:"cached,omitempty"`
	// Output counts reasoning too.
	Output float64 `json:"output"`
}

// Cost returns what a usage costs in USD. What it costs to put input into a cache is not in it.
func (p Price) Cost(u qa.Usage) float64 {
	cached := p.Input
	if p.Cached != nil {
		cached = *p.Cached
	}
	fresh := max(u.Prompt-u.Cached, 0)
	return (float64(fresh)*p.Input + float64(u.Cached)*cached + float64(u.Completion)*p.Output) / 1e6
}

// Catalog is a list of models. It does not change, so calls may overlap.
type Catalog struct {
	models map[string]Model
	// names leads from every name, with its provider, to the model's own.
	names map[string]string
}

// Models returns all models in the order of their names.
func (c *Catalog) Models() []Model {
	return slices.SortedFunc(maps.Values(c.models), func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
}

// Find looks a model up by its spec, PROVIDER:MODEL. The first of these that is listed counts:
//
//  1. the spec as it is;
//  2. without the date or the word at its end (gpt-4o-2024-08-06, claude-sonnet-4-5-20250929, claude-3-5-haiku-latest,
//     gemini-2.0-flash-001), so that a dated model with a price of its own needs an entry of its own;
//  3. as weights that anyone may serve, "open:MODEL": in lower case, without the owner in front (Qwen/) and the
//     quantisation behind (-awq, -q4_k_m), a colon read as a hyphen (qwen2.5:72b).
//
// An entry found by the third rule has no price unless the user's file gives one.
func (c *Catalog) Find(spec string) (Model, bool) {
	for _, name := range candidates(spec) {
		if own, ok := c.names[name]; ok {
			return c.models[own], true
		}
	}
	return Model{}, false
}

// Price returns the price of a model; nil when the model or its price is unknown.
func (c *Catalog) Price(spec string) *Price {
	m, _ := c.Find(spec)
	return m.Price
}

var (
	dated     = regexp.MustCompile(`-(\d{4}-\d{2}-\d{2}|\d{8}|latest|\d{3})$`)
	quantised = regexp.MustCompile(`-(i?q\d\w*|fp\d+|bf16|fp16|awq|gptq|int[48]|gguf|gptq-int[48])$`)
)

func candidates(spec string) []string {
	_, model, _ := strings.Cut(spec, ":")
	open := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	open = strings.ReplaceAll(open, ":", "-")
	bare := quantised.ReplaceAllString(open, "")
	return []string{
		spec, dated.ReplaceAllString(spec, ""), "open:" + open, "open:" + bare, "open:" + strings.TrimSuffix(bare, "-latest"),
	}
}
