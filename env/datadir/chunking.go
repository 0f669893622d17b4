package datadir

import (
	"cmp"
	"fmt"
)

// Unit is what the size of a chunk is counted in.
type Unit string

// The units: tokens of cl100k_base, as the AirQA paper says (Appendix B), and characters, as the authors' code counts.
const (
	Tokens     Unit = "tokens"
	Characters Unit = "characters"
)

// Limits of [Chunking.Size].
const (
	MinChunk = 64
	MaxChunk = 16384
)

// Chunking is how the pages of papers are cut into chunks. All papers of a data directory are cut alike.
type Chunking struct {
	// Size is the maximum length of a chunk, in [MinChunk, MaxChunk].
	Size int  `json:"size"`
	Unit Unit `json:"unit"`
}

// DefaultChunking is that of the AirQA paper.
func DefaultChunking() Chunking { return Chunking{Size: 512, Unit: Tokens} }

// Or replaces what is zero in c by what other has.
func (c Chunking) Or(other Chunking) Chunking {
	return Chunking{Size: cmp.Or(c.Size, other.Size), Unit: cmp.Or(c.Unit, other.Unit)}
}

// Check reports what is wrong with c.
func (c Chunking) Check() error {
	if c.Size < MinChunk || c.Size > MaxChunk {
		return fmt.Errorf("chunk size %d: want %d to %d", c.Size, MinChunk, MaxChunk)
	}
	if c.Unit != Tokens && c.Unit != Characters {
		return fmt.Errorf("chunk unit %q: want %s or %s", c.Unit, Tokens, Characters)
	}
	return nil
}

// String is, for instance, 512 tokens.
func (c Chunking) String() string { return fmt.Sprintf("%d %s", c.Size, c.Unit) }

// ChunkAs settles how papers are cut: as want says, where that is zero as the papers that are in were cut, or by default.
// It records the result, and refuses another one than that of the papers that are in. The caller holds the lock.
func (d *Dir) ChunkAs(want Chunking) (Chunking, error) {
	info, err := d.Info()
	if err != nil {
		return want, err
	}
	have := DefaultChunking()
	settled := info.Papers > 0 // papers from before chunking was recorded
	if info.Chunks != nil {
		have, settled = *info.Chunks, true
	}
	want = want.Or(have)
	if err := want.Check(); err != nil {
		return want, err
	}
	if settled && want != have {
		return want, fmt.Errorf("data directory %s has chunks of at most %s, not %s; leave out the size and the unit, or ingest into a new folder",
			d.path, have, want)
	}
	info.Chunks = &want
	return want, d.WriteInfo(info)
}
