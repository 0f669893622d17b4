package paperdb

import (
	"errors"
	"testing"
	"time"

	"airqa/env/paperdb/wire"

	"github.com/google/go-cmp/cmp"
)

func TestMessages(t *testing.T) {
	q, err := decodeQuestion(question{"SELECT 1", 10}.encode())
	if want := (question{"SELECT 1", 10}); q != want || err != nil {
		t.Errorf("question: got %v, %v", q, err)
	}
	for _, want := range []Result{
		{Columns: []string{"a", "b"}, Values: [][]any{{int64(1), nil}, {[]any{}, "x"}}, More: true},
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
	_, err = encodeResult(Result{Columns: []string{"a"}, Values: [][]any{{struct{}{}}}})
	var unknown *QueryError
	if !errors.As(err, &unknown) || unknown.Kind != KindRuntime {
		t.Errorf("value of an unknown type: got %v", err)
	}
	fault := &QueryError{Kind: KindBinder, Text: "no such column"}
	if _, err := decodeReply(encodeFault(fault)); !cmp.Equal(err, error(fault)) {
		t.Errorf("fault: got %#v", err)
	}
}

// FuzzMessages reads bytes that no worker of ours sent.
func FuzzMessages(f *testing.F) {
	f.Add(question{"SELECT 1", 10}.encode())
	seed, _ := wire.Append(nil, []any{nil, true, int64(-5), 1.5, "x", time.Unix(0, 0).UTC(), map[string]any{"k": []any{false}}})
	f.Add(seed)
	reply, _ := encodeResult(Result{Columns: []string{"a"}, Values: [][]any{{int64(1)}}})
	f.Add(reply)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := decodeQuestion(raw); err != nil && !errors.Is(err, wire.ErrBytes) {
			t.Errorf("question: got %v", err)
		}
		_, err := decodeReply(raw)
		var fault *QueryError
		if err != nil && !errors.Is(err, wire.ErrBytes) && !errors.As(err, &fault) {
			t.Errorf("reply: got %v", err)
		}
	})
}
