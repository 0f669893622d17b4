package python_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"airqa/internal/python"

	"github.com/google/go-cmp/cmp"
)

// oracleRow is a text and what Python makes of it: the repr of the list or dictionary, or nil.
type oracleRow struct {
	Text       string
	List, Dict *string
}

// asList reads text as the reference reads a list: tuples and sets count.
func asList(text string) *string {
	v, ok := python.Read(text)
	if !ok {
		return nil
	}
	switch x := v.(type) {
	case python.List:
		v = x
	case python.Tuple:
		v = python.List(x)
	case python.Set:
		v = python.List(x)
	default:
		return nil
	}
	s := python.Repr(v)
	return &s
}

// asDict reads text as the reference reads a dictionary: any JSON first, then a Python dictionary.
func asDict(text string) *string {
	v, ok := python.ReadJSON(text)
	if !ok {
		if v, ok = python.Read(text); !ok {
			return nil
		}
		if _, ok = v.(*python.Dict); !ok {
			return nil
		}
	}
	s := python.Repr(v)
	return &s
}

func TestOracle(t *testing.T) {
	f, err := os.Open("testdata/literals.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var row oracleRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(row.List, asList(row.Text)); diff != "" {
			t.Errorf("list of %q (-want +got):\n%s", row.Text, diff)
		}
		if diff := cmp.Diff(row.Dict, asDict(row.Text)); diff != "" {
			t.Errorf("dict of %q (-want +got):\n%s", row.Text, diff)
		}
	}
	if n != 300 {
		t.Errorf("read %d rows, want 300", n)
	}
}

// TestForms compares with Python's eval on texts put together from every form of literal, many of them spoiled.
func TestForms(t *testing.T) {
	f, err := os.Open("testdata/forms.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var row struct {
			Text string
			Repr *string // nil where Python refuses the text
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		var got *string
		v, err := python.Parse(row.Text, python.Options{})
		if err == nil {
			s := python.Repr(v)
			got = &s
		}
		if diff := cmp.Diff(row.Repr, got); diff != "" {
			t.Errorf("%q, %v (-want +got):\n%s", row.Text, err, diff)
		}
	}
	if n != 367 {
		t.Errorf("read %d rows, want 367", n)
	}
}
