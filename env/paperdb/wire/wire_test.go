package wire

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestValuesOnTheWire(t *testing.T) {
	tests := []struct {
		name  string
		value any
	}{
		{"null", nil},
		{"true", true},
		{"false", false},
		{"integers", []any{int64(0), int64(-1), int64(math.MaxInt64), int64(math.MinInt64)}},
		{"floats", []any{0.0, -1.5, math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}},
		{"texts", []any{"", "x", "é\x00\n", "\xff", strings.Repeat("long", 1<<18)}},
		{"times", []any{time.Time{}, time.Date(2023, 7, 9, 1, 2, 3, 456789000, time.UTC), time.Date(-290307, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600))}},
		{"lists", []any{[]any{}, []any{nil, []any{[]any{}}}}},
		{"maps", map[string]any{"": nil, "a": map[string]any{}, "b": []any{int64(1), "x"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := Append(nil, tt.value)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Read(raw)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.value, got, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for end := range min(len(raw), 100) {
				if _, err := Read(raw[:end]); !errors.Is(err, ErrBytes) {
					t.Fatalf("cut at %d of %d: got %v", end, len(raw), err)
				}
			}
			if _, err := Read(append(raw, tagNull)); !errors.Is(err, ErrBytes) {
				t.Errorf("one byte more: got %v", err)
			}
		})
	}
}

// Values nest as deep as a reply may hold them, and no deeper.
func TestDeepValues(t *testing.T) {
	for depth, ok := range map[int]bool{maxDepth - 1: true, maxDepth + 1: false, 1 << 20: false} {
		raw := []byte(strings.Repeat(string([]byte{tagList, 1}), depth) + string(tagNull))
		value, err := Read(raw)
		if (err == nil) != ok {
			t.Errorf("%d levels: got %v", depth, err)
		}
		if !ok {
			continue
		}
		if again, err := Append(nil, value); !bytes.Equal(again, raw) || err != nil {
			t.Errorf("%d levels: written as %d bytes, %v, want %d", depth, len(again), err, len(raw))
		}
	}
}

func TestValueOfUnknownType(t *testing.T) {
	for _, value := range []any{struct{}{}, []any{int32(1)}, map[string]any{"x": []string{}}} {
		_, err := Append(nil, value)
		var unknown *TypeError
		if !errors.As(err, &unknown) || !strings.Contains(unknown.Error(), "cast it to VARCHAR") {
			t.Errorf("%T: got %v", value, err)
		}
	}
}

// FuzzRead reads bytes that no worker of ours sent. They are a value that can be written again, or an error.
func FuzzRead(f *testing.F) {
	seed, _ := Append(nil, []any{nil, true, int64(-5), 1.5, "x", time.Unix(0, 0).UTC(), map[string]any{"k": []any{false}}})
	f.Add(seed)
	f.Add([]byte{tagList, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Add([]byte(strings.Repeat(string([]byte{tagList, 1}), 20_000)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		value, err := Read(raw)
		if err != nil {
			return
		}
		again, err := Append(nil, value)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Read(again)
		third, _ := Append(nil, back)
		if !bytes.Equal(again, third) || err != nil {
			t.Fatalf("%v: written as %q and then as %q", err, again, third)
		}
	})
}
