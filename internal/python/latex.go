package python

import (
	"slices"
	"strings"
)

// LaTeXCommand returns the length of the LaTeX command at the start of text if Python would read an escape instead, and
// 0 if the escape is intended. text begins with the backslash. Models write "\frac{1}{2}" without doubling the
// backslash, which Python turns into a form feed and "rac{1}{2}".
//
// \a, \b, \f and \v are control characters that no answer contains, and \N, and \x, \u and \U without digits are errors:
// they are always commands. \t, \n and \r are commands if followed by the letters of a complete one, such as
// \times.
func LaTeXCommand(text string) int {
	if len(text) < 2 {
		return 0
	}
	end := 1
	for end < len(text) && isNameByte(text[end]) && text[end] != '_' {
		end++
	}
	switch text[1] {
	case 'a', 'b', 'f', 'v':
		return end
	case 't', 'n', 'r':
		if slices.Contains(latexCommands, text[1:end]) {
			return end
		}
	case 'x', 'u', 'U', 'N':
		if _, _, reason := escape(text, false); reason != "" {
			return end
		}
	}
	return 0
}

// latexCommands begin with the letter of an escape that answers use. \ni is excluded: "i" often begins a line.
var latexCommands = strings.Fields(`
	nabla natural ncong ne nearrow neg neq newcommand newline nexists ngeq ngtr nleq nless nmid nolimits nonumber
	norm normalsize not notin nparallel nprec nrightarrow nsim nsubseteq nsucc nsupseteq nu num nwarrow
	tag tan tanh tau tbinom text textbf textit textmd textnormal textrm textsc textsf textsl textstyle textsubscript
	textsuperscript texttt textup tfrac therefore theta thickapprox thicksim thinspace tilde times tiny to top
	triangle triangledown triangleleft trianglelefteq triangleq triangleright trianglerighteq twoheadrightarrow
	raisebox rangle rbrace rbrack rceil ref restriction rfloor rgroup rho right rightarrow rightarrowtail
	rightharpoondown rightharpoonup rightleftarrows rightleftharpoons rightrightarrows rightsquigarrow rm rmfamily
	rtimes rule rvert rVert`)
