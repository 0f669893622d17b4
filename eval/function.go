package eval

import (
	"airqa/internal/fuzzy"
	"airqa/internal/python"
)

// The genres of functions: compared with a gold, judged, or applying other functions.
const (
	objective  = "objective"
	subjective = "subjective"
	logical    = "logical"
)

// Function is an evaluation function.
type Function struct {
	Name string
	// Genre and Category are the class and its subtype in the paper's Table 8. Only a logical function has no subtype.
	Genre, Category string
	Params          []Param
	// Closed is true for a function that fails on an unknown argument; others ignore it.
	Closed bool
	// anyGold is true if the golds are alternatives: any of them is a right answer, or part of one.
	anyGold bool

	// How an answer is scored: compared with a gold, judged, or read as a list with a function for each element. None of
	// them is set for a negation.
	compare comparison
	judge   JudgeKind
	need    func(*Comparison) row

	// What a model reads before it chooses a function: what passes, and a case with arguments and an answer that passes.
	text, kwargs, answer string
}

// GoldParam is the name of the parameter with the gold: the first one that is required, besides the question. A logical
// function has none.
func (f *Function) GoldParam() string {
	for _, p := range f.Params {
		if p.Required && p.Name != questionName && f.Genre != logical {
			return p.Name
		}
	}
	return ""
}

// Param is the parameter with a name, or nil.
func (f *Function) Param(name string) *Param {
	for i := range f.Params {
		if f.Params[i].Name == name {
			return &f.Params[i]
		}
	}
	return nil
}

// nearest returns the parameter that a wrong name means: by a known misspelling, else the most similar one, else "".
func (f *Function) nearest(name string) string {
	names := make([]string, len(f.Params))
	for i, p := range f.Params {
		if name != "" && name == p.misspelling {
			return p.Name
		}
		names[i] = p.Name
	}
	return fuzzy.Nearest(name, names)
}

// call is an evaluation function with its arguments as a mode reads them.
type call struct {
	mode        Mode
	name        string
	function    *Function         // nil for an unknown one
	arguments   *python.Dict      // nil if they are not a dictionary
	parts       []*call           // nested functions; nil for one without arguments
	partsFault  error             // why the arguments of the nested functions cannot be read
	corrections map[string]string // how arguments that are not read as given are read, as name = value
	fault       error             // why it cannot be applied
}

// get returns an argument, or its default.
func (c *call) get(name string) python.Value {
	if v, ok := c.arguments.Get(name); ok {
		return v
	}
	if p := c.function.Param(name); p != nil {
		return p.Default
	}
	return nil
}

// truth returns the truth value of an argument in Python.
func (c *call) truth(name string) bool { return python.Truth(c.get(name)) }

// str returns an argument in Python's str() form.
func (c *call) str(name string) string { return python.Str(c.get(name)) }

func (c *call) matching() matching {
	return matching{
		mode:      c.mode,
		lowercase: c.truth("lowercase"), ignoreBlank: c.truth("ignore_blank"), ignoreOrder: c.truth("ignore_order"),
		ndigits: c.get("ndigits"), tolerance: c.get("tolerance"), threshold: c.get("threshold"),
		method: c.get("fuzz_method"), elementType: c.get("element_type"), count: c.get("count"),
	}
}

// matching holds the options of a comparison, those of all functions. Options that may have a wrong type keep their
// original value and fail only when used.
type matching struct {
	mode                                  Mode
	lowercase, ignoreBlank, ignoreOrder   bool
	ndigits, tolerance, threshold, method python.Value
	elementType, count                    python.Value
	known                                 map[string]outcome // of the texts in a list; nil outside
}

// comparison compares an answer with the gold. A non-nil t records it.
type comparison func(m matching, t *Comparison, prediction, gold python.Value) (outcome, error)

// questionName is the name of the parameter with the question, which the judges read.
const questionName = "question"

// defaultMethod is the measure of similarity of functions that have no other.
const defaultMethod = "ratio"
