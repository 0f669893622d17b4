package train

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// NearJaccard is the Jaccard similarity of 5-grams from which two questions are near duplicates.
const NearJaccard = 0.8

// A pair is compared if all hashes of one band agree. At a similarity of 0.8, a pair is missed with probability
// (1 - 0.8^3)^20 = 6e-7.
const (
	bands = 20
	rows  = 3
)

// Duplicates finds questions that repeat an earlier one, however long ago. It keeps about 1 KB per kept question.
type Duplicates struct {
	items   []item
	verdict map[string]Match // by id
	// last is the last item with the hash of a band; item.before continues the list.
	last map[uint64]int
}

type item struct {
	id     string
	grams  []uint64 // sorted, without duplicates
	before [bands]int32
}

// Match is an earlier question or row that another one repeats.
type Match struct {
	// Reason is [Duplicate] or [NearDuplicate]; empty if nothing matches.
	Reason Reason
	// ID is the earlier one's.
	ID string
	// Jaccard is the similarity, 1 for a duplicate.
	Jaccard float64
}

// String describes the match for dropped.jsonl.
func (m Match) String() string { return fmt.Sprintf("%s (%.2f)", m.ID, m.Jaccard) }

// NewDuplicates makes an empty index.
func NewDuplicates() *Duplicates {
	return &Duplicates{verdict: make(map[string]Match), last: make(map[uint64]int)}
}

// Add compares a question with all kept ones and keeps it if none matches. Texts match if their words are equal, or if
// the Jaccard similarity of their 5-grams of words, with the answer type as one more, is at least [NearJaccard]. The
// answer type is for example the evaluation function. An id that was added before has its earlier result.
func (d *Duplicates) Add(id, question, answerType string) Match {
	if m, ok := d.verdict[id]; ok {
		return m
	}
	set := grams(foldedWords(question), 5)
	if len(set) == 0 {
		return Match{}
	}
	set = append(set, hash("answer type", answerType))
	slices.Sort(set)
	set = slices.Compact(set)
	var keys [bands]uint64 // a hash per band of the MinHash signature (Broder 1997) of the set
	for band := range keys {
		keys[band] = uint64(band)
		for row := range rows {
			least := ^uint64(0)
			for _, g := range set {
				least = min(least, mix(g, uint64(band*rows+row)+1))
			}
			keys[band] = mix(keys[band]^least, uint64(row)+1)
		}
	}
	m := d.find(set, keys)
	d.verdict[id] = m
	if m.Reason == "" {
		q := item{id: id, grams: set}
		at := len(d.items) + 1 // positions count from 1
		for band, key := range keys {
			q.before[band] = int32(d.last[key]) //nolint:gosec // far fewer than 2^31 questions
			d.last[key] = at
		}
		d.items = append(d.items, q)
	}
	return m
}

// find returns the most similar kept question, the earliest of several.
func (d *Duplicates) find(set []uint64, keys [bands]uint64) (best Match) {
	compared := make(map[int]bool)
	nearest := len(d.items)
	for band, key := range keys {
		for at := d.last[key]; at > 0; at = int(d.items[at-1].before[band]) {
			if compared[at] {
				continue
			}
			compared[at] = true
			j := jaccard(set, d.items[at-1].grams)
			if j >= NearJaccard && (j > best.Jaccard || j == best.Jaccard && at < nearest) {
				best, nearest = Match{NearDuplicate, d.items[at-1].id, j}, at
			}
		}
	}
	if best.Jaccard == 1 {
		best.Reason = Duplicate
	}
	return best
}

// mix is a hash of x that depends on n: the multiplication of wyhash.
func mix(x, n uint64) uint64 {
	high, low := bits.Mul64(x^n*0x9e3779b97f4a7c15, 0xe7037ed1a0b428db^n)
	return high ^ low
}

// jaccard is the similarity of two sorted sets.
func jaccard(a, b []uint64) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// foldedWords returns the words of a text for comparison: compatibility-normalised, in lower case, without marks and
// punctuation. Hyphens, apostrophes and soft hyphens inside a word join its parts ("pre-training" is "pretraining"). A Chinese or Japanese
// character is a word.
func foldedWords(text string) []string {
	var list []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			list = append(list, word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			end()
			list = append(list, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word.WriteRune(unicode.ToLower(r))
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune("-‐‑'’", r):
		default:
			end()
		}
	}
	end()
	return list
}

// grams returns the hashes of the n-grams of words, in order. A shorter text is one gram.
func grams(words []string, n int) []uint64 {
	if len(words) == 0 {
		return nil
	}
	var list []uint64
	for i := 0; i == 0 || i+n <= len(words); i++ {
		list = append(list, hash(strings.Join(words[i:min(i+n, len(words))], " ")))
	}
	return list
}

// hash is the same on every machine and in every invocation.
func hash(parts ...string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return binary.LittleEndian.Uint64(sum[:])
}
