package ingest

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/encoding/charmap"

	"airqa/ingest/layout"
)

const (
	russian = "Требуется провести широкий анализ практического применения адаптивного метода выделения сигнала на фоне зашумлённых данных. " +
		"Каждая из подзадач является достаточно самостоятельной и полноценной задачей, поэтому под каждую из них отведён отдельный раздел."
	greek = "Η παρούσα εργασία εξετάζει τη χρήση μεθόδων μηχανικής μάθησης για την ανάλυση κειμένων και παρουσιάζει τα αποτελέσματα των πειραμάτων " +
		"που πραγματοποιήθηκαν σε δεδομένα από επιστημονικές δημοσιεύσεις των τελευταίων ετών"
	french    = "Là où l'été décrété a été préféré, les élèves zélés ont répété à côté de la forêt; dès l'arrivée, le célèbre évêque a créé une société"
	icelandic = "Það var í fyrra að hún sá þá við ána; síðan hafa þær öll árin átt þar góða daga og þótt öðrum þætti kalt, þá þótti þeim hlýtt"
)

// asLatin returns text as PDFium shows its codes.
func asLatin(t *testing.T, table *charmap.Charmap, text string) string {
	t.Helper()
	raw, err := table.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := charmap.Windows1252.NewDecoder().String(raw)
	if err != nil {
		t.Fatal(err)
	}
	return shown
}

func glyphsOf(text string, unmapped bool) []layout.Input {
	var in layout.Input
	for _, r := range text {
		in.Glyphs = append(in.Glyphs, layout.Glyph{Rune: r, Font: "F1", Unmapped: unmapped})
	}
	return []layout.Input{in}
}

func runes(inputs []layout.Input) string {
	var b strings.Builder
	for _, g := range inputs[0].Glyphs {
		b.WriteRune(g.Rune)
	}
	return b.String()
}

func TestFontsWithoutAUnicodeMapAreDecoded(t *testing.T) {
	t2a := strings.NewReplacer("ё", "ј") // TeX has ё at the code that CP1251 has ј at
	shifted := strings.Map(func(r rune) rune {
		if r == ' ' {
			return r
		}
		return r - 29
	}, strings.Repeat("identity fonts count their glyphs from one ", 10))
	tests := []struct {
		name, shown, want, problem string
		unmapped, illegible        bool
	}{
		{"CP1251", asLatin(t, charmap.Windows1251, russian), russian, "read as Cyrillic (CP1251)", true, false},
		{"KOI8-R", asLatin(t, charmap.KOI8R, russian), russian, "read as Cyrillic (KOI8-R)", true, false},
		{"ISO 8859-5", asLatin(t, charmap.ISO8859_5, strings.ReplaceAll(russian, "ё", "е")), strings.ReplaceAll(russian, "ё", "е"), "read as Cyrillic (ISO 8859-5)", true, false},
		{"T2A", asLatin(t, charmap.Windows1251, t2a.Replace(russian)), russian, "read as Cyrillic (T2A)", true, false},
		{"Greek", asLatin(t, charmap.Windows1253, greek), greek, "read as Greek (CP1253)", true, false},
		{"French", french, french, "", false, false},
		{"Icelandic", icelandic, icelandic, "", false, false},
		{"Unicode", russian, russian, "", false, false},
		{"ASCII codes", strings.Repeat("bitmap fonts of dvips have the codes of letters ", 10), "", "", true, false},
		{"codes from 1", shifted, shifted, "the fonts of 100% of the letters have no Unicode map", true, true},
		{"no language", strings.Repeat("ÇÈÉÊËÌÐÑÒÓÔÕÖ×ÿýþ", 20), "", "most letters are wrong", true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inputs, texts := glyphsOf(tt.shown, tt.unmapped), []string{tt.shown}
			problem, illegible := decodeFonts(inputs, texts, func() string { return "" })
			if (problem == "") != (tt.problem == "") || !strings.Contains(problem, tt.problem) || illegible != tt.illegible {
				t.Errorf("problem %q, illegible %v", problem, illegible)
			}
			if tt.want == "" {
				tt.want = tt.shown
			}
			if got := runes(inputs); got != tt.want || texts[0] != tt.want {
				t.Errorf("got %q\nand %q", got, texts[0])
			}
		})
	}
}

func TestTheOutlineSupportsAnEncoding(t *testing.T) {
	// A list of names has other letters than ordinary text.
	names := strings.Repeat("Щукин Жуков Чугунов Шульгин Юдин Фёдоров Хвощ Эйхе Цыбуля Бубнов Гуськов Зыков Дымов Мухин Пухов Ухов Яхно Ёжиков ", 3)
	shown := asLatin(t, charmap.Windows1251, strings.ToUpper(names[:len(names)/3])+names)
	for _, supported := range []bool{false, true} {
		inputs := glyphsOf(shown, true)
		_, illegible := decodeFonts(inputs, []string{shown}, func() string {
			if supported {
				return "Список имён"
			}
			return "A list"
		})
		if cyrillic := strings.IndexFunc(runes(inputs), func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) >= 0; cyrillic != supported || illegible == supported {
			t.Errorf("outline in Cyrillic %v: decoded %v, illegible %v", supported, cyrillic, illegible)
		}
	}
}
