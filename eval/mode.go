package eval

import (
	"fmt"
	"strings"
)

// Mode names the rules by which answers are scored.
type Mode string

// The modes.
const (
	// Reference does what the authors' code does, quirks included, as in published numbers.
	Reference Mode = "reference"
	// Fixed corrects the known faults of the reference: unordered matching by assignment, typed numbers, empty lists,
	// misspelled options, golds that are lists.
	Fixed Mode = "fixed"
)

// Modes returns the names of the modes, the default first.
func Modes() []string { return []string{string(Reference), string(Fixed)} }

// ParseMode parses the name of a mode; the empty name is [Reference].
func ParseMode(name string) (Mode, error) {
	switch m := Mode(name); m {
	case "":
		return Reference, nil
	case Reference, Fixed:
		return m, nil
	}
	return "", fmt.Errorf("unknown scoring %q; the modes are %s", name, strings.Join(Modes(), ", "))
}
