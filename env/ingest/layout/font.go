package layout

import "strings"

// IsBold judges by the font's name: a PDF seldom says it otherwise. "Medi" is the bold of URW's Times, "CMBX" and
// "SFBX" that of Computer Modern.
func IsBold(font string) bool {
	name := strings.ToLower(font)
	for _, mark := range []string{"bold", "-medi", "black", "heavy", "cmbx", "sfbx", "cmb10", "lmromandemi", "demi", "bxsc", "extrab"} {
		if strings.Contains(name, mark) {
			return true
		}
	}
	return strings.HasSuffix(name, "-bd") || strings.HasSuffix(name, ".b") || strings.HasSuffix(name, "tib")
}

// IsMath judges by the font's name: those of TeX for formulas.
func IsMath(font string) bool {
	name := strings.ToLower(font)
	for _, mark := range []string{"cmmi", "cmsy", "cmex", "msam", "msbm", "cmmib", "cmbsy", "math", "eufm", "rsfs", "stix", "txsy", "txmi", "pxmi", "symbol", "lmmi", "lmsy", "ntxmi", "ntxsy", "ntxex", "rtxmi", "txex", "zplm", "fourier", "mtmi", "mtsy"} {
		if strings.Contains(name, mark) {
			return true
		}
	}
	return false
}
