package layout_test

import (
	"fmt"
	"strings"
	"testing"

	"airqa/ingest/layout"
	"airqa/internal/testkit/layouttest"
)

// captioned returns the roles of the lines of a page of text with one line apart from it.
func captioned(size float64, font, line string) layout.Role {
	p := layouttest.NewPage()
	y := p.Lines(72, 80, column("above", 6)...)
	p.Set(150, y+40, size, font, line)
	p.Lines(72, y+90, column("below", 6)...)
	for _, l := range layouttest.Analyze(p).Pages[0].Lines {
		if strings.HasPrefix(l.Text(), line) {
			return l.Role
		}
	}
	return -1
}

func TestCaptionsInOtherLanguages(t *testing.T) {
	tests := []struct {
		caption, number string
		table           bool
	}{
		{"Figure S3. The model", "S3", false},
		{"Extended Data Fig. 2 | The model", "2", false},
		{"Supplementary Table 1: Scores", "1", true},
		{"Fig. 3a. The model", "3a", false},
		{"Figure 3 – The model", "3", false},
		{"Obrázek 12: Model", "12", false},
		{"Obr. 2. Model", "2", false},
		{"Tabulka 3: Výsledky", "3", true},
		{"Rysunek 1. Model", "1", false},
		{"Rys. 2: Model", "2", false},
		{"Tabela 4. Wyniki", "4", true},
		{"Abbildung 1.2: Das Modell", "1.2", false},
		{"Abb. 5: Das Modell", "5", false},
		{"Tabelle 2: Werte", "2", true},
		{"FIGURE 3 – Le modèle", "3", false},
		{"Tableau 1 : Résultats", "1", true},
		{"Figura 7. El modelo", "7", false},
		{"Gráfico 1: Ventas", "1", false},
		{"Cuadro 2. Resultados", "2", true},
		{"Tabla 1: Resultados", "1", true},
		{"Quadro 1 – Resultados", "1", true},
		{"Tabella 3: Risultati", "3", true},
		{"Рис. 1. Модель", "1", false},
		{"Рисунок 2 – Модель", "2", false},
		{"Таблица 1 — Результаты", "1", true},
		{"РИСУНОК 4: Модель", "4", false},
		{"Εικόνα 1.1: Το μοντέλο", "1.1", false},
		{"ΣΧΗΜΑ 2. Το μοντέλο", "2", false},
		{"Πίνακας 3: Αποτελέσματα", "3", true},
		{"图1：模型结构", "1", false},
		{"图 2-3. 模型结构", "2-3", false},
		{"表 1: 结果", "1", true},
		{"図3：提案手法", "3", false},
		{"그림 1. 제안한 모델", "1", false},
		{"<그림 2> 제안한 모델", "2", false},
		{"[표 3] 결과", "3", true},
		{"Şekil 1. Model", "1", false},
		{"1. ábra: A modell", "1", false},
		{"2. táblázat: Eredmények", "2", true},
		{"Obrazek 1: without accents", "1", false},
	}
	for _, tt := range tests {
		t.Run(tt.caption, func(t *testing.T) {
			if got := captioned(9, layouttest.Roman, tt.caption); got != layout.Caption {
				t.Errorf("role %d", got)
			}
			number, table, ok := layout.CaptionLabel(tt.caption)
			if number != tt.number || table != tt.table || !ok {
				t.Errorf("number %q, table %v, ok %v", number, table, ok)
			}
		})
	}
}

// A label without punctuation is a caption if its type differs from that of the text.
func TestCaptionsWithoutPunctuation(t *testing.T) {
	for _, line := range []string{"Figura 2 Modelo de datos", "Рисунок 2 Модель данных", "그림 2 제안한 모델", "图 2 模型结构"} {
		if got := captioned(8, layouttest.Roman, line); got != layout.Caption {
			t.Errorf("%s in smaller type: role %d", line, got)
		}
		sentence := layouttest.NewPage()
		y := sentence.Lines(72, 80, column("above", 6)...)
		sentence.Lines(72, y, line)
		for _, l := range layouttest.Analyze(sentence).Pages[0].Lines {
			if l.Role == layout.Caption {
				t.Errorf("%s in the text is a caption", line)
			}
		}
	}
}

func TestEntriesOfAListAreNoCaptions(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(72, 80, 14, layouttest.Bold, "Seznam obrázků")
	for i := range 4 {
		y := 110 + 30*float64(i)
		p.Lines(72, y, fmt.Sprintf("Obrázek %d: Vizualizace komunikace mezi klientem a serverem pomocí protokolu", i+1), "v aplikaci . . . . . . . . . . . . . . 12")
	}
	for _, l := range layouttest.Analyze(p).Pages[0].Lines {
		if l.Role == layout.Caption {
			t.Errorf("%q is a caption", l.Text())
		}
	}
}

func TestWithoutAccents(t *testing.T) {
	for in, want := range map[string]string{"Résumé": "Resume", "Závěr": "Zaver", "図１": "図1", "한글": "한글", "plain": "plain"} {
		if got := layout.WithoutAccents(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
