package pdf

import (
	"bytes"
	"fmt"
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
