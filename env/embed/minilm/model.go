// Package minilm computes the text vectors of all-MiniLM-L6-v2 in process: WordPiece tokenizer, encoder, mean pooling.
// The program embeds 8-bit weights, so it works without a network; alternatively, it loads the full-precision files
// from a folder. Start from [Open] and [Model.Embed]. A [Model] is an embed.Embedder.
//
// The encoder reads at most 256 pieces of a text and ignores the rest; [Model.Windows] splits longer texts. The encoder
// is written in C and compiled for several instruction sets; the fastest one that the CPU supports is used. The package
// supports neither training nor other models.
package minilm

import (
	"context"
	_ "embed" // weights and vocabulary
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"airqa/env/embed"
)

//go:embed model-int8.safetensors
var embedded []byte

//go:embed vocab.txt
var embeddedVocabulary string

// Dim is the dimension of the vectors.
const Dim = 384

// Config selects the weights and the kernel. The zero value is the default.
type Config struct {
	// Dir is a folder with model.safetensors and vocab.txt, such as a checkout of the model. Empty means the embedded
	// 8-bit weights, whose vectors have a cosine of at least 0.999 to the full-precision ones.
	Dir string
	// OneVector leaves passages whole: one vector each, of the first 256 pieces with [CLS] and [SEP], like the maximum sequence
	// length of the published sentence-transformers model. Otherwise they are cut into windows.
	OneVector bool
	// Threads is the maximum number of cores that all calls together use; 0 means GOMAXPROCS. A single text uses one core.
	Threads int
	// Kernel is one of Kernels(), for tests and comparisons; empty means the fastest one for the CPU and the weights.
	Kernel string
}

// Model embeds texts. It is safe for concurrent use.
type Model struct {
	info  embed.Info
	cores cores
	load  func() (*encoder, error)
	words func() *wordPiece
}

// Open checks the weights and their shapes. With Config.Dir it reads the whole file and keeps it in memory; otherwise
// it reads only a header. The first [Model.Embed] packs the weights for the CPU.
func Open(c Config) (*Model, error) {
	src, err := open(c.Dir)
	if err != nil {
		return nil, err
	}
	k, err := pick(c.Kernel, src.reduced)
	if err != nil {
		return nil, err
	}
	if c.Threads <= 0 {
		c.Threads = runtime.GOMAXPROCS(0)
	}
	m := &Model{info: src.info(), cores: make(cores, c.Threads)}
	if c.OneVector {
		m.info.OneVector, m.info.Window = true, maxPieces
	}
	if c.Dir != "" {
		if m.info.Weights, err = filepath.Abs(c.Dir); err != nil {
			return nil, err
		}
	}
	m.load = sync.OnceValues(func() (*encoder, error) { return newEncoder(src.file, k, m.cores) })
	m.words = sync.OnceValue(func() *wordPiece { return newWordPiece(src.vocabulary) })
	return m, nil
}

// Info identifies the weights. The digest covers weights and vocabulary, so the 8-bit and the full-precision form
// differ: their vectors are close, but a collection should not mix them.
func (m *Model) Info() embed.Info { return m.info }

// Tokenize returns the token ids of a text: 101 for [CLS] first, 102 for [SEP] last, at most 256.
func (m *Model) Tokenize(text string) []int {
	ids := m.words().encode(text)
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = int(id)
	}
	return out
}

// Windows splits a text of more than 100 pieces between words, ideographs and punctuation, unless passages have one vector.
func (m *Model) Windows(text string) []string {
	if m.info.OneVector || len(text) <= m.info.Window { // a piece has at least one byte
		return []string{text}
	}
	return embed.Cut(text, m.words().parts(text), m.info.Window)
}

// PartRead is the number of pieces at the start of a text that Embed reads; 0 for all of them.
func (m *Model) PartRead(text string) int {
	const most = maxPieces - 2 // besides [CLS] and [SEP]
	total := 0
	for _, p := range m.words().parts(text) {
		if total += p.Tokens; total > most {
			return most
		}
	}
	return 0
}

// Embed returns one unit vector of [Dim] numbers per text, even for an empty one. Other texts in the same call do not
// change a vector. It fails if ctx ends, which is checked after every 200 pieces or so, or if the weights cannot be
// loaded.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil || len(texts) == 0 {
		return nil, err
	}
	net, err := m.load()
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", m.info.Model, err)
	}
	words := m.words()
	ids := make([][]int32, len(texts))
	if err := m.cores.each(ctx, len(texts), func(i int) { ids[i] = words.encode(texts[i]) }); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	groups := group(ids, cap(m.cores))
	if err := m.cores.each(ctx, len(groups), func(i int) { net.embed(groups[i], ids, out) }); err != nil {
		return nil, err
	}
	for _, v := range out {
		var squares float32
		for _, x := range v {
			squares += x * x
		}
		if !(squares > 0.99 && squares < 1.01) { // weights that are not finite or too large make whole vectors invalid
			return nil, errors.New("embed: the weights yield invalid vectors")
		}
	}
	return out, nil
}

// TokenVectors returns a vector of [Dim] numbers for each piece that Embed reads of a text, but [CLS] and [SEP]: the output of the
// last layer, of any length.
func (m *Model) TokenVectors(ctx context.Context, text string) (list [][]float32, err error) {
	net, err := m.load()
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", m.info.Model, err)
	}
	ids := [][]int32{m.words().encode(text)}
	err = m.cores.each(ctx, 1, func(int) {
		x := net.embed([]int{0}, ids, make([][]float32, 1))
		list = slices.Collect(slices.Chunk(x[Dim:len(x)-Dim], Dim))
	})
	return list, err
}

var _ embed.Embedder = (*Model)(nil)
