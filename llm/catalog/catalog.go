// Package catalog lists models with their prices, limits and restrictions.
//
// [Builtin] is the list that ships with the program, [Open] adds a user's file to it, and [Catalog.Find] looks a model
// up by its spec. Missing data is unknown: a nil price, a limit of 0. The package calls no endpoint.
package catalog

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
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
	// Responses models are served by OpenAI only with its Responses API, not with chat completions.
	Responses bool `json:"responses,omitempty"`
	// ExtraBody has members to add to requests.
	ExtraBody map[string]any `json:"extra_body,omitempty"`
	// Headers are headers to add to requests: name and value, or $NAME of an environment variable.
	Headers headers `json:"headers,omitempty"`
	// Source is the source of the figures.
	Source  string `json:"source,omitempty"`
	Comment string `json:"comment,omitempty"`
	// File is the origin of the entry: [BuiltinFile], or the path of the user's file that added or changed it.
	File string `json:"-"`
}

// headers are written as JSON without their values.
type headers map[string]string

func (h headers) MarshalJSON() ([]byte, error) {
	names := make(map[string]string, len(h))
	for name := range h {
		names[name] = "[key]"
	}
	return json.Marshal(names)
}

// HeaderLines returns the headers as NAME=VALUE, one per line.
func (m Model) HeaderLines(getenv func(string) string) string {
	var lines strings.Builder
	for name, value := range m.Headers {
		if variable, ok := strings.CutPrefix(value, "$"); ok {
			value = getenv(variable)
		}
		lines.WriteString(name + "=" + value + "\n")
	}
	return lines.String()
}

// Price is in USD per million tokens.
type Price struct {
	Input float64 `json:"input"`
	// Cached is the price of input from the provider's cache; nil means the normal input price.
	Cached *float64 `json:"cached,omitempty"`
	// Output includes reasoning.
	Output float64 `json:"output"`
}

// Catalog is an immutable list of models. Calls may overlap.
type Catalog struct {
	models map[string]Model
	// names maps every alias, with its provider, to the model's name.
	names map[string]string
	// families has the names by provider and alias without case and punctuation.
	families map[string]map[string]string
}

