package pdf

import "fmt"

// Kind names what is wrong with a file that cannot be opened.
type Kind string

// The kinds of an [OpenError].
const (
	// NotPDF is a file without a PDF header: empty, HTML, a picture.
	NotPDF Kind = "not_pdf"
	// Broken is a PDF that cannot be read: truncated, garbled.
	Broken Kind = "broken"
	// Encrypted is a PDF that needs a password.
	Encrypted Kind = "encrypted"
	// NoPages is a PDF with zero pages.
	NoPages Kind = "no_pages"
	// TooManyPages is a PDF that claims more pages than the cap; broken files claim millions.
	TooManyPages Kind = "too_many_pages"
	// TooSlow is a PDF that cannot be opened within the time of one call.
	TooSlow Kind = "too_slow"
)

// OpenError says in one line why a file cannot be opened.
type OpenError struct {
	Kind   Kind
	Reason string
}

// Error implements error.
func (e *OpenError) Error() string { return e.Reason }

// PageError says that a page does not exist or cannot be read.
type PageError struct {
	// Page is what was asked for, Pages how many there are; both count from 1.
	Page, Pages int
	// Reason is empty when Page is out of range.
	Reason string
}

// Error implements error.
func (e *PageError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("page %d cannot be read: %s", e.Page, e.Reason)
	}
	return fmt.Sprintf("page %d does not exist: pages run from 1 to %d", e.Page, e.Pages)
}

// BoxError says why a box cannot be drawn.
type BoxError struct {
	Reason string
}

// Error implements error.
func (e *BoxError) Error() string { return e.Reason }
