package enrich_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"airqa/env/paperdb"
	"airqa/ingest/enrich"
	"airqa/internal/testkit/openaitest"
	"airqa/qa"
)

// drawer is a Drawer function.
type drawer func(paperID string, page int, box []float64) (qa.Image, error)

func (d drawer) View(_ context.Context, paperID string, page int, box []float64) (qa.Image, error) {
	return d(paperID, page, box)
}

// figures makes a database with a paper that has two figures at known positions, one of them with a short caption, and
// one at an unknown position.
func figures(t *testing.T) string {
	t.Helper()
	p := paper("Paper 1")
	short, lost := p.Images[0], p.Images[0]
	p.Images[0].Box = [4]int{10, 20, 300, 200}
	short.ID, short.Caption, short.Box, short.Ordinal = qa.PartUUID(p.Metadata.PaperID, 1, "image", 2), "Figure 2", [4]int{10, 300, 300, 200}, 1
	lost.ID, lost.Ordinal = qa.PartUUID(p.Metadata.PaperID, 1, "image", 3), 2
	p.Images = append(p.Images, short, lost)
	dir := t.TempDir()
	w, err := paperdb.OpenWriter(t.Context(), filepath.Join(dir, "papers.duckdb"))
	check(t, err)
	check(t, w.Put(t.Context(), p))
	check(t, w.Close())
	return dir
}

// seen replies according to whether an image was sent.
func seen(messages []openaitest.Message) string {
	if len(messages[0].Images) == 1 && strings.Contains(messages[0].Text, "You see the figure") {
		return "Seen."
	}
	return "Read."
}

func summaries(p paperdb.Paper) (out []string) {
	for _, x := range p.Images {
		out = append(out, x.Summary)
	}
	return out
}

func TestPictures(t *testing.T) {
	png := qa.Image{MIME: "image/png", Data: []byte("png"), Width: 600, Height: 400}
	works := func(drawn *atomic.Int32) drawer {
		return func(id string, page int, box []float64) (qa.Image, error) {
			drawn.Add(1)
			if id != qa.PaperUUID("Paper 1", "") || page != 1 || len(box) != 4 || box[2] != 300 {
				return qa.Image{}, errors.New("another figure")
			}
			return png, nil
		}
	}
	broken := func(drawn *atomic.Int32) drawer {
		return func(string, int, []float64) (qa.Image, error) { drawn.Add(1); return qa.Image{}, errors.New("no PDF") }
	}
	tests := []struct {
		name   string
		draw   func(*atomic.Int32) drawer
		want   string
		calls  int
		unseen int
	}{
		{"none wanted", nil, "Read.|Figure 2|Read.", 1, 0},
		{"drawn where the place is known", works, "Seen.|Seen.|Read.", 3, 0},
		{"not to be drawn", broken, "Read.|Figure 2|Read.", 1, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, s := figures(t), endpoint(t, openaitest.Config{Reply: seen})
			var drawn atomic.Int32
			cfg := enrich.Config{Fields: []enrich.Field{enrich.Images}, Workers: 1}
			if tt.draw != nil {
				cfg.Pictures = tt.draw(&drawn)
			}
			w := run(t.Context(), t, dir, s.URL(), cfg)
			got := strings.Join(summaries(enrichable(t, dir, 1)), "|")
			if w.err != nil || got != tt.want || w.asked.Unseen != tt.unseen || w.applied.Open != 0 {
				t.Errorf("%s, want %s: %+v", got, tt.want, w)
			}
			if s.Calls() > tt.calls {
				t.Errorf("%d calls, want at most %d", s.Calls(), tt.calls)
			}
			before, pictures := s.Calls(), drawn.Load()
			w = run(t.Context(), t, dir, s.URL(), cfg)
			if w.err != nil || s.Calls() != before || drawn.Load() != pictures {
				t.Errorf("again: %d calls, %d drawn: %+v", s.Calls()-before, drawn.Load()-pictures, w)
			}
		})
	}
}

// An image counts towards the budget before it is sent.
func TestPicturesCount(t *testing.T) {
	dir, s := figures(t), endpoint(t, openaitest.Config{Reply: seen})
	cfg := enrich.Config{Fields: []enrich.Field{enrich.Images}, Workers: 1}
	cfg.Pictures = drawer(func(string, int, []float64) (qa.Image, error) {
		return qa.Image{Data: []byte("png"), Width: 1024, Height: 2048}, nil
	})
	w := runWith(t.Context(), t, dir, metered(t, s.URL(), 1200), "m", cfg)
	if w.err != nil || !w.asked.BudgetReached || s.Calls() != 0 {
		t.Errorf("%d calls within 1200 tokens: %+v", s.Calls(), w)
	}
}
