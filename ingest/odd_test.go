package ingest_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/env/paperdb"
	"airqa/env/pdf"
	"airqa/ingest"
	"airqa/internal/testkit"
)

// oddPDF writes objects, numbered from 1, without a cross-reference table, which readers reconstruct.
func oddPDF(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	b.WriteString("trailer << /Root 1 0 R >>\n%%EOF\n")
	return b.Bytes()
}

// onePage returns a page with a content stream, further dictionary entries and more objects, numbered from 6.
func onePage(content, entries string, more ...string) []byte {
	return oddPDF(append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> " + entries + " >>",
		content,
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}, more...)...)
}

func plainStream(content string) string {
	return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
}

// bomb returns a stream of a few hundred kilobytes that decompresses to many megabytes.
func bomb(unit string, megabytes int) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	block := []byte(strings.Repeat(unit, 1<<20/len(unit)))
	for range megabytes {
		_, _ = w.Write(block)
	}
	_ = w.Close()
	return fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", b.Len(), b.String())
}

const oddText = "BT /F1 12 Tf 100 500 Td (A line of text to be found) Tj ET"

// readOdd reads a generated file.
func readOdd(t *testing.T, data []byte) (paperdb.Paper, error) {
	t.Helper()
	source, err := ingest.Open(put(t, t.TempDir(), "odd.pdf", data))
	if err != nil {
		return paperdb.Paper{}, err
	}
	read, err := reader(t).Read(t.Context(), source)
	return read.Paper, err
}

func TestOddFilesAreReadOrSaidToBeOdd(t *testing.T) {
	testkit.OneGoroutine(t)
	letter := "/MediaBox [0 0 612 792] "
	tests := []struct {
		name    string
		data    []byte
		text    string // on page 1
		problem string
	}{
		{"rotated", onePage(plainStream(oddText), letter+"/Rotate 90"), "A line of text", "no abstract"},
		{"upside down", onePage(plainStream(oddText), letter+"/Rotate 180"), "A line of text", "no abstract"},
		{"a turn of 45 degrees", onePage(plainStream(oddText), letter+"/Rotate 45"), "A line of text", "no abstract"},
		{"cropped to nothing of the text", onePage(plainStream(oddText), letter+"/CropBox [0 0 90 90]"), "", "no text layer on its 1 page; is it a scan without OCR?"},
		{"cropped", onePage(plainStream(oddText), letter+"/CropBox [50 400 612 792]"), "A line of text", "no abstract"},
		{"boxes the wrong way round", onePage(plainStream(oddText), "/MediaBox [612 792 0 0]"), "A line of text", "no abstract"},
		{"a box of no size", onePage(plainStream(oddText), "/MediaBox [0 0 0 0]"), "", ""},
		{"no box", onePage(plainStream(oddText), ""), "A line of text", "no abstract"},
		{"2,000,000 points", onePage(plainStream(oddText), "/MediaBox [0 0 2000000 2000000]"), "A line of text", "no abstract"},
		{"a scan", onePage(plainStream("q 600 0 0 700 0 0 cm /X Do Q"), letter, picture), "", "no text layer on its 1 page; is it a scan without OCR?"},
		{"no content", onePage("null", letter), "", "no text layer on its 1 page; is it a scan without OCR?"},
		{"a page more than there are", bytes.Replace(onePage(plainStream(oddText), letter), []byte("/Count 1"), []byte("/Count 2"), 1), "A line of text", "page 2 cannot be read"},
		{"a bomb of spaces", onePage(bomb(" ", 50), letter), "", "no text layer on its 1 page; is it a scan without OCR?"},
		{"a bomb of text", onePage(bomb("BT /F1 12 Tf 100 500 Td (A) Tj ET ", 2), letter), "", ""},
		{"a bomb of strokes", onePage(bomb("0 0 m 9 9 l S ", 4), letter), "", "no text layer on its 1 page; is it a scan without OCR?"},
		{"forms that draw forms, a hundred million", onePage(plainStream("/X Do"), letter, nested(8, 10)...), "", "page 1 cannot be read: PDFium"},
		{"a form in itself", onePage(plainStream("/X Do"), letter, form("/X Do", "6")), "", "no text layer on its 1 page; is it a scan without OCR?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := readOdd(t, tt.data)
			if tt.text == "" && tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) {
					t.Errorf("got %v for a paper without text, want %q", err, tt.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Pages) == 0 || !strings.Contains(p.Pages[0].Content, tt.text) {
				t.Errorf("page 1 lacks %q: %.200v", tt.text, p.Pages)
			}
			if all := strings.Join(p.File.Problems, "; "); !strings.Contains(all, tt.problem) || strings.Contains(all, "\n") {
				t.Errorf("problems %q lack %q", p.File.Problems, tt.problem)
			}
		})
	}
}

