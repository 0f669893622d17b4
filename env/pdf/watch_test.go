package pdf_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"airqa/env/pdf"
)

// page returns a PDF of one page with the given content and resources, and more objects, numbered from 5.
func page(content, resources string, more ...string) []byte {
	return write(append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << " + resources + " >> >>",
		stream("", content),
	}, more...))
}

// tiles fills the page with a pattern at steps of a ten-thousandth of a point: 10^13 tiles.
func tiles() []byte {
	return page("/Pattern cs /P scn 0 0 612 792 re f", "/Pattern << /P 5 0 R >>",
		stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 10 10] /XStep 0.0001 /YStep 0.0001 /Resources << >>",
			"1 0 0 rg 0 0 5 5 re f"))
}

// program is a shading whose colour is computed for each pixel by a program of 24,000 steps.
func program() []byte {
	steps := strings.Repeat("dup mul 1 add sqrt exch dup mul 1 add sqrt exch ", 2000)
	return page("/S sh", "/Shading << /S 5 0 R >>",
		"<< /ShadingType 1 /ColorSpace /DeviceRGB /Domain [0 612 0 792] /Function 6 0 R >>",
		stream("/FunctionType 4 /Domain [0 612 0 792] /Range [0 1 0 1 0 1]", "{ "+steps+" dup }"))
}

// doubled nests content in forms that each draw the next one twice.
func doubled(depth int, content string) []byte {
	var forms []string
	for i := range depth {
		entries := fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X %d 0 R >> >>", 6+i)
		forms = append(forms, stream(entries, "/X Do /X Do"))
	}
	forms = append(forms, stream("/Type /XObject /Subtype /Form /BBox [0 0 612 792]", content))
	return page("/X Do", "/XObject << /X 5 0 R >>", forms...)
}

// hurried returns a pool with a short timeout.
func hurried(t *testing.T, timeout time.Duration) *pdf.Pool {
	t.Helper()
	p, err := pdf.NewPool(pdf.Config{MaxInstances: 1, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// A page designed to keep PDFium busy ends with an error of that page, and the pool's only instance serves the next.
func TestPagesThatDoNotEndAreEnded(t *testing.T) {
	glyphs := func(ctx context.Context, d *pdf.Document) error { _, err := d.Glyphs(ctx, 1); return err }
	draw := func(ctx context.Context, d *pdf.Document) error { _, err := d.Render(ctx, 1, nil, 200); return err }
	tests := []struct {
		name string
		data []byte
		call func(context.Context, *pdf.Document) error
	}{
		{"a pattern of 10^13 tiles", tiles(), draw},
		{"a shading worked out by a program", program(), draw},
		{"a thousand forms, drawn", doubled(12, "0 0 600 700 re f"), draw},
		{"a thousand forms of a thousand strokes, read", doubled(10, strings.Repeat("0 0 m 600 700 l 600 0 l 0 700 l f ", 3000)), glyphs},
	}
	p := hurried(t, 300*time.Millisecond)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := p.Open(t.Context(), tt.data)
			if err != nil {
				t.Fatal(err)
			}
			var bad *pdf.PageError
			if err := tt.call(t.Context(), doc); !errors.As(err, &bad) || bad.Page != 1 || !strings.Contains(bad.Reason, "did not finish within 300ms") {
				t.Errorf("got %v, want the time of page 1", err)
			}
			if _, _, err := doc.PageSize(t.Context(), 1); err != nil && !errors.As(err, &bad) {
				t.Errorf("the same document afterwards: %v", err)
			}
			if err := doc.Close(); err != nil {
				t.Error(err)
			}
			next, err := p.Open(t.Context(), letter(hello, ""))
			if err != nil {
				t.Fatalf("the next document: %v", err)
			}
			defer func() { _ = next.Close() }()
			if got, err := next.Glyphs(t.Context(), 1); err != nil || text(got) != "Hello" {
				t.Errorf("the next document: %q, %v", text(got), err)
			}
		})
	}
}

// collectAllTheTime runs the garbage collector, which waits for calls of PDFium while all Go code waits for it.
func collectAllTheTime(t *testing.T) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
}

// The garbage collector must not delay the timeout.
func TestCollectorDoesNotKeepPagesBusy(t *testing.T) {
	collectAllTheTime(t)
	path := filepath.Join(t.TempDir(), "slow.pdf")
	if err := os.WriteFile(path, tiles(), 0o600); err != nil {
		t.Fatal(err)
	}
	v := pdf.Viewer{Pool: hurried(t, 200*time.Millisecond)}
	var bad *pdf.PageError
	if _, _, err := v.View(t.Context(), path, 1, nil); !errors.As(err, &bad) {
		t.Errorf("got %v, want an error of the page", err)
	}
}

// Pages after a slow one are read, until the document has taken ten times the limit.
func TestDocumentsThatStaySlowAreGivenUp(t *testing.T) {
	doc, err := hurried(t, 50*time.Millisecond).Open(t.Context(), tiles())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = doc.Close() }()
	var bad *pdf.PageError
	for range 12 {
		if _, err = doc.Render(t.Context(), 1, nil, 72); !errors.As(err, &bad) {
			t.Fatalf("got %v, want an error of the page", err)
		}
		if strings.Contains(err.Error(), "500ms") {
			return
		}
		if _, err := doc.Glyphs(t.Context(), 1); err != nil {
			t.Logf("text: %v", err) // on a slow machine
		}
	}
	t.Errorf("still trying: %v", err)
}

// The end of a context does not wait for PDFium, nor for the collector.
func TestCallsEndWithTheirContext(t *testing.T) {
	collectAllTheTime(t)
	doc, err := hurried(t, time.Minute).Open(t.Context(), tiles())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = doc.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := doc.Render(ctx, 1, nil, 72); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want that of the context", err)
	}
	if glyphs, err := doc.Glyphs(t.Context(), 1); err != nil || len(glyphs) != 0 {
		t.Errorf("afterwards: %d glyphs, %v", len(glyphs), err)
	}
}
