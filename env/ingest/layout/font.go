package layout

import (
	"slices"
	"strings"
)

// IsBold checks the name of the font, since a PDF seldom has other information. "Medi" is the bold of URW's Times,
// "CMBX" and "SFBX" that of Computer Modern.
func IsBold(font string) bool {
	name := strings.ToLower(font)
	marks := []string{"bold", "-medi", "black", "heavy", "cmbx", "sfbx", "cmb10", "lmromandemi", "demi", "bxsc", "extrab"}
	return containsAny(name, marks) || strings.HasSuffix(name, "-bd") || strings.HasSuffix(name, ".b") || strings.HasSuffix(name, "tib")
}

// IsMath checks whether the name is that of a TeX math font.
func IsMath(font string) bool {
	marks := []string{"cmmi", "cmsy", "cmex", "msam", "msbm", "cmmib", "cmbsy", "math", "eufm", "rsfs", "stix", "txsy", "txmi", "pxmi", "symbol", "lmmi", "lmsy", "ntxmi", "ntxsy", "ntxex", "rtxmi", "txex", "zplm", "fourier", "mtmi", "mtsy"}
	return containsAny(strings.ToLower(font), marks)
}

func containsAny(name string, marks []string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(name, mark) })
}
