package files

import (
	"errors"
	"io"
	"slices"
)

// Closers are things to close together. The zero value has none.
type Closers []io.Closer

// Add adds something to close.
func (c *Closers) Add(x io.Closer) { *c = append(*c, x) }

// Close closes everything, last first. A second call does nothing.
func (c *Closers) Close() error {
	var errs []error
	for _, x := range slices.Backward(*c) {
		errs = append(errs, x.Close())
	}
	*c = nil
	return errors.Join(errs...)
}
