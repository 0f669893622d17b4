// Package shard divides the questions of a run among processes, on one machine or many. A [Part] such as "3/16" takes
// its questions with [Part.Take]: which ones depends on the ids and tags of the selected questions alone. [Part.Has]
// divides the papers of an ingest. The package also writes what a scheduler needs to run the shards on many machines: a
// job script for Slurm ([Slurm.Script]) and a manifest for Kubernetes ([Kubernetes.Manifest]). Neither contains a key.
// The scheduler may stop and restart any part: the same command resumes its shard.
package shard

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/files"
	"airqa/qa"
)

// Max is the highest number of shards.
const Max = 100_000

// Part is one of Of shards, numbered from 1. The zero Part is a run that is not divided.
type Part struct{ Index, Of int }

// Parse reads a part as "3/16".
func Parse(text string) (Part, error) {
	index, of, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	p := Part{i, n}
	if err1 != nil || err2 != nil || p.String() != text {
		return Part{}, fmt.Errorf("shard %q: want I/N, such as 3/16 for the third of 16 shards", text)
	}
	if n < 1 || n > Max || i < 1 || i > n {
		return Part{}, fmt.Errorf("shard %s: want 1/N to N/N, with N from 1 to %d", text, Max)
	}
	return p, nil
}

// String is "3/16", or "" for the zero Part.
func (p Part) String() string {
	if p == (Part{}) {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.Index, p.Of)
}

// UnmarshalText reads a flag. An empty text is the zero Part.
func (p *Part) UnmarshalText(text []byte) (err error) {
	*p = Part{}
	if len(text) > 0 {
		*p, err = Parse(string(text))
	}
	return err
}

// Has reports whether a part has the input with a key, such as the hash of a file. Every key is in one part of N, whatever the
// other inputs are. The zero Part has all.
func (p Part) Has(key string) bool {
	if p == (Part{}) {
		return true
	}
	sum := sha256.Sum256([]byte(key))
	return binary.BigEndian.Uint64(sum[:])%uint64(p.Of) == uint64(p.Index-1) //nolint:gosec // both are positive
}

// Folder is the usual name of the directory of a part, such as "3-of-16".
func (p Part) Folder() string { return fmt.Sprintf("%d-of-%d", p.Index, p.Of) }

// Share is what run.json records of a shard.
type Share struct {
	Part
	// Selected is the [Hash] of all selected questions, of which the shard is a part.
	Selected string
	// UUIDs are the questions of the shard, in the order of the file.
	UUIDs []string
}

// Take returns the questions of a part, in the order given, and the record of the shard. The parts of a selection have
// no question in common. They differ by at most one question in total, and by at most one question of each combination
// of tags. The order of the questions, and of their tags, makes no difference.
func (p Part) Take(selected []qa.Example) ([]qa.Example, *Share) {
	if p == (Part{}) {
		return selected, nil
	}
	// Questions go to the shards in turn: by the combination of tags, and in random order within each.
	type card struct{ tags, hash, uuid string }
	cards := make([]card, len(selected))
	for i, ex := range selected {
		tags := slices.Clone(ex.Tags)
		slices.Sort(tags)
		sum := sha256.Sum256([]byte(ex.UUID))
		cards[i] = card{strings.Join(slices.Compact(tags), "\x00"), string(sum[:]), ex.UUID}
	}
	slices.SortFunc(cards, func(a, b card) int {
		return cmp.Or(cmp.Compare(a.tags, b.tags), cmp.Compare(a.hash, b.hash), cmp.Compare(a.uuid, b.uuid))
	})
	mine := make(map[string]bool)
	for place, c := range cards {
		if place%p.Of == p.Index-1 {
			mine[c.uuid] = true
		}
	}
	share := &Share{Part: p, Selected: Hash(selected)}
	var taken []qa.Example
	for _, ex := range selected {
		if mine[ex.UUID] {
			taken, share.UUIDs = append(taken, ex), append(share.UUIDs, ex.UUID)
		}
	}
	return taken, share
}

// Hash identifies a set of questions by their ids, in any order.
func Hash(selected []qa.Example) string {
	uuids := make([]string, len(selected))
	for i, ex := range selected {
		uuids[i] = ex.UUID
	}
	slices.Sort(uuids)
	return files.Hash(strings.Join(uuids, "\n"))
}
