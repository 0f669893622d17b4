package judge

import (
	"regexp"
	"strings"

	"airqa/eval"
)

// latexNoise are commands of LaTeX that change how a formula looks and not what it says.
var latexNoise = regexp.MustCompile(`\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|nolimits|quad|qquad|mathrm|mathbf|mathit|text|operatorname|boldsymbol|bm)\b\*?|\\[,;:!> ]|\\[()\[\]]|[{}$~\s&]`)

// plainFormula returns a LaTeX formula without blanks, braces and layout commands. It does no mathematics.
func plainFormula(s string) string {
	s = strings.NewReplacer(`\dfrac`, `\frac`, `\tfrac`, `\frac`, `\le `, `\leq `, `\ge `, `\geq `).Replace(s)
	return strings.TrimRight(latexNoise.ReplaceAllString(s, ""), ".,;")
}

// holdsFormulas tells whether the prediction contains every formula, one after the other unless in any order.
func holdsFormulas(r eval.JudgeRequest) bool {
	rest := plainFormula(r.Prediction)
	for _, f := range r.Formulas {
		plain := plainFormula(f)
		i := indexFormula(rest, plain)
		if i < 0 || plain == "" {
			return false
		}
		if !r.IgnoreOrder {
			rest = rest[i+len(plain):]
		}
	}
	return len(r.Formulas) > 0
}

// indexFormula returns the first place of formula in s where no number at its ends goes on beyond them; -1 when
// there is none.
func indexFormula(s, formula string) int {
	for at := 0; at <= len(s)-len(formula); at++ {
		i := strings.Index(s[at:], formula)
		if i < 0 {
			return -1
		}
		at += i
		end := at + len(formula)
		if !sameNumber(s, at) && !sameNumber(s, end) {
			return at
		}
	}
	return -1
}

// sameNumber tells whether digits stand on both sides of position i, a point among them or not.
func sameNumber(s string, i int) bool {
	before, after := strings.TrimSuffix(s[:i], "."), strings.TrimPrefix(s[i:], ".")
	return before != "" && after != "" && isDigit(before[len(before)-1]) && isDigit(after[0])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
