package env

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPassages(t *testing.T) {
	var asked []string
	ask := func(_ context.Context, ids []string) (map[string]string, error) {
		asked = append(asked, ids...)
		texts := map[string]string{}
		for _, id := range ids {
			if id != "unknown" {
				texts[id] = strings.Repeat(id, 1<<20)
			}
		}
		return texts, nil
	}
	var p passages
	for _, ids := range [][]string{{"a", "b"}, {"b", "c"}, {"unknown"}, {"unknown", "a"}} {
		texts, err := p.get(t.Context(), ids, ask)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if id != "unknown" && len(texts[id]) != 1<<20 {
				t.Errorf("%s: %d bytes", id, len(texts[id]))
			}
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "unknown", "unknown"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	for id := range strings.SplitSeq("defghijklmnopqrstuvwxyz", "") {
		if _, err := p.get(t.Context(), []string{id}, ask); err != nil {
			t.Fatal(err)
		}
		if p.size > maxPassageBytes {
			t.Fatalf("%d bytes held", p.size)
		}
	}
	if _, err := p.get(t.Context(), []string{"a"}, ask); err != nil || !slices.Contains(asked[5:], "a") {
		t.Errorf("a was to be asked again: %v, %v", asked, err)
	}
}

// Failed reads are not cached.
func TestPassagesFailure(t *testing.T) {
	var p passages
	broken := errors.New("broken")
	_, err := p.get(t.Context(), []string{"a"}, func(context.Context, []string) (map[string]string, error) { return nil, broken })
	if !errors.Is(err, broken) || len(p.texts) != 0 {
		t.Errorf("%v, %d held", err, len(p.texts))
	}
}
