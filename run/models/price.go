package models

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"airqa/llm"
	"airqa/llm/catalog"
	"airqa/qa"
)

// PriceError means that a limit in USD cannot be enforced for a model, because its price is unknown.
type PriceError struct{ Spec string }

func (e *PriceError) Error() string {
	return "the price of " + e.Spec + " is unknown, so a limit in USD cannot be enforced"
}

// priced sets the price that the configuration gives, or else the known one, which may be nil.
func (m *Models) priced(opened Model, known *qa.Price) (Model, error) {
	opened.Price = cmp.Or(m.config.Price, known)
	if opened.Price == nil && m.config.PriceRequired {
		return Model{}, &qa.UsageError{Err: &PriceError{opened.Spec}}
	}
	return opened, nil
}

// listedPrice is the catalog's price of a model, nil if unknown; a script costs nothing.
func listedPrice(list *catalog.Catalog, spec string) *qa.Price {
	if provider, _ := llm.SplitSpec(spec); provider == "scripted" {
		return &qa.Price{}
	}
	listed := list.Price(spec)
	if listed == nil {
		return nil
	}
	price := &qa.Price{Prompt: listed.Input, Completion: listed.Output, Cached: listed.Input}
	if listed.Cached != nil {
		price.Cached = *listed.Cached
	}
	return price
}

// ParsePrice reads a price such as "2.5,10" or "2.5,10,1.25": USD per million tokens of prompt, reply and cached prompt. It
// returns nil for an empty text.
func ParsePrice(text string) (*qa.Price, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no price is no error
	}
	malformed := qa.Usagef("price %s: want two or three numbers, USD per million tokens of prompt, reply and cached prompt", text)
	var numbers []float64
	for number := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || x < 0 || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, malformed
		}
		numbers = append(numbers, x)
	}
	switch len(numbers) {
	case 2:
		return &qa.Price{Prompt: numbers[0], Completion: numbers[1], Cached: numbers[0]}, nil
	case 3:
		return &qa.Price{Prompt: numbers[0], Completion: numbers[1], Cached: numbers[2]}, nil
	}
	return nil, malformed
}

// PriceText formats a price as [ParsePrice] reads it, or as unknown.
func PriceText(p *qa.Price) string {
	if p == nil {
		return "unknown"
	}
	plain := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	return fmt.Sprintf("%s,%s,%s", plain(p.Prompt), plain(p.Completion), plain(p.Cached))
}
