package extractor

import (
	"cmp"
	"slices"

	"airqa/extractor/candidate"
)

// Shares of the question types and of the elements among AirQA's 1,246 questions (paper, Table 2). Half of the share of
// text goes to pairs of sections.
var (
	typeShares    = map[string]float64{candidate.Single: 351, candidate.Multiple: 323, candidate.Retrieval: 288, candidate.Comprehensive: 284}
	elementShares = map[string]float64{
		candidate.Text: 310.5, candidate.Sections: 310.5, candidate.Table: 213, candidate.Image: 207, candidate.Formula: 127,
		candidate.Metadata: 122,
	}
)

// Quotas divides count rows over categories by their shares in AirQA, and most candidates in proportion. most 0 means
// five for each row. A category that gets no row is left out.
func Quotas(categories []candidate.Category, count, most int) []candidate.Quota {
	most = cmp.Or(most, 5*count)
	weights := make([]float64, len(categories))
	for i, c := range categories {
		weights[i] = typeShares[c.Type()]
		if c.Element() != "" {
			sum := 0.0
			for _, other := range categories {
				if other.Type() == c.Type() {
					sum += elementShares[other.Element()]
				}
			}
			weights[i] *= elementShares[c.Element()] / sum
		}
	}
	// The integer parts first, then one each to the largest remainders.
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	counts, order := make([]int, len(weights)), make([]int, len(weights))
	remainders, left := make([]float64, len(weights)), count
	for i, w := range weights {
		share := float64(count) * w / sum
		counts[i] = int(share)
		remainders[i], order[i] = share-float64(counts[i]), i
		left -= counts[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(remainders[b], remainders[a]) })
	for _, i := range order[:min(left, len(order))] {
		counts[i]++
	}
	var quotas []candidate.Quota
	for i, c := range categories {
		if counts[i] > 0 {
			quotas = append(quotas, candidate.Quota{Category: c, Count: counts[i], Most: (most*counts[i] + count - 1) / count})
		}
	}
	return quotas
}
