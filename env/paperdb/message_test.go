package paperdb

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestMessages(t *testing.T) {
	q, err := decodeQuestion(question{Text: "SELECT 1", Rows: 10}.encode())
	if want := (question{Text: "SELECT 1", Rows: 10}); q != want || err != nil {
		t.Errorf("question: got %v, %v", q, err)
	}
	for _, want := range []Result{
		{Columns: []string{"a", "b"}, Values: [][]any{{int64(1), nil}, {[]any{}, "x"}}, More: true, Tables: []string{"chunks", "metadata"}},
		{Columns: []string{"none"}},
	} {
		raw, err := encodeResult(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeReply(raw)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	fault := &QueryError{Kind: KindBinder, Text: "no such column"}
	if _, err := decodeReply(encodeFault(fault)); !cmp.Equal(err, error(fault)) {
		t.Errorf("fault: got %#v", err)
	}
}

func TestValuesBetweenProcesses(t *testing.T) {
	testkit.OneGoroutine(t)
	tests := []struct {
		name  string
		value func() any
	}{
		{"null", func() any { return nil }},
		{"true", func() any { return true }},
		{"false", func() any { return false }},
		{"integers", func() any { return []any{int64(0), int64(-1), int64(math.MaxInt64), int64(math.MinInt64)} }},
		{"floats", func() any {
			return []any{0.0, -1.5, 3.0, math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}
		}},
		{"texts", func() any { return []any{"", "x", "é\x00\n", "\xff", strings.Repeat("long", 1<<18)} }},
		{"times", func() any {
			return []any{
				time.Time{},
				time.Date(2023, 7, 9, 1, 2, 3, 456789000, time.UTC), time.Date(-290307, 1, 1, 0, 0, 0, 0, time.UTC),
				time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600)),
			}
		}},
		{"lists", func() any { return []any{[]any{}, []any{nil, []any{[]any{time.Unix(0, 0).UTC()}}}} }},
		{"maps", func() any {
			return map[string]any{"": nil, "a": map[string]any{}, "b": []any{int64(1), "x"}, "t": time.Unix(0, 0).UTC()}
		}},
		{"many", func() any { return make([]any, 200_000) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := encodeResult(Result{Columns: []string{"c"}, Values: [][]any{{tt.value()}}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := decodeReply(raw)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([][]any{{tt.value()}}, got.Values, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for end := range min(len(raw), 100) {
				if _, err := decodeReply(raw[:end]); !errors.Is(err, errMessage) {
					t.Fatalf("cut at %d of %d: got %v", end, len(raw), err)
				}
			}
			if _, err := decodeReply(append(raw, 0)); !errors.Is(err, errMessage) {
				t.Errorf("one byte more: got %v", err)
			}
		})
	}
}

// Values may nest as deeply as the driver reads JSON, but not deeply enough to overflow the stack.
func TestDeepValues(t *testing.T) {
	testkit.OneGoroutine(t)
	for depth, ok := range map[int]bool{10_000: true, maxLevels + 1: false, 1 << 17: false} {
		value := any(nil)
		for range depth {
			value = []any{value}
		}
		raw, err := encodeResult(Result{Columns: []string{"c"}, Values: [][]any{{value}}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeReply(raw)
		if (err == nil) != ok {
			t.Errorf("%d levels: got %v", depth, err)
		}
		if ok && len(got.Values) != 1 {
			t.Errorf("%d levels: got %d rows", depth, len(got.Values))
		}
	}
}

func TestValueOfUnknownType(t *testing.T) {
	for _, value := range []any{struct{}{}, []any{int32(1)}, map[string]any{"x": []string{}}, []byte("x")} {
		_, err := encodeResult(Result{Columns: []string{"a"}, Values: [][]any{{value}}})
		var unknown *QueryError
		if !errors.As(err, &unknown) || unknown.Kind != KindRuntime || !strings.Contains(unknown.Text, "cast it to VARCHAR") {
			t.Errorf("%T: got %v", value, err)
		}
	}
}

// FuzzMessages decodes arbitrary bytes. They yield an error or a reply that can be encoded again.
func FuzzMessages(f *testing.F) {
	f.Add(question{Text: "SELECT 1", Rows: 10}.encode())
	for _, values := range [][]any{
		{int64(1)},
		{nil, true, int64(-5), 1.5, "x", time.Unix(0, 0).UTC(), map[string]any{"k": []any{false}}},
	} {
		seed, _ := encodeResult(Result{Columns: []string{"a"}, Values: [][]any{values}})
		f.Add(seed)
	}
	for _, values := range []any{uint64(math.MaxUint64), cbor.Tag{Number: 1, Content: 5}, cbor.SimpleValue(99), []byte("no time"), map[int]int{1: 2}} {
		seed, _ := cbor.Marshal(reply{Values: [][]any{{values}}})
		f.Add(seed)
	}
	f.Add([]byte(strings.Repeat("\x81", 20_000)))
	f.Add([]byte("\x9b\x00\x00\x00\x0f\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := decodeQuestion(raw); err != nil && !errors.Is(err, errMessage) {
			t.Errorf("question: got %v", err)
		}
		result, err := decodeReply(raw)
		var fault *QueryError
		if err != nil && !errors.Is(err, errMessage) && !errors.As(err, &fault) {
			t.Errorf("reply: got %v", err)
		}
		if err != nil {
			return
		}
		if _, err := encodeResult(result); err != nil {
			t.Errorf("written again: %v", err)
		}
	})
}
