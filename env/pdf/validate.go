package pdf

import (
	"bytes"
	"strconv"
	"sync"

	"airqa/internal/lazyregexp"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/validate"
)

// brokenStructure is the warning about a file whose objects cannot be listed. PDFium may find them nevertheless.
const brokenStructure = "the file is damaged, such as by an interrupted download; parts of it may be missing"

// Validate leniently checks the structure of a PDF. A failure is a one-line warning rather than an error, because
// PDFium reads files that this check rejects. The error is an [*OpenError] for data that is not a PDF at all.
func Validate(data []byte) (warnings []string, err error) {
	if err := checkHeader(data); err != nil {
		return nil, err
	}
	defer func() {
		if recover() != nil {
			warnings = []string{brokenStructure}
		}
	}()
	ctx, err := readObjects(data)
	if err != nil {
		return []string{brokenStructure}, nil
	}
	if validate.XRefTable(ctx) != nil {
		warnings = []string{"the file does not follow the PDF standard; parts of it may be missing"}
	}
	return warnings, nil
}

// readObjects lists the objects of a file leniently. pdfcpu panics on some broken files.
func readObjects(data []byte) (*model.Context, error) {
	disableConfigDir()
	conf := model.NewDefaultConfiguration()
	conf.ValidationMode, conf.Offline, conf.Cmd = model.ValidationRelaxed, true, model.VALIDATE
	return pdfcpu.Read(bytes.NewReader(data), conf)
}

// Sound reports whether a file ends like a valid PDF, with the correct offset of its cross-reference table. Truncated
// downloads and some edited files do not; readers can repair some of them. It reads only a few bytes.
func Sound(data []byte) bool {
	const tail = 2048
	end := data[max(0, len(data)-tail):]
	at := bytes.LastIndex(end, []byte("startxref"))
	if at < 0 || !bytes.Contains(end[at:], []byte("%%EOF")) {
		return false
	}
	fields := bytes.Fields(end[at+len("startxref"):])
	if len(fields) == 0 {
		return false
	}
	place, err := strconv.Atoi(string(fields[0]))
	if err != nil || place < 0 || place >= len(data) {
		return false
	}
	return crossReference.Match(data[place:min(len(data), place+40)])
}

// crossReference matches the start of a cross-reference table or stream.
var crossReference = lazyregexp.New(`^\s*(xref|\d+\s+\d+\s+obj)`)

// disableConfigDir keeps pdfcpu from creating a folder in the user's configuration. It sets a global variable of that
// package, so it must run only once. pdfcpu's package api, which has a function for it, takes long to compile.
var disableConfigDir = sync.OnceFunc(func() { model.ConfigPath = "disable" })
