// Package compare compares two runs over the same questions. [Load] reads a scored run, and [Runs] pairs the scores of
// two runs by question and computes the differences, with intervals and tests. It reads only scores and questions: it
// scores nothing, calls no model and prints nothing (package render does).
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"airqa/internal/stats"
	"airqa/qa"
	"airqa/report"
)

// level is the confidence level of every interval; 1-level is the significance level of every test.
const level = 0.95

// Options configure [Runs].
type Options struct {
	// Rounds and Seed configure the bootstrap; Rounds below 1 mean [stats.DefaultRounds].
	Rounds int    `json:"rounds" name:"bootstrap" default:"10000" placeholder:"N" help:"Resamples of the bootstrap."`
	Seed   uint64 `json:"seed" name:"bootstrap-seed" default:"1" help:"Seed of the bootstrap."`
	// Power is the statistical power for [Group.Detectable], in 0.5..1; 0 means that of [stats.UsualPower].
	Power float64 `json:"power" default:"0.8" help:"Statistical power."`
	// IncludePartial compares a partly scored question by its scored repeats. By default it is excluded, as in
	// [report.Options].
	IncludePartial bool `json:"-" help:"Include questions with only some repeats scored. Default: leave them out."`
}

// Result compares two runs. All shares are in percent, all differences are B - A in percentage points.
type Result struct {
	A System `json:"a"`
	B System `json:"b"`
	// All covers every question with a score in both runs, Groups the non-empty columns of the paper
	// ([report.Columns]).
	All    Group   `json:"all"`
	Groups []Group `json:"groups"`
	// PHolm is the p of All adjusted for several comparisons by [Pairs]; nil for a single one.
	PHolm *float64 `json:"p_holm,omitempty"`
	// LeftOut counts the questions that are not compared.
	LeftOut LeftOut `json:"left_out"`
	// Test is the test behind P: [McNemarTest] or, if scores are means of repeats, [SignTest].
	Test string `json:"test"`
	// Repeats reports whether either run has repeats; a question's score is then the mean.
	Repeats bool `json:"repeats"`
	Options
	// Alpha is the significance level of [Group.Detectable].
	Alpha float64 `json:"alpha"`
	// Flips are the questions with different scores in question order, those that A answered better first.
	Flips []Flip `json:"flips"`
	// Warnings list differences besides the systems, and reasons to trust the numbers less.
	Warnings []string `json:"warnings"`
}

// Group compares the runs on a subset of the questions.
type Group struct {
	// Name is the name of the column; Kind is the head that spans several.
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"`
	// Questions is the sum of the next four. With repeats, a question counts for the run with the higher mean; with
	// equal means it counts for Both if they are at least one half.
	Questions int `json:"questions"`
	Both      int `json:"both"`
	OnlyA     int `json:"only_a"`
	OnlyB     int `json:"only_b"`
	Neither   int `json:"neither"`
	// A and B are the mean scores; Difference is B - A, with a 95 % interval. A cluster is the questions on one paper
	// (the first anchor), or a question without a paper. Method is [report.BootstrapIntervals], or
	// [report.WilsonIntervals] where a report replaces the bootstrap, too: with fewer than [report.MinClusters] clusters,
	// or if all differences are equal. Then the interval is [stats.PairedWilson] with each cluster as one trial.
	A          float64        `json:"score_a"`
	B          float64        `json:"score_b"`
	Difference float64        `json:"difference"`
	Interval   stats.Interval `json:"interval"`
	Method     string         `json:"interval_method"`
	Clusters   int            `json:"clusters"`
	// P is the two-sided p of [Result.Test], PExact that of the exact test, which is conservative.
	P      float64 `json:"p"`
	PExact float64 `json:"p_exact"`
	// Discordant is the share of the questions on which the runs differ, 0..1; Spread is the standard deviation of the
	// differences by question, in points.
	Discordant float64 `json:"discordant"`
	Spread     float64 `json:"spread"`
	// Detectable is the smallest difference that this many questions can be expected to show, based on the discordance
	// ([stats.PairedDetectable]) or, with repeats, on the spread ([stats.PairedMeanDetectable]). It is nil if they are
	// too few for any difference.
	Detectable *float64 `json:"detectable"`
}

// LeftOut counts questions without a score in one or both runs: not run, failed, or in only one file.
type LeftOut struct {
	// Partly counts questions with scored and unscored repeats in either run. Of the rest, OnlyA have a score only in
	// A, OnlyB only in B, Neither in none.
	Partly  int `json:"partly_scored"`
	OnlyA   int `json:"scored_only_in_a"`
	OnlyB   int `json:"scored_only_in_b"`
	Neither int `json:"scored_in_neither"`
}

// ErrNothingShared is returned for runs without a common scored question.
var ErrNothingShared = errors.New("no question has a score in both; airqa score scores a run, questions without an evaluator stay unscored")

// Runs compares two runs, paired by the uuid of the question.
func Runs(a, b Side, o Options) (Result, error) { return runs(a, b, o, report.Columns()) }

