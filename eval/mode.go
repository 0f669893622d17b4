package eval

import (
	"fmt"
	"strings"
)

// Mode names the semantics by which answers are scored.
type Mode string

// The modes.
const (
	// Reference is what the authors' code does, quirks included: what published numbers mean.
	Reference Mode = "reference"
	// Fixed mends the known faults of the reference: order-free matching by assignment, typed numbers, empty lists,
	// misspelt options, golds that are lists.
	Fixed Mode = "fixed"
)

// Modes are the names of the modes, the default first.
func Modes() []string { return []string{string(Reference), string(Fixed)} }

// ParseMode reads the name of a mode; the empty name is [Reference].
func ParseMode(name string) (Mode, error) {
	switch m := Mode(name); m {
	case "":
		return Reference, nil
	case Reference, Fixed:
		return m, nil
	}
	return "", fmt.Errorf("unknown scoring %q; the modes are %s", name, strings.Join(Modes(), ", "))
}
