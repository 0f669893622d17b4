package shard_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"airqa/qa"
	"airqa/run/shard"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]shard.Part{"1/1": {Index: 1, Of: 1}, "3/16": {Index: 3, Of: 16}, "16/16": {Index: 16, Of: 16}} {
		if got, err := shard.Parse(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "3", "0/4", "5/4", "-1/4", "1/0", "+1/4", "01/4", "1/4/2", "a/b", " 1/4", "1/100001", "1/4 "} {
		if got, err := shard.Parse(text); err == nil {
			t.Errorf("%q: got %v", text, got)
		}
	}
	var none shard.Part
	if err := none.UnmarshalText(nil); err != nil || none.String() != "" {
		t.Errorf("no flag: %v, %v", none, err)
	}
}

func questions(t *rapid.T) []qa.Example {
	tag := rapid.SampledFrom([]string{"single", "multiple", "text", "table", "objective"})
	tags := rapid.SliceOfDistinct(tag, func(s string) string { return s })
	n := rapid.IntRange(1, 120).Draw(t, "questions")
	list := make([]qa.Example, n)
	for i := range list {
		list[i] = qa.Example{UUID: fmt.Sprintf("q%03d", i), Tags: tags.Draw(t, "tags")}
	}
	return list
}

// Every question is in one shard; shards differ by at most one question, also within each combination of tags.
func TestTake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := questions(t)
		n := rapid.IntRange(1, 20).Draw(t, "shards")
		owner := make(map[string]int)
		sizes := make(map[string][]int)
		for i := 1; i <= n; i++ {
			taken, share := shard.Part{Index: i, Of: n}.Take(list)
			if share.String() != fmt.Sprintf("%d/%d", i, n) || share.Selected != shard.Hash(list) || len(share.UUIDs) != len(taken) {
				t.Fatalf("share %+v", share)
			}
			for k, ex := range taken {
				if share.UUIDs[k] != ex.UUID || owner[ex.UUID] != 0 || k > 0 && taken[k-1].UUID >= ex.UUID {
					t.Fatalf("%s is in the shards %d and %d, or out of order", ex.UUID, owner[ex.UUID], i)
				}
				owner[ex.UUID] = i
				for _, stratum := range []string{"all", stratumOf(ex)} {
					if sizes[stratum] == nil {
						sizes[stratum] = make([]int, n)
					}
					sizes[stratum][i-1]++
				}
			}
		}
		if len(owner) != len(list) {
			t.Fatalf("%d of %d questions are in a shard", len(owner), len(list))
		}
		for stratum, counts := range sizes {
			if slices.Max(counts)-slices.Min(counts) > 1 {
				t.Fatalf("%s: shards of %v", stratum, counts)
			}
		}
	})
}

func stratumOf(ex qa.Example) string {
	tags := slices.Clone(ex.Tags)
	slices.Sort(tags)
	return strings.Join(tags, " ")
}

// The order of questions and tags does not matter.
func TestTakeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := questions(t)
		part := shard.Part{Index: 1, Of: rapid.IntRange(1, 8).Draw(t, "shards")}
		_, want := part.Take(list)
		mixed := slices.Clone(list)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		for i := range mixed {
			mixed[i].Tags = slices.Clone(mixed[i].Tags)
			slices.Reverse(mixed[i].Tags)
		}
		_, got := part.Take(mixed)
		slices.Sort(got.UUIDs)
		if !slices.Equal(got.UUIDs, want.UUIDs) || got.Selected != want.Selected {
			t.Fatalf("got %v, want %v", got.UUIDs, want.UUIDs)
		}
	})
}

// The assignment is the same on every machine and in every version: shards of one run are made by several processes.
func TestTakeStays(t *testing.T) {
	var list []qa.Example
	for i := range 10 {
		list = append(list, qa.Example{UUID: fmt.Sprint(i), Tags: []string{[]string{"a", "b"}[i%2]}})
	}
	for i, want := range []string{"2 3 5 8", "1 4 6", "0 7 9"} {
		_, share := shard.Part{Index: i + 1, Of: 3}.Take(list)
		if got := strings.Join(share.UUIDs, " "); got != want {
			t.Errorf("shard %d: got %s, want %s", i+1, got, want)
		}
	}
	all, share := shard.Part{}.Take(list)
	if len(all) != 10 || share != nil {
		t.Errorf("no shard: %d questions, %v", len(all), share)
	}
}
