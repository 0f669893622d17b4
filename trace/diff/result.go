package diff

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/qa"
)

// What classifies a [Change].
type What string

// The ways in which two results differ.
const (
	// ChangedText is another text.
	ChangedText What = "text"
	// ChangedStatus is another status, such as an error in place of rows.
	ChangedStatus What = "status"
	// ChangedOrder is the same lines or hits in another order.
	ChangedOrder What = "order"
	// ChangedCut is the same result, cut elsewhere.
	ChangedCut What = "cut"
	// ChangedImages is the same text with other images.
	ChangedImages What = "images"
	// Missing is a result on one side only.
	Missing What = "missing"
)

// Change is the first difference between two texts.
type Change struct {
	What What `json:"what"`
	// Line counts from 1; Byte is the offset in the whole text, from 0.
	Line int `json:"line,omitempty"`
	Byte int `json:"byte,omitempty"`
	// A and B are what is there, with some text around it; after a status, the beginning of the text; of an image, its hash.
	A string `json:"a"`
	B string `json:"b"`
}

// String describes the change in a few words: "line 3, byte 120".
func (c Change) String() string {
	place := fmt.Sprintf("from line %d, byte %d on", c.Line, c.Byte)
	switch c.What {
	case ChangedStatus:
		return "different status"
	case ChangedOrder:
		return "the same lines in a different order, " + place
	case ChangedCut:
		return "cut at a different place, " + place
	case ChangedImages:
		return "different image"
	case Missing:
		return "no result on one side"
	}
	return "differs " + place
}

// Results compares two observations as the model sees them: text and images. It returns nil if they are equal.
func Results(a, b *qa.Observation) *Change {
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil:
		return &Change{What: Missing, B: excerpt(b.Text, 0)}
	case b == nil:
		return &Change{What: Missing, A: excerpt(a.Text, 0)}
	case a.Text == b.Text:
		return images(a.Images, b.Images)
	}
	c := Texts(a.Text, b.Text)
	switch {
	case a.Status != b.Status:
		c.What, c.Line, c.Byte = ChangedStatus, 0, 0
		c.A, c.B = string(a.Status)+": "+excerpt(a.Text, 0), string(b.Status)+": "+excerpt(b.Text, 0)
	case reordered(a, b):
		c.What = ChangedOrder
	case cutElsewhere(a, b):
		c.What = ChangedCut
	}
	return c
}

// Texts returns the first difference between two texts; nil if they are equal.
func Texts(a, b string) *Change {
	if a == b {
		return nil
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	return &Change{
		What: ChangedText, Line: 1 + strings.Count(a[:at], "\n"), Byte: at, A: excerpt(a, at), B: excerpt(b, at),
	}
}

// excerpt returns the text around a position, within its line.
func excerpt(text string, at int) string {
	const shownBefore, shownAfter = 30, 120 // bytes
	first, end := max(at-shownBefore, 0), min(at+shownAfter, len(text))
	first = max(first, 1+strings.LastIndexByte(text[:at], '\n'))
	if n := strings.IndexByte(text[at:end], '\n'); n >= 0 {
		end = at + n
	}
	for first > 0 && first < at && !utf8.RuneStart(text[first]) {
		first++
	}
	for end > at && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	part := strings.ToValidUTF8(text[first:end], "\ufffd")
	if first > 0 && text[first-1] != '\n' {
		part = "…" + part
	}
	if end < len(text) && text[end] != '\n' {
		part += "…"
	}
	return part
}

func images(a, b []qa.Image) *Change {
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i].SHA256
		}
		if i < len(b) {
			y = b[i].SHA256
		}
		if x != y {
			return &Change{What: ChangedImages, A: x, B: y}
		}
	}
	return nil
}

// reordered reports whether two texts have the same lines, or two retrievals the same passages, in another order.
func reordered(a, b *qa.Observation) bool {
	x, y := strings.Split(a.Text, "\n"), strings.Split(b.Text, "\n")
	if len(a.Hits) > 0 && len(b.Hits) > 0 {
		x, y = shownHits(a), shownHits(b)
	}
	if len(x) != len(y) || slices.Equal(x, y) {
		return false
	}
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// shownHits returns the ids of the passages that the model got.
func shownHits(o *qa.Observation) []string {
	var ids []string
	for _, h := range o.Hits {
		if !h.Beyond {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// cutElsewhere reports whether the shorter of two results is the beginning of the longer one, but for the note about the
// cut.
func cutElsewhere(a, b *qa.Observation) bool {
	if a.Cut == nil && b.Cut == nil {
		return false
	}
	x, y := rowsOf(a), rowsOf(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	return len(x) > 0 && slices.Equal(x, y[:len(x)])
}

// rowsOf returns the whole rows of a result, without the note below them.
func rowsOf(o *qa.Observation) []string {
	lines := strings.Split(o.Text, "\n")
	n := len(lines) - 1
	if o.Cut != nil && o.Cut.Reason == "cell" {
		n--
	}
	return lines[:max(n, 0)]
}

// PromptChange is a message before the first reply that differs.
type PromptChange struct {
	// Message counts from 0.
	Message int     `json:"message"`
	Role    qa.Role `json:"role"`
	Change
}

func prompts(a, b []qa.Message) []PromptChange {
	x, y := opening(a), opening(b)
	var list []PromptChange
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			list = append(list, PromptChange{i, y[i].Role, Change{What: Missing, B: excerpt(y[i].Text, 0)}})
		case i >= len(y):
			list = append(list, PromptChange{i, x[i].Role, Change{What: Missing, A: excerpt(x[i].Text, 0)}})
		default:
			if c := Texts(x[i].Text, y[i].Text); c != nil {
				list = append(list, PromptChange{i, x[i].Role, *c})
			}
		}
	}
	return list
}

func opening(list []qa.Message) []qa.Message {
	for i, m := range list {
		if m.Role == qa.Assistant {
			return list[:i]
		}
	}
	return list
}
