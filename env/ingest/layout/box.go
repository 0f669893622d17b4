package layout

import "airqa/internal/box"

// Box is an area of a page as displayed.
type Box = box.Box

// IsRule reports whether s is a thin horizontal stroke, such as a rule of a table.
func (s Shape) IsRule() bool {
	return s.Box.Height() < 2.5 && s.Box.Width() > 12 && s.Box.Width() > 6*s.Box.Height()
}
