package python_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"airqa/internal/python"

	"github.com/google/go-cmp/cmp"
)

// TestSetOrder compares the order of sets of numbers with the one in which CPython 3.11 walks over them.
func TestSetOrder(t *testing.T) {
	f, err := os.Open("testdata/sets.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var row struct{ Text, List string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		v, err := python.Parse(row.Text, python.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(row.List, python.Repr(python.List(v.(python.Set)))); diff != "" {
			t.Errorf("order of %s (-want +got):\n%s", row.Text, diff)
		}
	}
	if n != 120 {
		t.Errorf("read %d rows, want 120", n)
	}
}

// TestSetOrderUnknown pins that sets for which Python fixes no order keep the one they were written in.
func TestSetOrderUnknown(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"texts", "{'c', 'a', 'b', 'a'}", "{'c', 'a', 'b'}"},
		{"a text among numbers", "{40, 'a', 1}", "{40, 'a', 1}"},
		{"tuples", "{(2,), (1,), (2,)}", "{(2,), (1,)}"},
		{"a complex number", "{2j, 40, 1}", "{2j, 40, 1}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := python.Parse(tt.text, python.Options{})
			if diff := cmp.Diff(tt.want, python.Repr(v)); diff != "" || err != nil {
				t.Errorf("err %v (-want +got):\n%s", err, diff)
			}
		})
	}
}
