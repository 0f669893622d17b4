package pdf_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"airqa/env/pdf"
)

// pool is shared by the tests: starting PDFium takes 0.1 seconds with a warm cache, seconds without.
var pool *pdf.Pool

// maxPixels is low, because rendering large pages is slow under the race detector.
const maxPixels = 4_000_000

func TestMain(m *testing.M) {
	api.DisableConfigDir()
	var err error
	if pool, err = pdf.NewPool(pdf.Config{MaxInstances: 4, MaxPixels: maxPixels}); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = pool.Close()
	os.Exit(code)
}

// letter returns a page of 612 by 792 points with the given content and further dictionary entries.
func letter(content, entries string) []byte {
	return build(content, "/MediaBox [0 0 612 792] "+entries)
}

// build returns a PDF of one page with Helvetica as /F1. More objects may follow, numbered from 6: names, outline, the
// form or image /X.
func build(content, entries string, more ...string) []byte {
	marks, figure := "", ""
	if len(more) > 0 {
		marks, figure = "/Names 6 0 R /Outlines 7 0 R", "/XObject << /X 8 0 R >>"
	}
	return write(append([]string{
		"<< /Type /Catalog /Pages 2 0 R " + marks + " >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> " + figure + " >> " + entries + " >>",
		stream("", content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}, more...))
}

func stream(entries, content string) string {
	return fmt.Sprintf("<< /Length %d %s >>\nstream\n%s\nendstream", len(content), entries, content)
}

// write numbers objects from 1 and adds a cross-reference table.
func write(objects []string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	places := make([]int, len(objects))
	for i, o := range objects {
		places[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, p := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", p)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

// open opens a document and closes it when the test ends.
func open(t *testing.T, data []byte) *pdf.Document {
	t.Helper()
	doc, err := pool.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = doc.Close() })
	return doc
}

// edit applies a function of pdfcpu to a PDF.
func edit(t *testing.T, data []byte, change func(in *bytes.Reader, out *bytes.Buffer, conf *model.Configuration) error) []byte {
	t.Helper()
	var out bytes.Buffer
	conf := model.NewDefaultConfiguration()
	conf.Offline = true
	if err := change(bytes.NewReader(data), &out, conf); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func encrypt(t *testing.T, data []byte, user, owner string) []byte {
	t.Helper()
	return edit(t, data, func(in *bytes.Reader, out *bytes.Buffer, conf *model.Configuration) error {
		conf.UserPW, conf.OwnerPW = user, owner
		return api.Encrypt(in, out, conf)
	})
}
