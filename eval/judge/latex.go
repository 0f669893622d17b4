package judge

import (
	"regexp"
	"strings"

	"airqa/eval"
)

// latexNoise matches LaTeX commands that change the look of a formula, not its meaning.
var latexNoise = regexp.MustCompile(`\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|nolimits|quad|qquad|mathrm|mathbf|mathit|text|operatorname|boldsymbol|bm)\b\*?|\\[,;:!> ]|\\[()\[\]]|[{}$~\s&]`)

// plainFormula returns a LaTeX formula without whitespace, braces and layout commands. It does no mathematics.
func plainFormula(s string) string {
	s = strings.NewReplacer(`\dfrac`, `\frac`, `\tfrac`, `\frac`, `\le `, `\leq `, `\ge `, `\geq `).Replace(s)
	return strings.TrimRight(latexNoise.ReplaceAllString(s, ""), ".,;")
}

// holdsFormulas reports whether the prediction contains every formula, in order unless any order is allowed.
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

// indexFormula returns the first index of formula in s at which no number at either end continues beyond it, or -1.
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

// sameNumber reports whether position i is inside a number, with or without a decimal point.
func sameNumber(s string, i int) bool {
	before, after := strings.TrimSuffix(s[:i], "."), strings.TrimPrefix(s[i:], ".")
	return before != "" && after != "" && isDigit(before[len(before)-1]) && isDigit(after[0])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
