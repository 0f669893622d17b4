package ledger_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/ledger"
)

type line struct{ K, V string }

// read takes lines of JSON, damaged ones when they are none, and refuses a value.
func read(raw []byte, _ ledger.Span) (string, string, error) {
	var l line
	if json.Unmarshal(raw, &l) != nil {
		return "", "", ledger.ErrDamaged
	}
	if l.V == "later" {
		return "", "", errors.New("a later format")
	}
	return l.K, l.V, nil
}

func config(exclusive bool) ledger.Config[string, string] {
	return ledger.Config[string, string]{Entry: read, Exclusive: exclusive}
}

func open(t *testing.T, path string, c ledger.Config[string, string]) *ledger.Ledger[string, string] {
	t.Helper()
	l, err := ledger.Open(path, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func add(t *testing.T, l *ledger.Ledger[string, string], k, v string) {
	t.Helper()
	raw, err := json.Marshal(line{k, v})
	if err == nil {
		err = l.Add(raw)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, l *ledger.Ledger[string, string], k, v string) {
	t.Helper()
	if got, ok := l.Get(k); got != v || ok != (v != "") {
		t.Errorf("%s: got %q, %v; want %q", k, got, ok, v)
	}
}

const one = `{"K":"a","V":"1"}` + "\n"

// TestOpen opens files as crashes leave them, and adds a line.
func TestOpen(t *testing.T) {
	tests := []struct {
		name, file string
		exclusive  bool
		a          string // the value of key a
		damaged    int
		tail       string
		after      string // the file after {"K":"b","V":"2"} was added
		err        string
	}{
		{name: "empty", after: ""},
		{name: "whole", file: one, a: "1", after: one},
		{name: "last counts", file: one + `{"K":"a","V":"3"}` + "\n", a: "3", after: one + `{"K":"a","V":"3"}` + "\n"},
		{name: "unfinished", file: one + `{"K":"a`, a: "1", damaged: 1, tail: `{"K":"a`, after: one + `{"K":"a` + "\n"},
		{name: "no newline", file: one[:len(one)-1], a: "1", tail: one[:len(one)-1], after: one},
		{name: "damaged", file: "\x00\x00\n\n" + one, a: "1", damaged: 1, after: "\x00\x00\n\n" + one},
		{name: "refused", file: one + `{"K":"b","V":"later"}` + "\n", err: "line 2: a later format"},
		{name: "exclusive", file: one, exclusive: true, a: "1", after: one},
		{name: "exclusive, missing", file: "-", exclusive: true, after: ""},
		{name: "missing", file: "-", after: ""},
		{name: "exclusive, unfinished", file: one + `{"K":"a`, exclusive: true, a: "1", tail: `{"K":"a`, after: one},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "l.jsonl")
			if tt.file != "-" {
				if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			l, err := ledger.Open(path, config(tt.exclusive))
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || l.Damaged() != tt.damaged || string(l.Tail()) != tt.tail {
				t.Fatalf("%d damaged, tail %q, %v", l.Damaged(), l.Tail(), err)
			}
			want(t, l, "a", tt.a)
			add(t, l, "b", "2")
			want(t, l, "b", "2")
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if diff := cmp.Diff(tt.after+`{"K":"b","V":"2"}`+"\n", string(raw)); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			l = open(t, path, config(tt.exclusive))
			want(t, l, "a", tt.a)
			want(t, l, "b", "2")
		})
	}
}

// Two processes with a shared ledger see each other's lines; an exclusive one is refused to the second.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "l.jsonl")
	a, b := open(t, path, config(false)), open(t, path, config(false))
	add(t, a, "x", "1")
	if err := b.Create(); err != nil {
		t.Fatal(err)
	}
	want(t, b, "x", "1")
	add(t, b, "y", "2")
	want(t, a, "y", "2")
	if a.Len() != 2 {
		t.Errorf("%d keys", a.Len())
	}
	alone := filepath.Join(t.TempDir(), "l.jsonl")
	_ = open(t, alone, config(true))
	if _, err := ledger.Open(alone, config(true)); !errors.Is(err, ledger.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
}

func TestKeepFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.jsonl")
	c := config(false)
	c.KeepFirst = true
	c.Redact = func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("secret"), []byte("***")) }
	l := open(t, path, c)
	add(t, l, "x", "a secret")
	add(t, l, "x", "another")
	want(t, l, "x", "a ***")
	if raw, err := os.ReadFile(path); err != nil || strings.Contains(string(raw), "secret") {
		t.Errorf("%v: %s", err, raw)
	}
}

// What a write that failed halfway left of an exclusive ledger is overwritten.
func TestFailedWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.jsonl")
	l := open(t, path, config(true))
	add(t, l, "x", "1")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"K":"half of a long line, and of anoth`); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	add(t, l, "y", "2")
	raw, err := os.ReadFile(path)
	if diff := cmp.Diff(`{"K":"x","V":"1"}`+"\n"+`{"K":"y","V":"2"}`+"\n", string(raw)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A line that cannot be written is in memory if it was set, and Close reports the first failure.
func TestPutFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file", "l.jsonl")
	l, err := ledger.Open(path, config(false))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Dir(path), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.Set("x", "1")
	l.Put([]byte(`{"K":"x","V":"1"}`), nil)
	l.Put(nil, errors.New("a later failure"))
	want(t, l, "x", "1")
	if err := l.Close(); err == nil || strings.Contains(err.Error(), "later") {
		t.Errorf("Close: %v", err)
	}
}

func TestMemory(t *testing.T) {
	l := open(t, "", config(false))
	l.Set("x", "1")
	add(t, l, "y", "2")
	want(t, l, "x", "1")
	want(t, l, "y", "")
	l.Forget("x")
	want(t, l, "x", "")
}

// Two processes do not have one byte reserved at a time.
func TestReserve(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.jsonl")
	a, b := open(t, path, config(false)), open(t, path, config(false))
	free, err := a.Reserve(t.Context(), 1<<60)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Reserve(ended, 1<<60); !errors.Is(err, context.Canceled) {
		t.Errorf("reserved twice: %v", err)
	}
	other, err := b.Reserve(t.Context(), 1<<60+1)
	if err != nil {
		t.Fatal(err)
	}
	other()
	free()
	if free, err = b.Reserve(t.Context(), 1<<60); err != nil {
		t.Fatal(err)
	}
	free()
}
