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
		")א( 12 34,":                    "12 34, (א)",
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
		for i, w := range ByPlace(logical(words)) {
			if w.Box != words[i].Box {
				t.Errorf("%q: word %d is not put back", printed, i)
			}
		}
	}
}

// Marks beside a number are printed on the other side of it where lines are read from the right, and brackets open to the left.
func TestFromRight(t *testing.T) {
	for printed, want := range map[string]string{
		".3.5": "3.5.", ",12": "12,", ":7": "7:", "5-": "-5", "0.5−": "−0.5", "-5": "-5", "8%": "8%", "$7": "$7", "5$": "5$", "3:1": "3:1", "10-20": "10-20",
		".81.2±0.3": "81.2±0.3.", "1,200": "1,200", ".(2019)": "(2019).", "1(.": "1).", ")הכל": "(הכל", ".90%": "90%.", "?42": "42?", "—": "—", "": "",
	} {
		if got := fromRight(Word{Text: printed}); got != want {
			t.Errorf("%q is read %q, want %q", printed, got, want)
		}
	}
}
