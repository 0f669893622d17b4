package minilm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"airqa/env/embed"
	"airqa/env/embed/minilm/weights"
)

// Shape of the encoder; kernel.h has the same numbers.
const (
	layers     = 6
	heads      = 12
	headDim    = 32
	hidden     = 1536
	vocabulary = 30522
	positions  = 512 // stored; a text uses the first maxPieces
)

// source is a set of weights before it is laid out.
type source struct {
	name       string
	file       *weights.File
	vocabulary string
	digest     string // of the file's data
}

func readDir(dir string) (data []byte, vocabulary string, err error) {
	if data, err = os.ReadFile(filepath.Join(dir, "model.safetensors")); err != nil {
		return nil, "", fmt.Errorf("open model: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "vocab.txt"))
	if err != nil {
		return nil, "", fmt.Errorf("open model: %w", err)
	}
	return data, string(text), nil
}

// nameOf is the folder's own name: the name that people know a model by, on any machine.
func nameOf(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}

func (s source) info() embed.Info {
	sum := sha256.Sum256([]byte(s.digest + s.vocabulary))
	return embed.Info{Model: s.name, Hash: hex.EncodeToString(sum[:]), Dim: Dim, Window: windowPieces}
}

// check asks for every tensor that the encoder reads, so that a wrong file fails when it is opened.
func (s source) check() error {
	if n := lines(s.vocabulary); n != vocabulary {
		return fmt.Errorf("vocab.txt has %d lines, want %d", n, vocabulary)
	}
	if _, err := readTables(s.file); err != nil {
		return err
	}
	for l := range layers {
		if _, err := readLayer(s.file, l); err != nil {
			return err
		}
	}
	return nil
}

// lines counts lines; the last one need not end.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// layerNorm is the weight and the bias of a LayerNorm.
type layerNorm struct{ weight, bias []float32 }

// linear is a matrix of outputs x inputs, and its bias.
type linear struct {
	weight weights.Matrix
	bias   []float32
}

// layer is one of the six, as stored.
type layer struct {
	query, key, value, out linear
	first, second          linear // feed-forward: 384 to 1536 to 384
	afterOut, afterSecond  layerNorm
}

// tables give a token its first vector.
type tables struct {
	word, position, kind weights.Matrix
	norm                 layerNorm
}

// reader takes tensors from a file until one fails.
type reader struct {
	file *weights.File
	err  error
}

func (r *reader) matrix(name string, rows, cols int) weights.Matrix {
	m, err := r.file.Matrix(name, rows, cols)
	if r.err == nil {
		r.err = err
	}
	return m
}

func (r *reader) vector(name string, n int) []float32 {
	v, err := r.file.Vector(name, n)
	if r.err == nil {
		r.err = err
	}
	return v
}

func (r *reader) linear(name string, out, in int) linear {
	return linear{r.matrix(name+".weight", out, in), r.vector(name+".bias", out)}
}

func (r *reader) norm(name string) layerNorm {
	return layerNorm{r.vector(name+".weight", Dim), r.vector(name+".bias", Dim)}
}

func readTables(f *weights.File) (tables, error) {
	r := reader{file: f}
	t := tables{
		word:     r.matrix("embeddings.word_embeddings.weight", vocabulary, Dim),
		position: r.matrix("embeddings.position_embeddings.weight", positions, Dim),
		kind:     r.matrix("embeddings.token_type_embeddings.weight", 2, Dim),
		norm:     r.norm("embeddings.LayerNorm"),
	}
	return t, r.err
}

func readLayer(f *weights.File, l int) (layer, error) {
	r := reader{file: f}
	at := fmt.Sprintf("encoder.layer.%d.", l)
	out := layer{
		query:       r.linear(at+"attention.self.query", Dim, Dim),
		key:         r.linear(at+"attention.self.key", Dim, Dim),
		value:       r.linear(at+"attention.self.value", Dim, Dim),
		out:         r.linear(at+"attention.output.dense", Dim, Dim),
		afterOut:    r.norm(at + "attention.output.LayerNorm"),
		first:       r.linear(at+"intermediate.dense", hidden, Dim),
		second:      r.linear(at+"output.dense", Dim, hidden),
		afterSecond: r.norm(at + "output.LayerNorm"),
	}
	return out, r.err
}
