package minilm

import (
	"math"
	"testing"
)

func TestHalfRoundTrip(t *testing.T) {
	for h := range 1 << 16 {
		f := fromHalf(uint16(h))
		if f != f {
			if back := fromHalf(toHalf(f)); back == back {
				t.Fatalf("%#04x is not a number, and comes back as %v", h, back)
			}
			continue
		}
		if got := toHalf(f); got != uint16(h) {
			t.Fatalf("%#04x is %v and comes back as %#04x", h, f, got)
		}
	}
}

func TestToHalf(t *testing.T) {
	tests := []struct {
		name string
		in   float32
		want uint16
	}{
		{"one", 1, 0x3c00},
		{"half way goes to even, down", 1 + 1.0/2048, 0x3c00},
		{"half way goes to even, up", 1 + 3.0/2048, 0x3c02},
		{"carries into the exponent", 1.9999, 0x4000},
		{"largest", 65504, 0x7bff},
		{"too large", 65520, 0x7c00},
		{"below the largest step", 65519, 0x7bff},
		{"smallest", 1.0 / (1 << 24), 1},
		{"half of the smallest", 1.0 / (1 << 25), 0},
		{"negative", -2, 0xc000},
		{"infinite", float32(math.Inf(-1)), 0xfc00},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := toHalf(tt.in); got != tt.want {
				t.Errorf("toHalf(%v) = %#04x, want %#04x", tt.in, got, tt.want)
			}
		})
	}
}
