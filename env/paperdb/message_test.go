package paperdb

import (
	"errors"
	"math"
	"strings"
	"testing"

	"airqa/internal/testkit"
	"airqa/qa"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
)

func TestMessages(t *testing.T) {
	q, err := decodeQuestion(question{Text: "SELECT 1", Rows: 10}.encode())
	if want := (question{Text: "SELECT 1", Rows: 10}); q != want || err != nil {
		t.Errorf("question: got %v, %v", q, err)
	}
	for _, want := range []qa.Rows{
		{Columns: []string{"a", "b"}, Values: [][]any{{int64(1), nil}, {1.5, "x"}}, More: true, Tables: []string{"chunks", "metadata"}},
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
	for name, row := range map[string][]any{
		"null and bools": {nil, true, false},
		"integers":       {int64(0), int64(-1), int64(math.MaxInt64), int64(math.MinInt64)},
		"floats":         {0.0, -1.5, 3.0, math.MaxFloat64, math.SmallestNonzeroFloat64},
		"texts":          {"", "x", "é\x00\n", "\xff", strings.Repeat("long", 1<<18)},
		"many":           make([]any, 200_000),
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := encodeResult(qa.Rows{Columns: []string{"c"}, Values: [][]any{row}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := decodeReply(raw)
			if diff := cmp.Diff([][]any{row}, got.Values); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
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

func TestValueOfUnknownType(t *testing.T) {
	deep := any(nil)
	for range 1 << 17 {
		deep = []any{deep}
	}
	for _, value := range []any{[]any{int32(1)}, map[string]any{"x": []string{}}, []byte("x"), uint64(math.MaxUint64), deep} {
		raw, err := encodeResult(qa.Rows{Columns: []string{"a"}, Values: [][]any{{value}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeReply(raw); !errors.Is(err, errMessage) {
			t.Errorf("%T: got %v", value, err)
		}
	}
}

// FuzzMessages decodes arbitrary bytes. They yield an error or a reply that can be encoded again.
func FuzzMessages(f *testing.F) {
	f.Add(question{Text: "SELECT 1", Rows: 10}.encode())
	for _, values := range [][]any{
		{int64(1)},
		{nil, true, int64(-5), 1.5, "x", map[string]any{"k": []any{false}}},
	} {
		seed, _ := encodeResult(qa.Rows{Columns: []string{"a"}, Values: [][]any{values}})
		f.Add(seed)
	}
	for _, values := range []any{uint64(math.MaxUint64), cbor.Tag{Number: 1, Content: 5}, cbor.SimpleValue(99), []byte("no time"), map[int]int{1: 2}} {
		seed, _ := cbor.Marshal(reply{Rows: qa.Rows{Values: [][]any{{values}}}})
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
