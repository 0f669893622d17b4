package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"airqa/env/pdf"
)

const hello = "BT /F1 12 Tf 100 700 Td (Hello) Tj ET"

func TestOpenSaysWhatIsWrong(t *testing.T) {
	whole := letter(hello, "")
	tests := []struct {
		name string
		data []byte
		want pdf.Kind
	}{
		{"empty", nil, pdf.NotPDF},
		{"web page", []byte("<!DOCTYPE html><html><body>Access denied</body></html>"), pdf.NotPDF},
		{"picture", []byte("\x89PNG\r\n\x1a\n"), pdf.NotPDF},
		{"header alone", []byte("%PDF-1.7\n"), pdf.Broken},
		{"truncated", whole[:len(whole)/4], pdf.Broken},
		{"garbled", append([]byte("%PDF-1.5\n"), bytes.Repeat([]byte{0xFE, 0x00, 0x3C}, 4000)...), pdf.Broken},
		{"user password", encrypt(t, whole, "secret", "owner"), pdf.Encrypted},
		{"zero pages", write([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"}), pdf.NoPages},
		{"a million pages", write([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1000000 >>", "<< /Type /Page /Parent 2 0 R >>"}), pdf.TooManyPages},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := pool.Open(t.Context(), tt.data)
			var got *pdf.OpenError
			if !errors.As(err, &got) {
				t.Fatalf("got %v, want an OpenError", err)
			}
			if got.Kind != tt.want {
				t.Errorf("got kind %s (%v), want %s", got.Kind, err, tt.want)
			}
			if strings.ContainsAny(err.Error(), "\n\r") || err.Error() == "" {
				t.Errorf("%q is not one line", err)
			}
		})
	}
}

func TestOpenReadsWhatIsOnlySlightlyWrong(t *testing.T) {
	whole := letter(hello, "")
	tests := []struct {
		name string
		data []byte
	}{
		{"owner password only", encrypt(t, whole, "", "owner")},
		{"tail cut off", whole[:bytes.Index(whole, []byte("startxref"))]},
		{"wrong startxref", bytes.Replace(whole, []byte("startxref\n"), []byte("startxref\n9"), 1)},
		{"junk before the header", append([]byte("junk\n"), whole...)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			glyphs, err := open(t, tt.data).Glyphs(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(glyphs); got != "Hello" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestMissingPagesAreErrorsOfThatPage(t *testing.T) {
	doc := open(t, write([]string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R 9 0 R] /Count 2 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>",
	}))
	if _, _, err := doc.PageSize(t.Context(), 1); err != nil {
		t.Errorf("page 1: %v", err)
	}
	for _, n := range []int{-1, 0, 2, 3} {
		var bad *pdf.PageError
		if _, err := doc.Glyphs(t.Context(), n); !errors.As(err, &bad) {
			t.Errorf("page %d: got %v, want a PageError", n, err)
		}
		if _, err := doc.Render(t.Context(), n, nil, 72); !errors.As(err, &bad) {
			t.Errorf("draw page %d: got %v, want a PageError", n, err)
		}
	}
}

func TestOpenWaitsForAFreeInstance(t *testing.T) {
	small, err := pdf.NewPool(pdf.Config{MaxInstances: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = small.Close() }()
	doc, err := small.Open(t.Context(), letter(hello, ""))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := small.Open(ctx, letter(hello, "")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second document: got %v, want the deadline", err)
	}
	if err := doc.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := small.Open(t.Context(), letter(hello, ""))
	if err != nil {
		t.Fatalf("after the first was closed: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// cancelledLate is a context that appears cancelled only after an instance was obtained.
type cancelledLate struct{ context.Context }

func (cancelledLate) Done() <-chan struct{} { return nil }
func (cancelledLate) Err() error            { return context.Canceled }

func TestCancellingLosesNoInstance(t *testing.T) {
	small, err := pdf.NewPool(pdf.Config{MaxInstances: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = small.Close() }()
	for range 3 {
		if _, err := small.Open(cancelledLate{t.Context()}, letter(hello, "")); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	doc, err := small.Open(ctx, letter(hello, ""))
	if err != nil {
		t.Fatalf("the pool is used up: %v", err)
	}
	_ = doc.Close()
}

func TestClosedIsAnErrorNotACrash(t *testing.T) {
	doc := open(t, letter(hello, ""))
	if err := doc.Close(); err != nil {
		t.Fatal(err)
	}
	if err := doc.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := doc.Glyphs(t.Context(), 1); err == nil {
		t.Error("glyphs of a closed document: no error")
	}
	if _, err := doc.Anchors(t.Context()); err == nil {
		t.Error("anchors of a closed document: no error")
	}
	if _, err := doc.Outline(t.Context()); err == nil {
		t.Error("outline of a closed document: no error")
	}
	if _, err := doc.Metadata(t.Context()); err == nil {
		t.Error("metadata of a closed document: no error")
	}
	p, err := pdf.NewPool(pdf.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_ = p.Close()
	if _, err := p.Open(t.Context(), letter(hello, "")); err == nil {
		t.Error("open on a closed pool: no error")
	}
}

func TestValidateWarnsInsteadOfRefusing(t *testing.T) {
	whole := letter(hello, "")
	if warnings, err := pdf.Validate(whole); err != nil || len(warnings) > 0 {
		t.Errorf("a sound file: %q %v", warnings, err)
	}
	if warnings, err := pdf.Validate([]byte("%PDF-1.7\nnothing else")); err != nil || len(warnings) == 0 {
		t.Errorf("a truncated file: warnings %q, error %v", warnings, err)
	}
	var bad *pdf.OpenError
	if _, err := pdf.Validate([]byte("<html>")); !errors.As(err, &bad) {
		t.Errorf("a web page: %v", err)
	}
}

func TestSound(t *testing.T) {
	whole := letter(hello, "")
	for _, tt := range []struct {
		name string
		data []byte
		want bool
	}{
		{"whole", whole, true},
		{"tail cut off", whole[:len(whole)-10], false},
		{"wrong startxref", bytes.Replace(whole, []byte("startxref\n"), []byte("startxref\n9"), 1), false},
		{"startxref leads into a page", bytes.Replace(whole, []byte("startxref\n"), []byte("startxref\n1%"), 1), false},
		{"nothing after startxref", []byte("%PDF-1.7\nstartxref %%EOF"), false},
		{"negative", []byte("%PDF-1.7\nstartxref\n-5\n%%EOF"), false},
		{"empty", nil, false},
	} {
		if got := pdf.Sound(tt.data); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
