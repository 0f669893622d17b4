package words

import (
	"cmp"
	"strings"
)

// layout are LaTeX commands without a printed letter.
var layout = Set(`frac dfrac tfrac mathrm mathbf mathit mathcal mathbb mathsf boldsymbol operatorname text textbf textit textrm
left right big bigl bigr bigg biggl biggr quad qquad cdot times sum prod int sqrt leq geq le ge in to rightarrow hat bar tilde
begin end aligned align equation tag limits displaystyle`)

// Formula reduces a folded formula to its letters and digits in order, so that the LaTeX of a formula and the text of a
// PDF that shows it are often equal. Greek letters become their names.
func Formula(folded string) string {
	var b strings.Builder
	for w := range strings.FieldsSeq(folded) {
		if layout[w] {
			continue
		}
		for _, r := range w {
			b.WriteString(cmp.Or(letters[r], string(r)))
		}
	}
	return b.String()
}
