package words_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"airqa/internal/words"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"two or more word characters", "A GAN, an x1 and_so 7 42", []string{"gan", "an", "x1", "and_so", "42"}},
		{"letters of all scripts", "Überfluß ŁÓDŹ Ω β2", []string{"überfluß", "łódź", "β2"}},
		{"a combining mark breaks a word", "cafe\u0301s", []string{"cafe"}},
		{"numbers that are no digits", "x² ½¾", []string{"x²", "½¾"}},
		{"nothing", " - ", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, slices.Clip(words.Tokens(tt.text)), cmp.Comparer(slices.Equal[[]string])); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

var (
	survey = []string{
		"Neural networks learn representations.", "Graph neural networks: a survey.", "The survey of relational databases",
		"Databases and graph queries", "Neural graph search",
	}
	query = "a survey of graph databases"
)

func TestWorkedExample(t *testing.T) {
	var tokenized [][]string
	for _, d := range survey {
		tokenized = append(tokenized, words.Tokens(d))
	}
	tests := []struct {
		name      string
		got, want []float64
	}{
		{"TF-IDF", words.FitTFIDF(survey, words.TFIDFOptions{}).Scores(query), []float64{0, 0.447070, 0.669196, 0.376559, 0.196356}},
		{"TF-IDF, stop list", words.FitTFIDF(survey, words.TFIDFOptions{StopWords: true}).Scores(query), []float64{0, 0.560411, 0.648569, 0.573528, 0.246137}},
		{"BM25", words.NewBM25(tokenized).Scores(words.Tokens(query)), []float64{0, 0.511960, 1.592411, 0.511960, 0.197733}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { near(t, tt.got, tt.want) })
	}
}

func near(t *testing.T, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 5e-7 {
			t.Errorf("document %d: got %.7f, want %.6f", i+1, got[i], want[i])
		}
	}
}

func TestTFIDFEdges(t *testing.T) {
	accents := []string{"Café ﬁnance", "other words"}
	tests := []struct {
		name, query string
		documents   []string
		options     words.TFIDFOptions
		want        []float64
	}{
		{"accents and ligatures are stripped", "cafe finance", accents, words.TFIDFOptions{StripAccents: true}, []float64{1, 0}},
		{"accents stay by default", "cafe finance", accents, words.TFIDFOptions{}, []float64{0, 0}},
		{"unknown words", "nothing here", accents, words.TFIDFOptions{}, []float64{0, 0}},
		{"only stop words", "the and of", []string{"the and of", ""}, words.TFIDFOptions{StopWords: true}, []float64{0, 0}},
		{"the historical spellings are stop words", "couldnt hasnt", []string{"noone couldnt hasnt"}, words.TFIDFOptions{StopWords: true}, []float64{0}},
		{"no documents", "word", nil, words.TFIDFOptions{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { near(t, words.FitTFIDF(tt.documents, tt.options).Scores(tt.query), tt.want) })
	}
}

func TestBM25Edges(t *testing.T) {
	documents := [][]string{{"the", "cat"}, {"the", "dog"}, {"the", "cat", "cat"}, {"the"}}
	m := words.NewBM25(documents)
	// ln(0.5)-ln(4.5), 0 and ln(3.5)-ln(1.5) are the idf of the, cat and dog; a quarter of their mean replaces the first.
	floor := 0.25 * (math.Log(0.5/4.5) + math.Log(3.5/1.5)) / 3
	weight := func(f, length float64) float64 { return f * 2.5 / (f + 1.5*(0.25+0.75*length/2)) }
	near(t, m.Scores([]string{"the", "the"}), []float64{2 * floor * weight(1, 2), 2 * floor * weight(1, 2), 2 * floor * weight(1, 3), 2 * floor * weight(1, 1)})
	near(t, m.Scores([]string{"cat", "CAT", "absent"}), []float64{0, 0, 0, 0})
	near(t, words.NewBM25([][]string{nil, nil}).Scores([]string{"x"}), []float64{0, 0})
}

// The tokens are what NLTK 3.9's word_tokenize returns.
func TestTreebank(t *testing.T) {
	tests := []struct{ text, want string }{
		{`They'll say "it's (not) fine", won't they?`, "They 'll say `` it 's ( not ) fine '' , wo n't they ?"},
		{"The U.S. scored 3.88. Then 10,000 more...", "The U.S. scored 3.88 . Then 10,000 more ..."},
		{"I cannot use 'single quotes' -- gonna stop; 50% & more", "I can not use ' single quotes ' -- gon na stop ; 50 % & more"},
		{"state-of-the-art models (e.g. BERT) work.", "state-of-the-art models ( e.g. BERT ) work ."},
		{"", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(words.Treebank(tt.text), " "); got != tt.want {
			t.Errorf("Treebank(%q)\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}
