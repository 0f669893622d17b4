package minilm_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/embed/minilm"
)

func open(t testing.TB, c minilm.Config) *minilm.Model {
	t.Helper()
	m, err := minilm.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func embed(t testing.TB, m *minilm.Model, texts ...string) [][]float32 {
	t.Helper()
	got, err := m.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A text's vector does not depend on the other texts in the call.
func TestCompany(t *testing.T) {
	batch := append(texts(9, 17), "", "one", texts(1, 300)[0], texts(1, 150)[0], "")
	for _, k := range minilm.Kernels() {
		if k == "portable" && len(minilm.Kernels()) > 1 {
			continue // the same code as the others, and slow
		}
		t.Run(k, func(t *testing.T) {
			m := open(t, minilm.Config{Kernel: k, Threads: 2})
			var alone [][]float32
			for _, text := range batch {
				alone = append(alone, embed(t, m, text)...)
			}
			if diff := cmp.Diff(alone, embed(t, m, batch...)); diff != "" {
				t.Errorf("(-alone +together):\n%s", diff)
			}
		})
	}
}

func TestConcurrentEmbed(t *testing.T) {
	m := open(t, minilm.Config{Threads: 2})
	var wait sync.WaitGroup
	got := make([][][]float32, 4)
	for i := range got {
		wait.Go(func() { got[i], _ = m.Embed(context.Background(), texts(5, 9)) })
	}
	wait.Wait()
	for i := range got {
		if diff := cmp.Diff(got[0], got[i]); diff != "" || len(got[i]) != 5 {
			t.Errorf("call %d gives %d vectors; to the first (-first +this):\n%s", i, len(got[i]), diff)
		}
	}
}

func TestCancelled(t *testing.T) {
	m := open(t, minilm.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := m.Embed(ctx, []string{"a text"}); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("got %v, %v, want nothing and context.Canceled", got, err)
	}
}

func TestNoTexts(t *testing.T) {
	if got := embed(t, open(t, minilm.Config{})); len(got) != 0 {
		t.Errorf("got %d vectors for no texts", len(got))
	}
}

func TestInfo(t *testing.T) {
	got := open(t, minilm.Config{}).Info()
	if got.Model != "all-MiniLM-L6-v2/int8" || got.Dim != minilm.Dim || len(got.Hash) != 64 {
		t.Errorf("got %+v", got)
	}
}

func TestFullPrecisionHasAnotherHash(t *testing.T) {
	full := open(t, minilm.Config{Dir: fullDir(t)}).Info()
	if err := full.Check(open(t, minilm.Config{}).Info()); err == nil {
		t.Error("vectors of the full model pass for those of the 8-bit one")
	}
}

func TestFullPrecisionNeedsOtherKernels(t *testing.T) {
	dir := fullDir(t)
	for _, k := range minilm.Kernels() {
		if _, err := minilm.Open(minilm.Config{Dir: dir, Kernel: k}); (err != nil) != bytesKernel(k) {
			t.Errorf("kernel %s: got error %v", k, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	vocab, err := os.ReadFile("vocab.txt")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		config  minilm.Config
		files   map[string]string
		wantErr string
	}{
		{"unknown kernel", minilm.Config{Kernel: "abacus"}, nil, `kernel "abacus"`},
		{"empty folder", minilm.Config{}, map[string]string{}, "model.safetensors"},
		{"no vocabulary", minilm.Config{}, map[string]string{"model.safetensors": ""}, "vocab.txt"},
		{"cut file", minilm.Config{}, map[string]string{"model.safetensors": "\x05\x00", "vocab.txt": string(vocab)}, "2 bytes"},
		{
			"another model",
			minilm.Config{},
			map[string]string{"model.safetensors": "\x02\x00\x00\x00\x00\x00\x00\x00{}", "vocab.txt": string(vocab)},
			"no tensor",
		},
		{
			"short vocabulary",
			minilm.Config{},
			map[string]string{"model.safetensors": "\x02\x00\x00\x00\x00\x00\x00\x00{}", "vocab.txt": "[PAD]\n"},
			"1 lines",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.files != nil {
				tt.config.Dir = t.TempDir()
			}
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(tt.config.Dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := minilm.Open(tt.config); err == nil || !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("got %v, want an error with %q", err, tt.wantErr)
			}
		})
	}
}

// Well-formed files with non-finite numbers are refused on use and yield no vectors.
func TestSpoiltWeights(t *testing.T) {
	data, err := os.ReadFile("model-int8.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	header := data[8 : 8+binary.LittleEndian.Uint64(data)]
	var tensors map[string]struct {
		Offsets []int `json:"data_offsets"`
	}
	if err := json.Unmarshal(header, &tensors); err != nil {
		t.Fatal(err)
	}
	at := 8 + len(header) + tensors["encoder.layer.5.output.LayerNorm.weight"].Offsets[0]
	binary.LittleEndian.PutUint32(data[at+4*100:], math.Float32bits(float32(math.NaN())))
	dir := t.TempDir()
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "model.safetensors"), data, 0o600),
		os.Symlink(absolute(t, "vocab.txt"), filepath.Join(dir, "vocab.txt")),
	); err != nil {
		t.Fatal(err)
	}
	m := open(t, minilm.Config{Dir: dir})
	if got, err := m.Embed(t.Context(), []string{"a"}); err == nil {
		t.Errorf("got %v", got)
	}
	if err := m.Info().Check(open(t, minilm.Config{}).Info()); err == nil {
		t.Error("other weights have the same digest")
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
