package main

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"
	"unicode"

	"airqa/env/embed"
	"airqa/env/embed/minilm"
)

// BenchmarkStaticRecall is BenchmarkPassageRecall without the encoder.
func BenchmarkStaticRecall(b *testing.B) {
	papers := os.Getenv("AIRQA_TEST_PDFS")
	if papers == "" || testing.Short() {
		b.Skip("AIRQA_TEST_PDFS names no folder of papers, or -short is set")
	}
	static := benchEmbedders(b)[1]
	for b.Loop() {
		measureRecall(b, papers, static)
	}
	b.ReportMetric(0, "ns/op")
}

// staticModel is the mean of one constant vector per word piece, weighted by the piece's rank in the vocabulary.
type staticModel struct {
	*minilm.Model
	table [][]float32
}

// benchEmbedders returns the built-in model and its static form: the vectors of single pieces, centred, without their 20
// largest principal components, with weights a/(a+p) for the probability p of a piece by Zipf's law, and 0 for
// punctuation.
func benchEmbedders(b *testing.B) []embed.Embedder {
	b.Helper()
	model, err := minilm.Open(minilm.Config{})
	if err != nil {
		b.Fatal(err)
	}
	raw, err := os.ReadFile("../../env/embed/minilm/vocab.txt")
	if err != nil {
		b.Fatal(err)
	}
	pieces := strings.Fields(string(raw))
	for i, p := range pieces {
		pieces[i] = strings.TrimPrefix(p, "##")
	}
	table, err := model.Embed(b.Context(), pieces)
	if err != nil {
		b.Fatal(err)
	}
	removeComponents(table, 20)
	const a = 3e-5
	harmonic := math.Log(float64(len(table))) + 0.5772
	for id, v := range table {
		weight := float32(a / (a + 1/(float64(id+1)*harmonic)))
		if !strings.ContainsFunc(pieces[id], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			weight = 0
		}
		for j := range v {
			v[j] *= weight
		}
	}
	return []embed.Embedder{model, staticModel{model, table}}
}

// removeComponents centres the vectors and removes their n largest principal components, found by power iteration.
func removeComponents(table [][]float32, n int) {
	covariance := make([][minilm.Dim]float64, minilm.Dim)
	var mean [minilm.Dim]float32
	for _, v := range table {
		for j, x := range v {
			mean[j] += x / float32(len(table))
		}
	}
	for _, v := range table {
		for j := range v {
			v[j] -= mean[j]
		}
		for j, x := range v {
			for k, y := range v {
				covariance[j][k] += float64(x * y)
			}
		}
	}
	for c := range n {
		u, value := largestComponent(covariance, c)
		for j := range u {
			for k := range u {
				covariance[j][k] -= value * u[j] * u[k]
			}
		}
		for _, v := range table {
			var along float64
			for j, x := range v {
				along += float64(x) * u[j]
			}
			for j := range v {
				v[j] -= float32(along * u[j])
			}
		}
	}
}

func largestComponent(m [][minilm.Dim]float64, start int) (u [minilm.Dim]float64, value float64) {
	u[start] = 1
	for range 100 {
		var next [minilm.Dim]float64
		var squares float64
		for j := range next {
			for k, x := range u {
				next[j] += m[j][k] * x
			}
			squares += next[j] * next[j]
		}
		value = math.Sqrt(squares)
		for j := range next {
			u[j] = next[j] / value
		}
	}
	return u, value
}

func (s staticModel) Info() embed.Info {
	info := s.Model.Info()
	return embed.Info{Model: "static", Hash: "static " + info.Hash, Dim: info.Dim, Window: info.Window}
}

func (s staticModel) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, minilm.Dim)
		v[0] = 1e-9 // a text without a known piece has a unit vector, too
		ids := s.Tokenize(text)
		for _, id := range ids[1 : len(ids)-1] {
			for j, x := range s.table[id] {
				v[j] += x
			}
		}
		var squares float64
		for _, x := range v {
			squares += float64(x) * float64(x)
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(squares))
		}
		out[i] = v
	}
	return out, nil
}
