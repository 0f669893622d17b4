package vectors

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"airqa/internal/lazyregexp"
)

var namePattern = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Check validates the description; errors are [ErrInvalid].
func (c Collection) Check() error {
	if len(c.Name) > MaxName || !namePattern.MatchString(c.Name) {
		return fmt.Errorf("collection %q: %w name: letters, digits and _ only, not starting with a digit", c.Name, ErrInvalid)
	}
	if c.Window < 0 {
		return fmt.Errorf("collection %s: %w window %d", c.Name, ErrInvalid, c.Window)
	}
	switch {
	case c.Kind == Dense && c.Dim >= 1 && c.Dim <= MaxDim, (c.Kind == Sparse || c.Kind == Words) && c.Dim == 0:
		return nil
	case c.Kind == Dense || c.Kind == Sparse || c.Kind == Words:
		return fmt.Errorf("collection %s: %w dimension %d of a %s collection", c.Name, ErrInvalid, c.Dim, c.Kind)
	}
	return fmt.Errorf("collection %s: %w kind %q", c.Name, ErrInvalid, c.Kind)
}

// CheckRecord validates a record of this collection; errors are [ErrInvalid] or [ErrDimension].
func (c Collection) CheckRecord(r Record) error {
	if err := r.checkOrigin(); err != nil {
		return fmt.Errorf("collection %s: record %q: %w", c.Name, r.Key, err)
	}
	if c.Kind == Sparse && len(r.Sparse) == 0 {
		return fmt.Errorf("collection %s: record %q: %w: no term", c.Name, r.Key, ErrInvalid)
	}
	if err := c.checkVector(r.Vector); err != nil {
		return fmt.Errorf("collection %s: record %q: %w", c.Name, r.Key, err)
	}
	return nil
}

// CheckQuery validates a query of this collection; errors are [ErrInvalid] or [ErrDimension].
func (c Collection) CheckQuery(q Query) error {
	if q.K < 1 || q.K > MaxK {
		return fmt.Errorf("collection %s: %w number of hits %d: 1 to %d", c.Name, ErrInvalid, q.K, MaxK)
	}
	if err := q.Filter.Check(); err != nil {
		return fmt.Errorf("collection %s: %w", c.Name, err)
	}
	if err := c.checkVector(q.Vector); err != nil {
		return fmt.Errorf("collection %s: query: %w", c.Name, err)
	}
	return nil
}

// Check validates the filter; errors are [ErrInvalid].
func (f Filter) Check() error {
	for _, s := range append([]string{f.Table, f.Column}, f.Papers...) {
		if !plain(s, MaxName) {
			return fmt.Errorf("filter: %w text %.40q", ErrInvalid, s)
		}
	}
	if f.Page < -1 || f.Page > math.MaxInt16 {
		return fmt.Errorf("filter: %w page %d", ErrInvalid, f.Page)
	}
	return nil
}

func (o Origin) checkOrigin() error {
	if o.Key == "" || !plain(o.Key, MaxKey) {
		return fmt.Errorf("%w key", ErrInvalid)
	}
	for _, s := range []string{o.PaperID, o.Table, o.Column} {
		if s == "" || !plain(s, MaxName) {
			return fmt.Errorf("%w paper id, table or column %.40q", ErrInvalid, s)
		}
	}
	if o.Page != -1 && (o.Page < 1 || o.Page > math.MaxInt16) {
		return fmt.Errorf("%w page %d", ErrInvalid, o.Page)
	}
	return nil
}

func (c Collection) checkVector(v Vector) error {
	for kind, set := range map[Kind]bool{Dense: v.Dense != nil, Sparse: v.Sparse != nil, Words: v.Words != nil} {
		if set && kind != c.Kind {
			return fmt.Errorf("%w: a %s vector for a %s collection", ErrInvalid, kind, c.Kind)
		}
	}
	switch c.Kind {
	case Sparse:
		return checkTerms(v.Sparse)
	case Words:
		return checkWords(v.Words)
	default:
		return c.checkDense(v)
	}
}

func (c Collection) checkDense(v Vector) error {
	if len(v.Dense) != c.Dim {
		return fmt.Errorf("%w: %d numbers for %d dimensions", ErrDimension, len(v.Dense), c.Dim)
	}
	for i, x := range v.Dense {
		if !finite(x) {
			return fmt.Errorf("%w: number %d is %v", ErrInvalid, i, x)
		}
	}
	return nil
}

func checkTerms(terms []Term) error {
	for i, t := range terms {
		if !finite(t.Weight) || t.Weight <= 0 {
			return fmt.Errorf("%w: weight %v at position %d", ErrInvalid, t.Weight, t.Position)
		}
		if i > 0 && t.Position <= terms[i-1].Position {
			return fmt.Errorf("%w: position %d follows %d", ErrInvalid, t.Position, terms[i-1].Position)
		}
	}
	return nil
}

func checkWords(words []Word) error {
	for i, w := range words {
		if w.Text == "" || w.Count < 1 || w.Count > math.MaxInt32 {
			return fmt.Errorf("%w: word %.40q, %d times", ErrInvalid, w.Text, w.Count)
		}
		if i > 0 && w.Text <= words[i-1].Text {
			return fmt.Errorf("%w: word %.40q follows %.40q", ErrInvalid, w.Text, words[i-1].Text)
		}
	}
	return nil
}

func finite(x float32) bool { return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) }

// plain rejects text that servers treat differently: control characters, broken UTF-8, text over the length limit.
func plain(s string, limit int) bool {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	return len(s) <= limit && utf8.ValidString(s) && strings.IndexFunc(s, control) < 0
}
