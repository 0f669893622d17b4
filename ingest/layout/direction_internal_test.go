package layout

import (
	"strings"
	"testing"
)

// Words are sorted from left to right as printed and read in the order of their letters.
func TestLogical(t *testing.T) {
	for printed, want := range map[string]string{
		"The cat sat":                   "The cat sat",
		"םידדוב אל םירפס":               "םירפס אל םידדוב",
		"printed by ןהכ הרש in 2019":    "printed by הרש ןהכ in 2019",
		"לדומה BERT Base ץופנ":          "ץופנ BERT Base לדומה",
		"תודוקנ 84.6 לש האצות":          "האצות לש 84.6 תודוקנ",
		"2.5 ± 0.1 לש :האצות":           ":האצות לש 2.5 ± 0.1",
		"العلمية الملفات قراءة":         "قراءة الملفات العلمية",
		"see ב א and ד ג , then":        "see א ב and ג ד , then",
		"7 × 10^20 123":                 "7 × 10^20 123",
		"(א) 12 ,34":                    "12 ,34 (א)",
		"Model ב א Acc. 1 2 3":          "Model א ב Acc. 1 2 3",
		"ו A B C D E F G H I J K L M א": "ו A B C D E F G H I J K L M א",
	} {
		var words []Word
		for i, text := range strings.Fields(printed) {
			words = append(words, Word{Text: text, Box: Box{X0: float64(10 * i), X1: float64(10*i + 8)}})
		}
		if got := joinWords(logical(words)); got != want {
			t.Errorf("%q is read %q, want %q", printed, got, want)
		}
		if got := joinWords(ByPlace(logical(words))); got != printed {
			t.Errorf("%q is put back to %q", printed, got)
		}
	}
}
