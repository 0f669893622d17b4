package datadir

import (
	"cmp"
	"fmt"
)

// Unit is the unit of [Chunking.Size].
type Unit string

// Units: tokens of cl100k_base, as in the AirQA paper (Appendix B), and characters, as in the authors' code.
const (
	Tokens     Unit = "tokens"
	Characters Unit = "characters"
)

// The limits of [Chunking.Size].
const (
	MinChunk = 64
	MaxChunk = 16384
)

// Chunking defines how pages are split into chunks. It is the same for all papers of a data directory.
type Chunking struct {
	// Size is the maximum length of a chunk, in [MinChunk, MaxChunk].
	Size int  `json:"size"`
	Unit Unit `json:"unit"`
}

// DefaultChunking is the setting of the AirQA paper.
func DefaultChunking() Chunking { return Chunking{Size: 512, Unit: Tokens} }

// Or replaces the zero fields of c with those of other.
func (c Chunking) Or(other Chunking) Chunking {
	return Chunking{Size: cmp.Or(c.Size, other.Size), Unit: cmp.Or(c.Unit, other.Unit)}
}

// Check reports whether the size and the unit are valid.
func (c Chunking) Check() error {
	if c.Size < MinChunk || c.Size > MaxChunk {
		return fmt.Errorf("chunk size %d: want %d to %d", c.Size, MinChunk, MaxChunk)
	}
	if c.Unit != Tokens && c.Unit != Characters {
		return fmt.Errorf("chunk unit %q: want %s or %s", c.Unit, Tokens, Characters)
	}
	return nil
}

// String formats c as in "512 tokens".
func (c Chunking) String() string { return fmt.Sprintf("%d %s", c.Size, c.Unit) }

// ChunkAs fixes and records how papers are split. Zero fields of want default to the recorded setting, then to
// [DefaultChunking]. A setting other than the recorded one is an error. The caller must hold the lock.
func (d *Dir) ChunkAs(want Chunking) (Chunking, error) {
	info, err := d.Info()
	if err != nil {
		return want, err
	}
	have := DefaultChunking()
	if info.Chunks != nil {
		have = *info.Chunks
	}
	want = want.Or(have)
	if err := want.Check(); err != nil {
		return want, err
	}
	if info.Chunks != nil && want != have {
		return want, fmt.Errorf("data directory %s has chunks of at most %s, not %s; omit the size and the unit, or ingest into a new folder",
			d.path, have, want)
	}
	info.Chunks = &want
	return want, d.WriteInfo(info)
}
