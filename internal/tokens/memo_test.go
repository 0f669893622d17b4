package tokens_test

import (
	"fmt"
	"sync"
	"testing"

	"airqa/internal/tokens"
)

func TestMemo(t *testing.T) {
	m := tokens.NewMemo(1<<10, tokens.Count)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 2500 {
				text := fmt.Sprintf("text number %d", i%1200)
				if got, want := m.Count(text), tokens.Count(text); got != want {
					t.Errorf("Count(%q) = %d, want %d", text, got, want)
					return
				}
			}
		})
	}
	all.Wait()
}
