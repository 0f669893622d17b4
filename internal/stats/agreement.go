package stats

import (
	"maps"
	"math"
	"slices"
)

// CohenKappa is the agreement of two judges on the same items beyond chance (Cohen 1960): 1 for perfect agreement, 0
// for chance. It is NaN without items, for lists of different lengths, and if all verdicts are equal, because chance
// agreement is then perfect too (R's irr and scikit-learn also give NaN).
func CohenKappa[T comparable](a, b []T) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return math.NaN()
	}
	var agree float64
	countA, countB := make(map[T]float64), make(map[T]float64)
	for i := range a {
		if a[i] == b[i] {
			agree++
		}
		countA[a[i]]++
		countB[b[i]]++
	}
	n := float64(len(a))
	chance := 0.0 // a sum of whole numbers: its order does not matter
	for v, times := range countA {
		chance += times * countB[v]
	}
	return beyondChance(agree/n, chance/(n*n))
}

// FleissKappa is the agreement of several judges beyond chance (Fleiss 1971); votes[item][judge]. Items may have
// different judges. Items with fewer than two votes are ignored, also for the agreement by chance; with different numbers
// of votes, each item has equal weight (as in Gwet 2014). NaN if no item is left or all votes are equal, as in
// [CohenKappa].
func FleissKappa[T comparable](votes [][]T) float64 {
	var items, agree float64
	shares := make(map[T]float64)
	for _, item := range votes {
		n := float64(len(item))
		if n < 2 {
			continue
		}
		counts := make(map[T]float64)
		for _, v := range item {
			counts[v]++
		}
		pairs := 0.0 // of equal votes: whole numbers, so that the order of the map does not matter
		for v, times := range counts {
			pairs += times * (times - 1)
			shares[v] += times / n
		}
		items++
		agree += pairs / (n * (n - 1))
	}
	if items == 0 {
		return math.NaN()
	}
	chance := 0.0
	for _, sum := range slices.Sorted(maps.Values(shares)) { // in a fixed order
		chance += (sum / items) * (sum / items)
	}
	return beyondChance(agree/items, chance)
}

func beyondChance(observed, chance float64) float64 {
	if chance == 1 {
		return math.NaN()
	}
	return (observed - chance) / (1 - chance)
}

// PassAtK estimates, from c successes in n tries at one question, the chance that at least one of k tries succeeds: 1 -
// C(n-c,k)/C(n,k), unbiased (Chen et al. 2021, arXiv:2107.03374, equation 1). NaN unless 0 <= c <= n and 1 <= k <= n.
func PassAtK(n, c, k int) float64 { return 1 - PassHatK(n, n-c, k) }

// PassHatK estimates, from c successes in n tries at one question, the chance that all of k tries succeed:
// C(c,k)/C(n,k), unbiased (pass^k of Yao et al. 2024, arXiv:2406.12045). NaN unless 0 <= c <= n and 1 <= k <= n.
func PassHatK(n, c, k int) float64 {
	if c < 0 || c > n || k < 1 || k > n {
		return math.NaN()
	}
	if k > c {
		return 0
	}
	p := 1.0
	for i := range k {
		p *= float64(c-i) / float64(n-i)
	}
	return p
}
