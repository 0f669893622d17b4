package eval

import (
	"math/big"
	"strings"

	"airqa/internal/python"
)

// Kind is a set of types that an argument may have.
type Kind uint8

// The types of JSON, with whole numbers as a type of their own.
const (
	KindText Kind = 1 << iota
	KindInt
	KindFloat
	KindBool
	KindList
	KindDict
	KindNull

	KindNumber = KindInt | KindFloat
	KindAny    = KindText | KindNumber | KindBool | KindList | KindDict | KindNull
)

// String returns the names of the types, such as "int or float".
func (k Kind) String() string {
	if k == KindAny {
		return "any value"
	}
	var names []string
	for i, name := range []string{"text", "int", "float", "bool", "list", "dict", "null"} { // in the order of the constants
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// Param is a parameter of a [Function].
type Param struct {
	Name     string
	Kind     Kind
	Required bool
	// Default is the value of an argument that is not given; nil if it is required, and for None.
	Default python.Value
	// Options are the permitted texts; nil for any.
	Options []string
	// Formal is true for a required argument that no function reads: only [Reference] insists on it.
	Formal bool
	// misspelling is a name that released examples give it, which only [Fixed] reads.
	misspelling string
	// hint describes the parameter to a model; empty for one that scoring ignores.
	hint string
}

func required(name string, k Kind, hint string) Param {
	return Param{Name: name, Kind: k, Required: true, hint: hint}
}

func optional(name string, k Kind, value python.Value, hint string) Param {
	return Param{Name: name, Kind: k, Default: value, hint: hint}
}

func oneOf(name, value, hint string, options []string) Param {
	return Param{Name: name, Kind: KindText, Default: value, Options: options, hint: hint}
}

func (p Param) misspelt(name string) Param {
	p.misspelling = name
	return p
}

// kindOf returns the type of a value read from JSON.
func kindOf(v python.Value) Kind {
	switch v.(type) {
	case nil:
		return KindNull
	case bool:
		return KindBool
	case int64, *big.Int:
		return KindInt
	case float64:
		return KindFloat
	case python.List:
		return KindList
	case *python.Dict:
		return KindDict
	}
	return KindText
}
