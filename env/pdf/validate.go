package pdf

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// Info is what the structure of a file says, read without drawing or laying out anything.
type Info struct {
	// Version is that of the PDF format, such as "1.5"; empty when the file does not parse.
	Version   string
	Pages     int
	Encrypted bool
	Tagged    bool
}

// Validate checks the structure of a PDF, leniently. A failure is a warning of one line, not an error: PDFium reads
// files that this check rejects. The error is for data that is no PDF at all, an [*OpenError].
func Validate(data []byte) (info Info, warnings []string, err error) {
	if err := checkHeader(data); err != nil {
		return Info{}, nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			warnings = append(warnings, fmt.Sprintf("structure check gave up: %s", firstLine(fmt.Sprint(r))))
		}
	}()
	ctx, err := api.ReadContext(bytes.NewReader(data), validation())
	if err != nil {
		return Info{}, []string{"structure: " + firstLine(err.Error())}, nil
	}
	info = Info{Version: ctx.VersionString(), Pages: ctx.PageCount, Encrypted: ctx.Encrypt != nil, Tagged: ctx.Tagged}
	if err := api.ValidateContext(ctx); err != nil {
		warnings = append(warnings, "structure: "+firstLine(err.Error()))
	}
	info.Pages = ctx.PageCount
	return info, warnings, nil
}

// Sound tells whether a file ends as a PDF should: with the place of its table of contents, which is there. A download cut
// short and an editor's accident are not sound; readers mend some of them. It looks at a few bytes only.
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

// crossReference is the start of a file's table of contents, plain or as an object.
var crossReference = regexp.MustCompile(`^\s*(xref|\d+\s+\d+\s+obj)`)

// disableConfigDir keeps pdfcpu from writing a folder in the user's configuration. It sets a variable of that package,
// so it may run only once.
var disableConfigDir = sync.OnceFunc(api.DisableConfigDir)

// validation is lenient and never asks the network.
func validation() *model.Configuration {
	disableConfigDir()
	conf := model.NewDefaultConfiguration()
	conf.ValidationMode = model.ValidationRelaxed
	conf.Offline = true
	conf.Cmd = model.VALIDATE
	return conf
}
