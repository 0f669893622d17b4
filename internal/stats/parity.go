package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// PairMeasure is a measure of the agreement of two raters of the same units, without missing values.
type PairMeasure struct {
	Name string
	Of   func(a, b []float64) float64
	// Numeric is true if the distance between values counts.
	Numeric bool
}

// PairMeasures are all measures of two raters: exact agreement, macro F1, Cohen's kappa, Spearman's rho and Krippendorff's
// ordinal alpha.
func PairMeasures() []PairMeasure {
	return []PairMeasure{
		{"exact", ExactAgreement[float64], false},
		{"macro-f1", func(a, b []float64) float64 { return MacroScores(a, b).F1 }, false},
		{"kappa", CohenKappa[float64], false},
		{"rho", Spearman, true},
		{"alpha", func(a, b []float64) float64 { return KrippendorffAlpha([][]float64{a, b}, OrdinalLevel) }, true},
	}
}

// ParityConfig configures [CompareToHumans].
type ParityConfig struct {
	// Margin is the difference up to which the model is not worse.
	Margin float64 `default:"0.05" placeholder:"D" help:"Largest difference at which the model still counts as no worse than people (non-inferiority margin)."`
	// Rounds is the number of resamples; below 1 means [DefaultRounds].
	Rounds int    `name:"bootstrap" default:"2000" placeholder:"N" help:"Resamples of the bootstrap."`
	Seed   uint64 `name:"bootstrap-seed" default:"1" help:"Seed of the bootstrap."`
}

// Parity compares a model's agreement with people to that among people. Undefined values are NaN.
type Parity struct {
	// Model is the mean agreement of the model with each person, Humans that of all pairs of people.
	Model, Humans float64
	// Difference is Model minus Humans, with the 95 % percentile interval of its bootstrap.
	Difference float64
	Interval   Interval
	// P is one-sided: the share of the resamples in which the model is worse than people by the margin or more, counting
	// the data themselves as one. A small P means that the model is not worse by more than the margin.
	P float64
	// Units were rated by all; Rounds resamples had a defined difference, Undefined had none.
	Units, Rounds, Undefined int
}

// CompareToHumans tests whether a model agrees with people as they do with each other, by a paired bootstrap of the units:
// each resample has the same units for all raters. Units that a rater lacks (NaN) are left out. There must be two people.
func CompareToHumans(model []float64, humans [][]float64, measure PairMeasure, c ParityConfig) Parity {
	raters := complete(append([][]float64{model}, humans...))
	n := len(raters[0])
	p := Parity{Units: n, P: math.NaN(), Interval: Interval{Low: math.NaN(), High: math.NaN()}}
	p.Model, p.Humans = means(raters, measure)
	if p.Difference = p.Model - p.Humans; n == 0 {
		return p
	}
	if c.Rounds < 1 {
		c.Rounds = DefaultRounds
	}
	random := rand.New(rand.NewPCG(c.Seed, 0))
	drawn := make([][]float64, len(raters))
	for r := range drawn {
		drawn[r] = make([]float64, n)
	}
	var differences []float64
	worse := 0
	for range c.Rounds {
		for i := range n {
			unit := random.IntN(n)
			for r := range raters {
				drawn[r][i] = raters[r][unit]
			}
		}
		model, humans := means(drawn, measure)
		d := model - humans
		if math.IsNaN(d) {
			p.Undefined++
			continue
		}
		if differences = append(differences, d); d <= -c.Margin {
			worse++
		}
	}
	if p.Rounds = len(differences); p.Rounds == 0 || math.IsNaN(p.Difference) {
		return p
	}
	slices.Sort(differences)
	p.Interval = Interval{Low: Quantile(differences, 0.025), High: Quantile(differences, 0.975)}
	p.P = float64(worse+1) / float64(p.Rounds+1)
	return p
}

// complete keeps the units that all raters have.
func complete(raters [][]float64) [][]float64 {
	kept := make([][]float64, len(raters))
	for i := range raters[0] {
		if slices.ContainsFunc(raters, func(r []float64) bool { return math.IsNaN(r[i]) }) {
			continue
		}
		for r := range raters {
			kept[r] = append(kept[r], raters[r][i])
		}
	}
	return kept
}

// means are the mean agreement of the first rater with the others, and that among the others.
func means(raters [][]float64, m PairMeasure) (first, others float64) {
	pairs := 0.0
	for i, a := range raters {
		for _, b := range raters[i+1:] {
			if v := m.Of(a, b); i == 0 {
				first += v / float64(len(raters)-1)
			} else {
				others, pairs = others+v, pairs+1
			}
		}
	}
	return first, others / pairs
}
