package catalog

import (
	"maps"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// Model is a catalog entry.
type Model struct {
	// Name is PROVIDER:MODEL; the provider "open" means open weights that any server may host.
	Name string `json:"name"`
	// Also lists aliases at the same provider.
	Also []string `json:"also,omitempty"`
	// Context is the window in tokens, usually prompt plus reply; Output is the maximum reply. 0 is unknown.
	Context int `json:"context,omitempty"`
	Output  int `json:"output,omitempty"`
	// Price is nil if unknown, as for self-hosted models.
	Price *Price `json:"price,omitempty"`
	// Reasoning models think before they reply, billed as output.
	Reasoning bool `json:"reasoning,omitempty"`
	Images    bool `json:"images,omitempty"`
	// DefaultSampling models reject temperature and top_p; OneSampling models reject the two together.
	DefaultSampling bool `json:"default_sampling,omitempty"`
	OneSampling     bool `json:"one_sampling,omitempty"`
	// MaxCompletionTokens models take max_completion_tokens instead of max_tokens at every host.
	MaxCompletionTokens bool `json:"max_completion_tokens,omitempty"`
	// SystemAsUser models reject system messages, or work better without: they get them as user messages.
	SystemAsUser bool `json:"system_as_user,omitempty"`
	// Source is the source of the figures.
	Source  string `json:"source,omitempty"`
	Comment string `json:"comment,omitempty"`
	// File is the origin of the entry: [BuiltinFile], or the path of the user's file that added or changed it.
	File string `json:"-"`
}

// Price is in USD per million tokens.
type Price struct {
	Input float64 `json:"input"`
	// Cached is the price of input from the provider's cache; nil means the normal input price.
	Cached *float64 `json:"cached,omitempty"`
	// Output includes reasoning.
	Output float64 `json:"output"`
}

// Cost returns the cost of a usage in USD, without the cost of cache writes.
func (p Price) Cost(u qa.Usage) float64 {
	cached := p.Input
	if p.Cached != nil {
		cached = *p.Cached
	}
	fresh := max(u.Prompt-u.Cached, 0)
	return (float64(fresh)*p.Input + float64(u.Cached)*cached + float64(u.Completion)*p.Output) / 1e6
}

// Catalog is an immutable list of models. Calls may overlap.
type Catalog struct {
	models map[string]Model
	// names maps every alias, with its provider, to the model's name.
	names map[string]string
}

// Models returns all models sorted by name.
func (c *Catalog) Models() []Model {
	return slices.SortedFunc(maps.Values(c.models), func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
}

// Find looks a model up by its spec, PROVIDER:MODEL. It tries in order:
//
//  1. the spec as it is;
//  2. without the date or the word at its end (gpt-4o-2024-08-06, claude-sonnet-4-5-20250929, claude-3-5-haiku-latest,
//     gemini-2.0-flash-001), so that a dated model with a price of its own needs an entry of its own;
//  3. as open weights, "open:MODEL": in lower case, without the owner in front (Qwen/) or the quantisation at the end
//     (-awq, -q4_k_m), with a colon read as a hyphen (qwen2.5:72b).
//
// An entry found by the third rule has no price unless the user's file sets one.
func (c *Catalog) Find(spec string) (Model, bool) {
	for _, name := range candidates(spec) {
		if own, ok := c.names[name]; ok {
			return c.models[own], true
		}
	}
	return Model{}, false
}

// Price returns the price of a model, or nil if the model or its price is unknown.
func (c *Catalog) Price(spec string) *Price {
	m, _ := c.Find(spec)
	return m.Price
}

var (
	dated     = lazyregexp.New(`-(\d{4}-\d{2}-\d{2}|\d{8}|latest|\d{3})$`)
	quantised = lazyregexp.New(`-(i?q\d\w*|fp\d+|bf16|fp16|awq|gptq|int[48]|gguf|gptq-int[48])$`)
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
