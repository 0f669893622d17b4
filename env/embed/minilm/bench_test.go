package minilm_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"airqa/env/embed/minilm"
)

// texts returns n texts with the given number of pieces, including [CLS] and [SEP].
func texts(n, pieces int) []string {
	words := strings.Fields("the model reads a paper and answers one question about its tables figures text and methods")
	out := make([]string, n)
	for i := range out {
		var b strings.Builder
		for j := range pieces - 2 {
			b.WriteString(words[(i+j*j)%len(words)] + " ")
		}
		out[i] = b.String()
	}
	return out
}

// few is a number of texts: n, or an eighth of it with -short.
func few(n int) int {
	if testing.Short() {
		return max(n/8, 1)
	}
	return n
}

func embedAll(b *testing.B, c minilm.Config, n, pieces int) {
	m := open(b, c)
	batch := texts(n, pieces)
	if got := len(m.Tokenize(batch[0])); got != pieces {
		b.Fatalf("text has %d pieces, want %d", got, pieces)
	}
	if _, err := m.Embed(b.Context(), batch[:1]); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := m.Embed(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "texts/s")
}

func BenchmarkEmbed127(b *testing.B) {
	for _, k := range minilm.Kernels() {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", k, threads), func(b *testing.B) {
				embedAll(b, minilm.Config{Kernel: k, Threads: threads}, few(16*threads), 127)
			})
		}
	}
}

func BenchmarkQuery17(b *testing.B) {
	for _, k := range minilm.Kernels() {
		b.Run(k, func(b *testing.B) { embedAll(b, minilm.Config{Kernel: k}, 1, 17) })
	}
}

// BenchmarkTurns measures all kernels in turns, on one thread, so that other work on the machine slows all of them alike:
// texts of 127 pieces per second of processor time, and the median of the ratios to the named kernels in each turn.
func BenchmarkTurns(b *testing.B) {
	var models []*minilm.Model
	for _, k := range minilm.Kernels() {
		models = append(models, open(b, minilm.Config{Kernel: k, Threads: 1}))
	}
	batch := texts(few(8), 127)
	rates := make([][]float64, len(models))
	for b.Loop() {
		for i, m := range models {
			before := processorTime(b)
			if _, err := m.Embed(b.Context(), batch); err != nil {
				b.Fatal(err)
			}
			rates[i] = append(rates[i], float64(len(batch))/(processorTime(b)-before).Seconds())
		}
	}
	for i, k := range minilm.Kernels() {
		b.ReportMetric(median(rates[i]), k+"/s")
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// BenchmarkShort measures the rate of short texts, which share passes.
func BenchmarkShort(b *testing.B) { embedAll(b, minilm.Config{}, 128, 17) }

// BenchmarkLoad measures the time to load the weights.
func BenchmarkLoad(b *testing.B) {
	for _, k := range minilm.Kernels() {
		b.Run(k, func(b *testing.B) {
			for b.Loop() {
				m := open(b, minilm.Config{Kernel: k})
				if _, err := m.Embed(b.Context(), []string{""}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
