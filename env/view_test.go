package env

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/env/pdf"
	"airqa/fixtures"
	"airqa/internal/testkit"
	"airqa/internal/testkit/fixturetest"
	"airqa/qa"
	"airqa/tools"
)

// viewed opens a directory with one paper of two pages whose PDF is data.
func viewed(t *testing.T, data []byte) (*Env, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	id := qa.PaperUUID("viewed", "")
	p := paperdb.Paper{Metadata: paperdb.Metadata{PaperID: id, Title: "viewed", NumPages: 2}}
	for n := 1; n <= 2; n++ {
		p.Pages = append(p.Pages, paperdb.Page{ID: qa.PageUUID(id, n), Number: n, Width: 612, Height: 792})
	}
	w, err := OpenWriter(t.Context(), WriterConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Put(t.Context(), p, data), w.Finish(t.Context())); err != nil {
		t.Fatal(err)
	}
	e, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, id
}

func TestViewFaults(t *testing.T) {
	e, id := viewed(t, []byte("%PDF"))
	tests := []struct {
		name, paper string
		fails       error
		kind, text  string
	}{
		{"unknown paper", qa.PaperUUID("no", ""), nil, "unknown_paper", "Take a paper_id from table metadata"},
		{"no id", "../../etc/passwd", nil, "unknown_paper", `"../../etc/passwd" is not a paper id: ids are uuids`},
		{"shortened id", "3f2a9c64", nil, "unknown_paper", `"3f2a9c64" is not a paper id: ids are uuids of 36 characters`},
		{"page", id, &pdf.PageError{Page: 9, Pages: 2}, "page", "Page 9 does not exist: pages run from 1 to 2."},
		{"box", id, &pdf.BoxError{Reason: "a box has 4 numbers"}, "box", "A box has 4 numbers."},
		{"broken file", id, &pdf.OpenError{Kind: pdf.Broken, Reason: "no trailer"}, "pdf", "The PDF of this paper cannot be drawn: No trailer."},
		{"lost file", id, fs.ErrNotExist, "pdf", "The PDF of this paper is not stored here; its text is in the database."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.draw = func(context.Context, string, int, []float64) (qa.Image, []string, error) {
				return qa.Image{}, nil, tt.fails
			}
			_, err := e.View(t.Context(), tt.paper, 1, nil)
			var got *tools.Fault
			if !errors.As(err, &got) || got.Kind != tt.kind || !strings.Contains(got.Text, tt.text) {
				t.Errorf("got %#v (%v), want kind %s and %q", got, err, tt.kind, tt.text)
			}
		})
	}
}

func TestViewLostContextIsNoFault(t *testing.T) {
	e, id := viewed(t, []byte("%PDF"))
	ctx, cancel := context.WithCancel(t.Context())
	e.draw = func(context.Context, string, int, []float64) (qa.Image, []string, error) {
		cancel()
		return qa.Image{}, nil, ctx.Err()
	}
	_, err := e.View(ctx, id, 1, nil)
	var fault *tools.Fault
	if !errors.Is(err, context.Canceled) || errors.As(err, &fault) {
		t.Errorf("got %v", err)
	}
}

// TestViewDraws renders with the real library once.
func TestViewDraws(t *testing.T) {
	testkit.OneGoroutine(t)
	name := fixturetest.Slugs()[0] + ".pdf"
	data, err := fs.ReadFile(fixtures.Papers(), name)
	if err != nil {
		t.Fatal(err)
	}
	e, id := viewed(t, data)
	got, err := e.View(t.Context(), strings.ToUpper(id), 1, []float64{72, 72, 144, 72})
	if err != nil {
		t.Fatal(err)
	}
	want := qa.Image{MIME: "image/png", PaperID: id, Page: 1, Box: []float64{72, 72, 144, 72}, Width: 300, Height: 150}
	got.SHA256, got.Data = "", nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var fault *tools.Fault
	if _, err := e.View(t.Context(), id, 99, nil); !errors.As(err, &fault) || !strings.Contains(fault.Text, "pages run from 1 to") {
		t.Errorf("page 99: got %v", err)
	}
	for _, box := range [][]float64{{1, 2, 3}, {0, 0, -5, 5}, {9000, 0, 5, 5}} {
		if _, err := e.View(t.Context(), id, 1, box); !errors.As(err, &fault) || strings.Count(fault.Text, "points") != 1 || strings.Contains(fault.Text, "9000 0") {
			t.Errorf("box %v: got %v", box, err)
		}
	}
}
