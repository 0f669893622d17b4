package minilm

import (
	"math"
	"slices"
	"testing"
)

// A packed column holds the stored weights: integers times steps, and the loud inputs as floats.
func TestPackedBytes(t *testing.T) {
	src, err := open("")
	if err != nil {
		t.Fatal(err)
	}
	l, err := readLayer(src.file, 2)
	if err != nil {
		t.Fatal(err)
	}
	for name, isLoud := range map[string]bool{"loud": true, "quiet": false} {
		t.Run(name, func(t *testing.T) {
			p := packer{kernel: kernel{columns: 2, bits: 8}}
			p.to = make([]uint32, p.panelWords())
			p.bytes(1, column{m: l.first.weight, row: 7, scale: 0.5, loud: isLoud})
			var want [Dim]float32
			l.first.weight.Row(want[:], 7, 0)
			checkBytes(t, want, func(row int) uint32 { return p.to[row*2+1] }, isLoud)
		})
	}
}

func checkBytes(t *testing.T, want [Dim]float32, word func(row int) uint32, isLoud bool) {
	t.Helper()
	columns := loud()
	var sum float64
	for i, x := range want {
		g, in := i/groupSize, i%groupSize
		q := int8(word(g*groupRows+in/4) >> (8 * (in % 4)))
		got := float32(q) * math.Float32frombits(word((g+1)*groupRows-1))
		sum += float64(got)
		if at := slices.Index(columns[:], i); at >= 0 && isLoud {
			if q != 0 {
				t.Errorf("loud input %d is among the integers, too", i)
			}
			got = math.Float32frombits(word(sumRow + 1 + at))
		}
		if math.Abs(float64(got-x/2)) > 1e-7 {
			t.Errorf("weight of input %d is %v, want %v", i, got, x/2)
		}
	}
	if got := math.Float32frombits(word(sumRow)); math.Abs(float64(got)-sum) > 1e-4 {
		t.Errorf("sum %v, want %v", got, sum)
	}
}
