package questions

import (
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/internal/stats"
	"airqa/internal/tokens"
)

// Length is the distribution of the lengths of a text.
type Length struct {
	// Of is "question" or "answer format"; Unit is "words" (separated by whitespace), "characters" or "tokens"
	// (cl100k_base).
	Of   string `json:"of"`
	Unit string `json:"unit"`
	Summary
	// Values are the lengths in file order.
	Values []int `json:"values"`
}

// Summary summarizes numbers, with interpolated quartiles. It is zero for none.
type Summary struct {
	N      int     `json:"n"`
	Mean   float64 `json:"mean"`
	Min    int     `json:"min"`
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
	Max    int     `json:"max"`
}

// texts are the measured texts, units the measures.
var (
	texts = []struct {
		of   string
		text func(Item) string
	}{
		{"question", func(it Item) string { return it.Question }},
		{"answer format", func(it Item) string { return it.AnswerFormat }},
	}
	units = []struct {
		unit   string
		length func(string) int
	}{
		{"words", func(s string) int { return len(strings.Fields(s)) }},
		{"characters", utf8.RuneCountInString},
		{"tokens", tokens.Count},
	}
)

func lengths(items []Item) []Length {
	var list []Length
	for _, t := range texts {
		for _, u := range units {
			l := Length{Of: t.of, Unit: u.unit, Values: make([]int, 0, len(items))}
			for _, it := range items {
				l.Values = append(l.Values, u.length(t.text(it)))
			}
			l.Summary = summary(l.Values)
			list = append(list, l)
		}
	}
	return list
}

func summary(values []int) Summary {
	if len(values) == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(values))
	sum := 0
	for _, v := range sorted {
		sum += v
	}
	return Summary{
		N: len(sorted), Mean: float64(sum) / float64(len(sorted)), Min: sorted[0], Max: sorted[len(sorted)-1],
		Q1: stats.Quantile(sorted, 0.25), Median: stats.Quantile(sorted, 0.5), Q3: stats.Quantile(sorted, 0.75),
	}
}
