package pdf

import "fmt"

// Kind is the reason why a file cannot be opened.
type Kind string

// The kinds of an [OpenError].
const (
	// NotPDF is a file without a PDF header: empty, HTML, an image.
	NotPDF Kind = "not_pdf"
	// Broken is a PDF that cannot be read, such as a truncated file.
	Broken Kind = "broken"
	// Encrypted is a PDF that needs a password.
	Encrypted Kind = "encrypted"
	// NoPages is a PDF without pages.
	NoPages Kind = "no_pages"
	// TooManyPages is a PDF with more pages than the limit; broken files claim millions.
	TooManyPages Kind = "too_many_pages"
	// TooSlow is a PDF that cannot be opened within the timeout of a call.
	TooSlow Kind = "too_slow"
)

// OpenError explains in one line why a file cannot be opened.
type OpenError struct {
	Kind   Kind
	Reason string
}

func (e *OpenError) Error() string { return e.Reason }

// PageError means that a page does not exist or cannot be read.
type PageError struct {
	// Page is the requested page, Pages the number of pages.
	Page, Pages int
	// Reason is empty if Page is out of range.
	Reason string
}

func (e *PageError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("page %d cannot be read: %s", e.Page, e.Reason)
	}
	return fmt.Sprintf("page %d does not exist: pages run from 1 to %d", e.Page, e.Pages)
}

// BoxError explains why a box cannot be rendered.
type BoxError struct {
	Reason string
}

func (e *BoxError) Error() string { return e.Reason }
