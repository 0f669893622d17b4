package minilm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// No sum of products of a packed column with a row of the same maximum length overflows 32 bits.
func TestColumnsStayShort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fill := map[string]func(i int) float32{
		"normal":   func(int) float32 { return float32(r.NormFloat64()) },
		"one":      func(i int) float32 { return float32(1 - min(i, 1)) },
		"even":     func(int) float32 { return 0.25 },
		"huge":     func(int) float32 { return float32(r.NormFloat64()) * 1e15 },
		"tiny":     func(int) float32 { return float32(r.NormFloat64()) * 1e-15 },
		"negative": func(int) float32 { return -1 },
		"zero":     func(int) float32 { return 0 },
	}
	for name, f := range fill {
		t.Run(name, func(t *testing.T) {
			p := packer{kernel: kernel{columns: 2, bits: 16}}
			p.to = make([]uint32, p.panelWords())
			for i := range p.row {
				p.row[i] = f(i)
			}
			words := p.to
			p.integers(0, 1)
			checkColumn(t, p.row, words)
		})
	}
}

func checkColumn(t *testing.T, row [Dim]float32, words []uint32) {
	t.Helper()
	step := float64(math.Float32frombits(words[Dim/2*2]))
	var squares float64
	for i, x := range row {
		q := float64(int16(words[i/2*2] >> (16 * (i % 2))))
		squares += q * q
		if d := math.Abs(q*step - float64(x)); d > 0.51*step {
			t.Fatalf("number %d is %v, want %v: off by more than half a step of %v", i, q*step, x, step)
		}
	}
	if squares >= 1<<31 {
		t.Errorf("squares sum to %v, not below 2^31", squares)
	}
}
