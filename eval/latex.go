package eval

import (
	"regexp"
	"strings"
)

// latexNoise are commands of LaTeX that change how a formula looks and not what it says.
var latexNoise = regexp.MustCompile(`\\(?:left|right|big|Big|bigg|Bigg|displaystyle|textstyle|limits|nolimits|quad|qquad|mathrm|mathbf|mathit|text|operatorname|boldsymbol|bm)\b\*?|\\[,;:!> ]|\\[()\[\]]|[{}$~\s&]`)

// plainFormula returns a LaTeX formula without blanks, braces and layout commands. It does no mathematics.
func plainFormula(s string) string {
	s = strings.NewReplacer(`\dfrac`, `\frac`, `\tfrac`, `\frac`, `\le `, `\leq `, `\ge `, `\geq `).Replace(s)
	return strings.TrimRight(latexNoise.ReplaceAllString(s, ""), ".,;")
}

// holdsFormulas tells whether the prediction contains every formula, one after the other unless in any order.
func holdsFormulas(r JudgeRequest) bool {
	rest := plainFormula(r.Prediction)
	for _, f := range r.Formulas {
		plain := plainFormula(f)
		i := strings.Index(rest, plain)
		if i < 0 || plain == "" {
			return false
		}
		if !r.IgnoreOrder {
			rest = rest[i+len(plain):]
		}
	}
	return len(r.Formulas) > 0
}