// Models returns all models sorted by name.
func (c *Catalog) Models() []Model {
	return slices.SortedFunc(maps.Values(c.models), func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
}

// HeaderLines returns the headers of all models, see [Model.HeaderLines].
func (c *Catalog) HeaderLines(getenv func(string) string) string {
	var lines strings.Builder
	for _, m := range c.models {
		lines.WriteString(m.HeaderLines(getenv))
	}
	return lines.String()
}

// Find looks a model up by its spec, PROVIDER:MODEL. It tries the provider's models, then those of all vendors if the name
// has a vendor in front or the provider is "openai", whose protocol every proxy speaks, then open weights. Each time it
// tries the name as it is, and without dates and stages at its end, one after the other (gpt-4o-2024-08-06,
// gemini-2.5-pro-exp-03-25, claude-3-5-haiku-latest), so that a dated model with a price of its own needs an entry of its
// own. Case and punctuation do not matter (qwen2.5:72b, Claude-3.7-Sonnet), nor does the quantisation of open weights.
//
// An entry of open weights has no price unless the user's file sets one, and the free tier of a host has none.
func (c *Catalog) Find(spec string) (Model, bool) {
	if own, ok := c.names[spec]; ok {
		return c.models[own], true
	}
	provider, model, _ := strings.Cut(spec, ":")
	if provider == "openai-responses" { // another API for the same models
		return c.Find("openai:" + model)
	}
	bare := vendorPrefix.ReplaceAllString(model, "")
	providers := []string{provider}
	if bare != model || provider == "openai" {
		providers = append(providers, slices.Sorted(maps.Keys(c.families))...)
	}
	for _, name := range append(providers, "open") {
		if own, ok := c.ofFamily(name, bare); ok {
			m := c.models[own]
			if strings.HasSuffix(spec, ":free") {
				m.Price = nil
			}
			return m, true
		}
	}
	return Model{}, false
}

// ofFamily returns the listed name of a provider's model.
func (c *Catalog) ofFamily(provider, model string) (string, bool) {
	for {
		if own, ok := c.families[provider][family(model)]; ok {
			return own, true
		}
		shorter := stage.ReplaceAllString(model, "")
		if provider == "open" {
			shorter = quantised.ReplaceAllString(shorter, "")
		}
		if shorter == model {
			return "", false
		}
		model = shorter
	}
}

// Price returns the price of a model, or nil if the model or its price is unknown.
func (c *Catalog) Price(spec string) *Price {
	m, _ := c.Find(spec)
	return m.Price
}

var (
	// vendorPrefix matches an owner (Qwen/, models/, publishers/google/models/), and Bedrock's regions and vendors (us.anthropic.).
	vendorPrefix = lazyregexp.New(`^(.*/)?([A-Za-z-]+\.)*`)
	// stage matches a date, a version or a stage at the end of a name.
	stage     = lazyregexp.New(`(?i)[-@](\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{2}-\d{4}|\d{8}|\d{3,4}|latest|exp|experimental|preview|beta|high|medium|low|v\d+(:\d+)?)$|:[a-z]+$`)
	quantised = lazyregexp.New(`(?i)[-:](i?q\d\w*|fp\d+|bf16|fp16|awq|gptq|int[48]|gguf|gptq-int[48])$`)
)

// family is a name without case and punctuation.
func family(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// BuiltinFile names the list that ships with the program, in [Model.File].
const BuiltinFile = "built in"

//go:embed models.json
var builtin []byte

// Builtin returns the list that ships with the program.
func Builtin() *Catalog { return shipped() }

// shipped parses the list on first use. A test parses it too, so errors cannot reach users.
var shipped = sync.OnceValue(func() *Catalog {
	c := &Catalog{models: map[string]Model{}, names: map[string]string{}, families: map[string]map[string]string{}}
	if err := c.add(BuiltinFile, builtin); err != nil {
		panic(err)
	}
	return c
})

// Open returns the built-in list extended by the user's file at path; an empty path means only the built-in list. An
// entry with the name of a listed model overrides the fields it has and keeps the others; a price is one field, and
// null makes it unknown. An unknown field is an error with the line number.
func Open(path string) (*Catalog, error) {
	if path == "" {
		return Builtin(), nil
	}
	data, err := files.ReadText(path)
	if err != nil {
		return nil, fmt.Errorf("read the models: %w", err)
	}
	base := Builtin()
	c := &Catalog{models: maps.Clone(base.models), names: maps.Clone(base.names), families: map[string]map[string]string{}}
	for provider, names := range base.families {
		c.families[provider] = maps.Clone(names)
	}
	if err := c.add(path, data); err != nil {
		return nil, err
	}
	return c, nil
}

// entry keeps the raw JSON, to find its line in the file.
type entry struct{ raw json.RawMessage }

func (e *entry) UnmarshalJSON(data []byte) error {
	e.raw = bytes.Clone(data)
	return nil
}

func (c *Catalog) add(path string, data []byte) error {
	var f struct {
		Format  int     `json:"format"`
		Dated   string  `json:"dated"`
		Comment string  `json:"comment"`
		Models  []entry `json:"models"`
	}
	if err := strict(data, &f); err != nil {
		return located(path, data, 0, err)
	}
	if f.Format != 1 {
		return fmt.Errorf("%s: format %d: want 1", path, f.Format)
	}
	from := 0
	for _, e := range f.Models {
		at := from + max(bytes.Index(data[from:], e.raw), 0)
		if err := c.addEntry(path, e.raw); err != nil {
			return located(path, data, at, err)
		}
		from = at + len(e.raw)
	}
	return nil
}

func (c *Catalog) addEntry(path string, raw json.RawMessage) error {
	var named struct {
		Name  string          `json:"name"`
		Price json.RawMessage `json:"price"`
	}
	if err := json.Unmarshal(raw, &named); err != nil {
		return err
	}
	model := c.models[named.Name]
	if named.Price != nil {
		model.Price = nil // a price is replaced as a whole
	}
	if err := strict(raw, &model); err != nil {
		return err
	}
	if err := model.check(); err != nil {
		return err
	}
	model.File = path
	c.models[model.Name] = model
	provider, own, _ := strings.Cut(model.Name, ":")
	if c.families[provider] == nil {
		c.families[provider] = map[string]string{}
	}
	for _, alias := range slices.Concat(model.Also, []string{own}) {
		c.names[provider+":"+alias] = model.Name
		c.families[provider][family(alias)] = model.Name
	}
	return nil
}

func (m Model) check() error {
	provider, name, ok := strings.Cut(m.Name, ":")
	switch {
	case !ok || provider == "" || name == "":
		return fmt.Errorf("name %q: want PROVIDER:MODEL", m.Name)
	case m.Context < 0 || m.Output < 0:
		return fmt.Errorf("%s: a limit below 0", m.Name)
	case m.Price != nil && (m.Price.Input < 0 || m.Price.Output < 0 || m.Price.Cached != nil && *m.Price.Cached < 0):
		return fmt.Errorf("%s: a price below 0", m.Name)
	}
	return nil
}

func strict(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return err
	}
	if decoder.More() {
		return errors.New("more than one object")
	}
	return nil
}

var unknownField = lazyregexp.New(`^json: unknown field ("(?:.*)")$`)

// located adds the file and line to an error in the part of data that begins at an offset. encoding/json does not
// report the position of an unknown field: it is the first of that name there.
func located(path string, data []byte, at int, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	text := strings.TrimPrefix(err.Error(), "json: ")
	field := unknownField.FindStringSubmatch(err.Error())
	switch {
	case errors.As(err, &syntax):
		at += int(syntax.Offset)
	case errors.As(err, &kind):
		at += int(kind.Offset)
	case field != nil:
		at += max(bytes.Index(data[at:], []byte(field[1])), 0)
	}
	line := 1 + bytes.Count(data[:min(at, len(data))], []byte("\n"))
	return fmt.Errorf("%s:%d: %s", path, line, text)
}
