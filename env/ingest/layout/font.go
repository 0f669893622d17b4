package layout

import "strings"

// IsBold checks the name of the font, since a PDF seldom has other information. "Medi" is the bold of URW's Times,
// "CMBX" and "SFBX" that of Computer Modern.
func IsBold(font string) bool {
	name := strings.ToLower(font)
	for _, mark := range []string{"bold", "-medi", "black", "heavy", "cmbx", "sfbx", "cmb10", "lmromandemi", "demi", "bxsc", "extrab"} {
		if strings.Contains(name, mark) {
			return true
		}
	}
	return strings.HasSuffix(name, "-bd") || strings.HasSuffix(name, ".b") || strings.HasSuffix(name, "tib")
}

// IsMath checks whether the name is that of a TeX math font.
func IsMath(font string) bool {
	name := strings.ToLower(font)
	for _, mark := range []string{"cmmi", "cmsy", "cmex", "msam", "msbm", "cmmib", "cmbsy", "math", "eufm", "rsfs", "stix", "txsy", "txmi", "pxmi", "symbol", "lmmi", "lmsy", "ntxmi", "ntxsy", "ntxex", "rtxmi", "txex", "zplm", "fourier", "mtmi", "mtsy"} {
		if strings.Contains(name, mark) {
			return true
		}
	}
	return false
}
