package pdf_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"airqa/env/pdf"
)

// smallPool returns a pool with few instances; the test closes it.
func smallPool(t *testing.T, instances int) *pdf.Pool {
	t.Helper()
	p, err := pdf.NewPool(pdf.Config{MaxInstances: instances, MaxPixels: maxPixels})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// papers writes n files with one page each; file i is i+1 hundred points wide.
func papers(t *testing.T, n int) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("%d.pdf", i))
		if err := os.WriteFile(path, build(bar, fmt.Sprintf("/MediaBox [0 0 %d 100]", 100*(i+1))), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func TestAChangedFileIsReadAgain(t *testing.T) {
	v, path := pdf.Viewer{Pool: smallPool(t, 2), DPI: 72}, papers(t, 1)[0]
	width := func() int {
		picture, _, err := v.View(t.Context(), path, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		return picture.Width
	}
	for range 2 {
		if got := width(); got != 100 {
			t.Fatalf("got a page %d points wide, want 100", got)
		}
	}
	if err := os.WriteFile(path, build(bar, "/MediaBox [0 0 900 100]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	if got := width(); got != 900 {
		t.Errorf("got a page %d points wide, want the new file's 900", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := v.View(t.Context(), path, 1, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
}

func TestManyViewersAndReadersShareFewInstances(t *testing.T) {
	for _, instances := range []int{1, 2} {
		t.Run(fmt.Sprint(instances), func(t *testing.T) {
			p, paths := smallPool(t, instances), papers(t, 4)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var all sync.WaitGroup
			for worker := range 6 {
				all.Go(func() {
					for i := range 6 {
						at := (worker + i) % len(paths)
						if err := useOnce(ctx, p, paths[at], 100*(at+1)); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// useOnce renders a page and then opens another document.
func useOnce(ctx context.Context, p *pdf.Pool, path string, width int) error {
	picture, _, err := pdf.Viewer{Pool: p, DPI: 72}.View(ctx, path, 1, nil)
	if err != nil {
		return err
	}
	if picture.Width != width {
		return fmt.Errorf("%s: got a page %d points wide, want %d", path, picture.Width, width)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	doc, err := p.Open(ctx, data)
	if err != nil {
		return err
	}
	return doc.Close()
}

func TestABadBoxOrPageLosesNoDocument(t *testing.T) {
	v, path := pdf.Viewer{Pool: smallPool(t, 1), DPI: 72}, papers(t, 1)[0]
	for range 3 {
		var badBox *pdf.BoxError
		if _, _, err := v.View(t.Context(), path, 1, []float64{1}); !errors.As(err, &badBox) {
			t.Fatalf("got %v, want a BoxError", err)
		}
		var badPage *pdf.PageError
		if _, _, err := v.View(t.Context(), path, 9, nil); !errors.As(err, &badPage) {
			t.Fatalf("got %v, want a PageError", err)
		}
	}
}

func TestViewingAfterCloseIsAnError(t *testing.T) {
	p, path := smallPool(t, 1), papers(t, 1)[0]
	v := pdf.Viewer{Pool: p}
	if _, _, err := v.View(t.Context(), path, 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := v.View(t.Context(), path, 1, nil); err == nil {
		t.Error("no error")
	}
}

func TestPagesStayLoadedWithinReason(t *testing.T) {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", ""}
	var kids strings.Builder
	for i := range 9 {
		fmt.Fprintf(&kids, "%d 0 R ", i+3)
		objects = append(objects, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d 100] >>", 100*(i+1)))
	}
	objects[1] = "<< /Type /Pages /Kids [" + kids.String() + "] /Count 9 >>"
	path := filepath.Join(t.TempDir(), "nine.pdf")
	if err := os.WriteFile(path, write(objects), 0o600); err != nil {
		t.Fatal(err)
	}
	v := pdf.Viewer{Pool: smallPool(t, 1), DPI: 72}
	for _, n := range []int{1, 2, 1, 3, 4, 5, 6, 1, 9, 8, 9, 2} {
		picture, _, err := v.View(t.Context(), path, n, nil)
		if err != nil || picture.Width != 100*n {
			t.Errorf("page %d: %d points wide, %v", n, picture.Width, err)
		}
	}
}