func runs(a, b Side, o Options, columns []report.Column) (Result, error) {
	if o.Rounds < 1 {
		o.Rounds = stats.DefaultRounds
	}
	o.Power = cmp.Or(o.Power, stats.UsualPower.Power)
	pairs, out := pair(a, b, o.IncludePartial)
	if len(pairs) == 0 {
		return Result{}, fmt.Errorf("%s and %s: %w", a.Path, b.Path, ErrNothingShared)
	}
	if len(a.Examples)+len(b.Examples) == 0 {
		columns = nil // a score file alone has no questions
	}
	r := Result{
		A: a.System, B: b.System, LeftOut: out, Repeats: repeated(pairs), Test: McNemarTest, Groups: []Group{},
		Options: o, Alpha: 1 - level,
	}
	if r.Repeats {
		r.Test = SignTest
	}
	r.Flips = flips(pairs, r.Repeats)
	r.All = o.group(pairs)
	r.All.Name = "all"
	for _, column := range columns {
		some := slices.DeleteFunc(slices.Clone(pairs), func(p paired) bool { return !column.Holds(p.example) })
		if column.Group == "" || len(some) == 0 {
			continue // r.All covers this column
		}
		g := o.group(some)
		g.Name, g.Kind = column.Name, column.Group
		r.Groups = append(r.Groups, g)
	}
	r.Warnings = slices.Concat(warnings(a, b), missing("A", a), missing("B", b))
	return r, nil
}

// Values of [Result.Test]. Both tests compare the numbers of questions that each run answered better with a fair coin.
const (
	McNemarTest = "McNemar's mid-p test"
	SignTest    = "sign test (mid-p) on the means of the repeats"
)

// Pairs compares every run with every later one, over all questions only (Groups is empty), and adjusts p for multiple
// comparisons ([stats.Holm]).
func Pairs(sides []Side, o Options) ([]Result, error) {
	var results []Result
	var ps []float64
	for i, a := range sides {
		for _, b := range sides[i+1:] {
			r, err := runs(a, b, o, nil)
			if err != nil {
				return nil, err
			}
			results, ps = append(results, r), append(ps, r.All.P)
		}
	}
	for i, p := range stats.Holm(ps) {
		results[i].PHolm = &p
	}
	return results, nil
}

// Few reports whether there are too few clusters, or too few differences, for a bootstrap.
func (g Group) Few() bool { return g.Method == report.WilsonIntervals }

// interval is the interval of the difference.
func (o Options) interval(g *Group, pairs []paired, differences []float64, clusters []string) {
	var i stats.Interval
	if g.Clusters >= report.MinClusters {
		i, g.Method = stats.ClusterBootstrap(differences, clusters, o.Rounds, o.Seed, level), report.BootstrapIntervals
	}
	if !(i.Low < i.High) {
		a, b := make([]float64, len(pairs)), make([]float64, len(pairs))
		for k, p := range pairs {
			a[k], b[k] = p.a.mean, p.b.mean
		}
		i, g.Method = stats.PairedWilson(a, b, g.Clusters, level), report.WilsonIntervals
	}
	g.Interval = i.Scale(100)
}

func (o Options) group(pairs []paired) Group {
	g := Group{Questions: len(pairs)}
	differences, clusters := make([]float64, len(pairs)), make([]string, len(pairs))
	seen := make(map[string]bool)
	for i, p := range pairs {
		differences[i], clusters[i] = p.difference(), report.Cluster(p.example)
		seen[clusters[i]] = true
		switch d := p.difference(); {
		case d < 0:
			g.OnlyA++
		case d > 0:
			g.OnlyB++
		case p.a.mean >= 0.5 || p.a.worst.Verdict == qa.Right: // a companion's answer is right from a lower score on
			g.Both++
		default:
			g.Neither++
		}
		g.A += p.a.mean
		g.B += p.b.mean
	}
	n := float64(len(pairs))
	g.A, g.B, g.Clusters = 100*g.A/n, 100*g.B/n, len(seen)
	g.Difference = g.B - g.A
	g.Discordant = float64(g.OnlyA+g.OnlyB) / n
	var sum, squares float64
	for _, v := range differences {
		sum += v
	}
	mean := sum / float64(len(differences))
	for _, v := range differences {
		squares += (v - mean) * (v - mean)
	}
	g.Spread = 100 * math.Sqrt(squares/max(1, float64(len(differences)-1)))
	o.interval(&g, pairs, differences, clusters)
	g.P, g.PExact = stats.McNemarMid(g.OnlyA, g.OnlyB), stats.McNemar(g.OnlyA, g.OnlyB)
	power := stats.Power{Alpha: 1 - level, Power: o.Power}
	d, ok := stats.PairedDetectable(g.Questions, g.Discordant, power)
	if repeated(pairs) {
		d, ok = stats.PairedMeanDetectable(g.Questions, g.Spread/100, power)
	}
	if ok {
		d *= 100
		g.Detectable = &d
	}
	return g
}
