package llm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/internal/fuzzy"
)

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
