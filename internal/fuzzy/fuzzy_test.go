package fuzzy_test

import (
	"bufio"
	"math"
	"os"
	"strings"
	"testing"

	"airqa/internal/fuzzy"
	"airqa/internal/python"
)

// rows reads a JSON Lines file; a lone surrogate in it stays what it is.
func rows(t *testing.T, path string) []*python.Dict {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	var out []*python.Dict
	for lines.Scan() {
		v, err := python.FromJSON(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v.(*python.Dict))
	}
	return out
}

// TestOracle compares the scores with what fuzzywuzzy gave for the same pairs: the four that evaluators use on
// one file, all ten on another.
func TestOracle(t *testing.T) {
	tests := []struct {
		file   string
		rows   int
		scores []string
	}{
		{"fuzz.jsonl", 500, []string{"ratio", "partial_ratio", "token_sort_ratio", "token_set_ratio"}},
		{"weighted.jsonl", 166, fuzzy.Names()},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			list := rows(t, "testdata/"+tt.file)
			if len(list) != tt.rows {
				t.Errorf("read %d rows, want %d", len(list), tt.rows)
			}
			for i, row := range list {
				checkRow(t, i+1, row, tt.scores)
			}
		})
	}
}

func checkRow(t *testing.T, number int, row *python.Dict, scores []string) {
	t.Helper()
	a, _ := row.Get("a")
	b, _ := row.Get("b")
	for _, name := range scores {
		want, _ := row.Get(name)
		if got := fuzzy.ByName(name)(a.(string), b.(string)); int64(got) != want {
			t.Errorf("row %d: %s = %d, want %v\na %q\nb %q", number, name, got, want, a, b)
		}
	}
}

func TestScores(t *testing.T) {
	tests := []struct {
		name, score, a, b string
		want              int
	}{
		{"no difflib", "ratio", "tide", "diet", 50},
		{"both empty", "ratio", "", "", 100},
		{"one empty", "ratio", "", "a", 0},
		{"half to even", "ratio", "aaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaa", 95},
		{"other case", "ratio", "BERT", "bert", 0},
		{"a part", "partial_ratio", "graph", "a graph network", 100},
		{"part of an empty text", "partial_ratio", "", "graph", 0},
		{"words in another order", "token_sort_ratio", "deep Graph-network", "graph network, DEEP", 100},
		{"nothing but signs", "token_sort_ratio", "...", "!!", 100},
		{"a subset of words", "token_set_ratio", "graph network", "a deep graph network", 100},
		{"no word in common", "token_set_ratio", "ab", "cd", 0},
		{"no words at all", "token_set_ratio", "...", "!!", 0},
		{"Latin-1 letters vanish", "token_sort_ratio", "naïve", "nave", 100},
		{"quotes and dashes become spaces", "token_sort_ratio", "“deep–net”", "net deep", 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fuzzy.ByName(tt.score)(tt.a, tt.b); got != tt.want {
				t.Errorf("%s(%q, %q) = %d, want %d", tt.score, tt.a, tt.b, got, tt.want)
			}
		})
	}
}

// TestRatioRounding pins a length at which (L-d)/L would round to another score.
func TestRatioRounding(t *testing.T) {
	common, a, b := "aaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbb", "ccccccccccccccccccccccc"
	if got := fuzzy.Ratio(common+a, common+b); got != 43 {
		t.Errorf("34 of 80 characters in common score %d, want 43", got)
	}
}

func TestByNameUnknown(t *testing.T) {
	if fuzzy.ByName("Ratio") != nil {
		t.Error("a name that fuzzywuzzy does not have is known")
	}
}

// TestLimit checks that no pair scores more than its lengths allow.
func TestLimit(t *testing.T) {
	for i, row := range rows(t, "testdata/weighted.jsonl") {
		a, _ := row.Get("a")
		b, _ := row.Get("b")
		if limit, ratio := fuzzy.Limit(a.(string), b.(string)), fuzzy.Ratio(a.(string), b.(string)); limit < ratio {
			t.Errorf("row %d: the limit is %d, the ratio %d", i+1, limit, ratio)
		}
	}
	if got := fuzzy.Limit("", ""); got != 100 {
		t.Errorf("the limit of two empty texts is %d, want 100", got)
	}
}

// invented returns n letters that follow from seed.
func invented(seed, n int) string {
	out := make([]byte, n)
	for i := range out {
		seed = (seed*1103515245 + 12345) % (1 << 31)
		out[i] = "abcd"[seed>>16&3]
	}
	return string(out)
}

// TestPartialRatioLong compares with fuzzywuzzy where alignments are split because of their size.
func TestPartialRatioLong(t *testing.T) {
	tests := []struct{ seedA, lengthA, seedB, lengthB, want int }{
		{1, 2000, 2, 2000, 66},
		{1, 2100, 2, 2100, 66},
		{3, 300, 4, 14000, 67},
		{5, 3000, 6, 3000, 65},
	}
	for _, tt := range tests {
		if got := fuzzy.PartialRatio(invented(tt.seedA, tt.lengthA), invented(tt.seedB, tt.lengthB)); got != tt.want {
			t.Errorf("lengths %d and %d score %d, want %d", tt.lengthA, tt.lengthB, got, tt.want)
		}
	}
}

// longestCommon is the plain way to the length of the longest common subsequence.
func longestCommon(a, b []rune) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// TestRatioLengths compares with the plain way around the lengths at which the reckoning changes.
func TestRatioLengths(t *testing.T) {
	foreign := strings.NewReplacer("a", "é", "d", "日")
	for _, n := range []int{1, 63, 64, 65, 127, 129, 255, 256, 257, 320} {
		for _, m := range []int{n, n + 7, 300} {
			a, b := invented(n, n), invented(m+1, m)
			for _, texts := range [][2]string{{a, b}, {foreign.Replace(a), foreign.Replace(b)}} {
				x, y := []rune(texts[0]), []rune(texts[1])
				total := len(x) + len(y)
				want := int(math.RoundToEven(100 * (1 - float64(total-2*longestCommon(x, y))/float64(total))))
				if got := fuzzy.Ratio(texts[0], texts[1]); got != want {
					t.Errorf("lengths %d and %d: %d, want %d\na %s\nb %s", n, m, got, want, texts[0], texts[1])
				}
			}
		}
	}
}

// No score exceeds the limit of its texts.
func TestLimitOf(t *testing.T) {
	texts := []string{
		"a", "ab", "x y", "the model", "The  model, learns.", "learns model the", "é", "é è model", strings.Repeat("model ", 9), strings.Repeat("a", 40), "model " + strings.Repeat("x", 60), "_",
		strings.Repeat("... ", 30) + "model", "模型 " + strings.Repeat("模", 30),
	}
	lower := 0
	for _, name := range fuzzy.Names() {
		for _, a := range texts {
			for _, b := range texts {
				limit := fuzzy.LimitOf(name, a, b)
				if got := fuzzy.ByName(name)(a, b); got > limit {
					t.Errorf("%s(%q, %q) = %d, above its limit %d", name, a, b, got, limit)
				}
				if limit < 100 {
					lower++
				}
			}
		}
	}
	if lower < 300 {
		t.Errorf("%d limits are below 100", lower)
	}
}