// Text that is painted from the bottom up is read from the top down: the check of the order cannot know which is right.
func TestDoubtfulPapersAreInTheSummary(t *testing.T) {
	upwards := strings.Builder{}
	upwards.WriteString("BT /F1 10 Tf 72 60 Td ")
	for i := range 56 {
		fmt.Fprintf(&upwards, "(%c%c words of a %c%[2]c line and %[3]c more %[1]c of it) Tj 0 12 Td ", 'a'+i%26, 'a'+i/26, 'z'-i%26)
	}
	dir := t.TempDir()
	path := put(t, dir, "upwards.pdf", onePage(plainStream(upwards.String()+"ET"), "/MediaBox [0 0 612 792]"))
	put(t, dir, "good.pdf", onePage(plainStream(oddText), "/MediaBox [0 0 612 792]"))
	store := newMemory()
	sum, err := ingest.Run(t.Context(), ingest.Config{Reader: reader(t), Store: store}, []string{path, filepath.Join(dir, "good.pdf")})
	if err != nil || sum.Added != 2 || len(sum.Poor) != 1 {
		t.Fatalf("%+v, %v", sum, err)
	}
	poor := sum.Poor[0]
	problems := store.papers[poor.PaperID].File.Problems
	if poor.Path != path || !strings.HasPrefix(poor.Reason, "the text may be in the wrong order") || problems[0] != poor.Reason {
		t.Errorf("%+v; problems %q", poor, problems)
	}
}

const picture = "<< /Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 1 /ColorSpace /DeviceGray /Length 8 >>\nstream\n01234567\nendstream"

// nested returns forms that each draw the next one several times.
func nested(depth, times int) (forms []string) {
	for k := range depth {
		forms = append(forms, form(strings.Repeat("/X Do ", times), fmt.Sprint(7+k)))
	}
	return forms
}

// form draws content, with itself or another object as /X.
func form(content, x string) string {
	return fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X %s 0 R >> >> /Length %d >>\nstream\n%s\nendstream",
		x, len(content), content)
}

func TestOddFilesThatCannotBeReadAreErrorsOfOneLine(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		want pdf.Kind
	}{
		{"a million pages", bytes.Replace(onePage("null", ""), []byte("/Count 1"), []byte("/Count 1000000"), 1), pdf.TooManyPages},
		{"a tree in itself", oddPDF("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 5000 >>"), pdf.TooManyPages},
		{"cut short", onePage(plainStream(oddText), "")[:90], pdf.Broken},
		{"a web page", []byte("<html>Sign in</html>"), pdf.NotPDF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readOdd(t, tt.data)
			var bad *pdf.OpenError
			if !errors.As(err, &bad) || bad.Kind != tt.want || strings.Contains(bad.Error(), "\n") {
				t.Errorf("got %v, want the kind %s", err, tt.want)
			}
		})
	}
}

// A page that takes PDFium too long is a problem of its paper; the other pages are read.
func TestSlowPagesAreProblems(t *testing.T) {
	strokes := strings.Repeat("0 0 m 600 700 l 600 0 l 0 700 l f ", 3000)
	forms := []string{form("/X Do /X Do", "8")}
	for k := range 11 {
		forms = append(forms, form("/X Do /X Do", fmt.Sprint(9+k)))
	}
	page := func(content string) string {
		return "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents " + content + " 0 R /Resources << /Font << /F1 6 0 R >> /XObject << /X 7 0 R >> >> >>"
	}
	data := oddPDF(append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
		page("20"), page("5"),
		plainStream(oddText),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}, append(forms, form(strokes, "6"), plainStream("/X Do"))...)...)
	hurried, err := pdf.NewPool(pdf.Config{MaxInstances: 1, Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hurried.Close() }()
	r, err := ingest.NewReader(hurried)
	if err != nil {
		t.Fatal(err)
	}
	source, err := ingest.Open(put(t, t.TempDir(), "slow.pdf", data))
	if err != nil {
		t.Fatal(err)
	}
	read, err := r.Read(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	p := read.Paper
	if len(p.Pages) != 2 || !strings.Contains(p.Pages[1].Content, "A line of text") {
		t.Errorf("page 2 is lost: %.200v", p.Pages)
	}
	if all := strings.Join(p.File.Problems, "; "); !strings.Contains(all, "page 1 cannot be read: PDFium did not finish within 200ms") {
		t.Errorf("problems %q", p.File.Problems)
	}
}
