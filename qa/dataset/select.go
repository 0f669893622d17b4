package dataset

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/fuzzy"
	"airqa/qa"
)

// Selection selects questions of a file. Its parts are applied in the order of the fields; an empty selection selects
// all. The order of the file is kept.
type Selection struct {
	// IDs are UUIDs or unambiguous prefixes of them.
	IDs []string `name:"id" placeholder:"UUID" help:"Only these questions, by uuid or a prefix of it; @FILE reads one per line."`
	// Tags must all be present. A tag after "!" must be absent.
	Tags []string `name:"tag" placeholder:"TAG" help:"Only questions with all of these tags; !TAG excludes a tag."`
	// Among are the UUIDs to choose from; nil means all.
	Among map[string]bool `kong:"-"`
	// Sample is a random sample.
	Sample Sample `placeholder:"N" help:"Only a random sample of N questions; N:SEED draws another one (default seed: 2024)."`
	// Limit is "N" (the first N of the rest), "A-B" (from the Ath to the Bth, counted from 1), "A-" (from the Ath on) or "".
	Limit string `placeholder:"N" help:"Only the first N of the selected questions, A-B for A to B, or A- for A to the end."`
}

// Sample is a random sample of N questions, or of N of each group; 0 is all. The same seed and file yield the same.
type Sample struct {
	N    int
	Seed uint64
}

// UnmarshalText reads N or N:SEED.
func (s *Sample) UnmarshalText(text []byte) (err error) {
	n, seed, seeded := strings.Cut(string(text), ":")
	s.Seed = 2024
	if s.N, err = strconv.Atoi(n); err == nil && seeded {
		s.Seed, err = strconv.ParseUint(seed, 10, 64)
	}
	if err != nil || s.N < 1 {
		return fmt.Errorf("%q: want a number N above 0, or N:SEED", text)
	}
	return nil
}

// String is N:SEED.
func (s Sample) String() string { return fmt.Sprintf("%d:%d", s.N, s.Seed) }

// Select applies a selection. Errors name the part that selects nothing or is invalid.
func (s Selection) Select(examples []qa.Example) ([]qa.Example, error) {
	picked, err := s.named(examples)
	if err != nil {
		return nil, err
	}
	if len(s.Tags) > 0 {
		picked = keep(picked, func(ex qa.Example) bool { return ex.HasTags(s.Tags...) })
		if len(picked) == 0 {
			return nil, fmt.Errorf("no question has the tags %s%s", strings.Join(s.Tags, ", "), meantTags(s.Tags, examples))
		}
	}
	if s.Among != nil {
		picked = keep(picked, func(ex qa.Example) bool { return s.Among[ex.UUID] })
	}
	return s.inRange(s.sampled(picked))
}

func keep(list []qa.Example, ok func(qa.Example) bool) []qa.Example {
	return slices.DeleteFunc(slices.Clone(list), func(ex qa.Example) bool { return !ok(ex) })
}

func (s Selection) inRange(list []qa.Example) ([]qa.Example, error) {
	if s.Limit == "" || len(list) == 0 {
		return list, nil
	}
	first, last, err := parseRange(s.Limit, len(list))
	if err != nil {
		return nil, err
	}
	if first > len(list) {
		return nil, fmt.Errorf("limit %s: only %d questions are selected", s.Limit, len(list))
	}
	return list[first-1 : min(last, len(list))], nil
}

func parseRange(text string, n int) (first, last int, err error) {
	from, to, two := strings.Cut(text, "-")
	first, err = strconv.Atoi(from)
	switch {
	case err == nil && !two:
		first, last = 1, first
	case err == nil && to == "":
		last = max(n, first)
	case err == nil:
		last, err = strconv.Atoi(to)
	}
	if err != nil || first < 1 || last < first {
		return 0, 0, fmt.Errorf("limit %q: want N (the first N), A-B or A-, counted from 1", text)
	}
	return first, last, nil
}

func (s Selection) named(list []qa.Example) ([]qa.Example, error) {
	if len(s.IDs) == 0 {
		return list, nil
	}
	wanted := make(map[string]bool)
	for _, id := range s.IDs {
		ex, err := byID(list, id)
		if err != nil {
			return nil, err
		}
		wanted[ex.UUID] = true
	}
	return keep(list, func(ex qa.Example) bool { return wanted[ex.UUID] }), nil
}

// Find returns the question of ref, a UUID or a prefix of it, and the repeat K of a ref "UUID#K".
func Find(list []qa.Example, ref string) (ex qa.Example, repeat int, err error) {
	if ex, err = byID(list, ref); err == nil {
		return ex, 0, nil
	}
	at := strings.LastIndexByte(ref, '#')
	if at < 0 {
		return ex, 0, err
	}
	if repeat, err = strconv.Atoi(ref[at+1:]); err != nil || repeat < 0 {
		return ex, 0, qa.Usagef("%s: want UUID or UUID#REPEAT", ref)
	}
	ex, err = byID(list, ref[:at])
	return ex, repeat, err
}

// byID finds a question by its UUID or a prefix of it.
func byID(list []qa.Example, id string) (qa.Example, error) {
	var found []qa.Example
	for _, ex := range list {
		if ex.UUID == id {
			return ex, nil
		}
		if strings.HasPrefix(ex.UUID, id) {
			found = append(found, ex)
		}
	}
	switch {
	case len(found) == 0 || id == "":
		return qa.Example{}, fmt.Errorf("no question has the id %q", id)
	case len(found) > 1:
		return qa.Example{}, fmt.Errorf("the id %q matches %d questions, including %s and %s", id, len(found), found[0].UUID, found[1].UUID)
	}
	return found[0], nil
}

// meantTags is a hint for tags that no question has and that are like one that some have.
func meantTags(tags []string, examples []qa.Example) string {
	known := make(map[string]bool)
	for _, ex := range examples {
		for _, tag := range ex.Tags {
			known[tag] = true
		}
	}
	names := slices.Sorted(maps.Keys(known))
	for _, tag := range tags {
		tag = strings.TrimPrefix(tag, "!")
		if best := fuzzy.Nearest(tag, names); !known[tag] && best != "" {
			return "; did you mean " + best + "?"
		}
	}
	return ""
}

func (s Selection) sampled(list []qa.Example) []qa.Example {
	if s.Sample.N == 0 || s.Sample.N >= len(list) {
		return list
	}
	drawn := rand.New(rand.NewPCG(s.Sample.Seed, 0)).Perm(len(list))[:s.Sample.N] //nolint:gosec // a draw that can be repeated, no secret
	slices.Sort(drawn)
	picked := make([]qa.Example, 0, s.Sample.N)
	for _, i := range drawn {
		picked = append(picked, list[i])
	}
	return picked
}
