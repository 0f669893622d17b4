// Package minilm computes the text vectors of all-MiniLM-L6-v2 in process: WordPiece, the encoder, mean pooling. The
// weights are part of the program, in 8 bits, so that it works without a network; a folder with the full-precision
// files can be given instead. Start from [Open] and [Model.Embed]; it implements embed.Embedder.
//
// A text becomes at most 256 pieces; what is longer is cut, unless [Model.Windows] divides it before. The encoder is C, written once and compiled for several
// instruction sets; the fastest that the CPU has is taken. The package trains nothing and knows no other model.
package minilm

import (
	"context"
	_ "embed" // for the weights and the vocabulary
	"errors"
	"fmt"
	"runtime"
	"sync"

	"airqa/env/embed"
	"airqa/env/embed/minilm/weights"
)

//go:embed model-int8.safetensors
var carried []byte

//go:embed vocab.txt
var carriedVocabulary string

// Dim is the length of a vector.
const Dim = 384

// Config says which weights to use and how. The zero value is the usual choice.
type Config struct {
	// Dir is a folder with model.safetensors and vocab.txt, such as a checkout of the model. Empty means the 8-bit
	// weights that the program carries, whose vectors have a cosine of at least 0.999 to the full-precision ones.
	Dir string
	// Threads is how many cores an Embed may use; 0 means GOMAXPROCS. A text is never spread over two.
	Threads int
	// Kernel is one of Kernels(), for tests and comparisons; empty means the fastest that this CPU can run.
	Kernel string
}

// Model embeds texts. Calls may overlap.
type Model struct {
	info    embed.Info
	threads int
	load    func() (*encoder, error)
	words   func() *wordPiece
}

// Open checks the weights and their shapes. With Config.Dir it reads the whole file (and keeps it); without, it reads a
// header. The weights are laid out for the CPU at the first [Model.Embed].
func Open(c Config) (*Model, error) {
	k, err := pick(c.Kernel)
	if err != nil {
		return nil, err
	}
	src, err := open(c.Dir)
	if err != nil {
		return nil, err
	}
	if c.Threads <= 0 {
		c.Threads = runtime.GOMAXPROCS(0)
	}
	return &Model{
		info:    src.info(),
		threads: c.Threads,
		load:    sync.OnceValues(func() (*encoder, error) { return newEncoder(src.file, k, c.Threads) }),
		words:   sync.OnceValue(func() *wordPiece { return newWordPiece(src.vocabulary) }),
	}, nil
}

// Info names the weights. The digest covers weights and vocabulary, so the carried form and the full-precision form
// differ: their vectors are close, but a collection should hold one kind.
func (m *Model) Info() embed.Info { return m.info }

// Tokenize returns the ids that text is fed as: [CLS] 101 first, [SEP] 102 last, 256 at most.
func (m *Model) Tokenize(text string) []int {
	ids := m.words().encode(text)
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = int(id)
	}
	return out
}

// Windows implements embed.Embedder: it cuts a text of more than 100 pieces between words, ideographs and signs.
func (m *Model) Windows(text string) []string {
	if len(text) <= m.info.Window { // a piece has at least one byte
		return []string{text}
	}
	return embed.Cut(text, m.words().parts(text), m.info.Window)
}

// Embed returns one vector of [Dim] numbers and length 1 for each text. An empty text has a vector too. Texts are
// independent of each other: how they are put together changes a vector in its last digits at most. It fails when ctx
// ends (looked at between groups of about 200 pieces), or when the weights cannot be laid out.
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
	if err := each(ctx, m.threads, len(texts), func(i int) { ids[i] = words.encode(texts[i]) }); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	groups := group(ids, m.threads)
	if err := each(ctx, m.threads, len(groups), func(i int) { net.embed(groups[i], ids, out) }); err != nil {
		return nil, err
	}
	if err := unit(out); err != nil {
		return nil, err
	}
	return out, nil
}

// unit is the check against weights that are no numbers, or too large: they spoil whole vectors.
func unit(vectors [][]float32) error {
	for _, v := range vectors {
		var squares float32
		for _, x := range v {
			squares += x * x
		}
		if !(squares > 0.99 && squares < 1.01) {
			return errNotUnit
		}
	}
	return nil
}

var errNotUnit = errors.New("embed: the weights give vectors that have no length")

var _ embed.Embedder = (*Model)(nil)

func open(dir string) (source, error) {
	s := source{name: "all-MiniLM-L6-v2/int8", vocabulary: carriedVocabulary}
	data, err := carried, error(nil)
	if dir != "" {
		s.name = nameOf(dir)
		if data, s.vocabulary, err = readDir(dir); err != nil {
			return s, err
		}
	}
	if s.file, err = weights.Parse(data); err == nil {
		err = s.check()
	}
	if err != nil {
		return s, fmt.Errorf("open model %s: %w", s.name, err)
	}
	s.digest = s.file.Metadata[weights.KeyPayload] // of the carried file: a test compares it with the data
	if dir != "" {
		s.digest = s.file.Sum()
	}
	return s, nil
}
