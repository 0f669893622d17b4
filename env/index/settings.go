package index

import (
	"cmp"
	"fmt"
	"strings"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/vectors/milvus"
)

// Names of the default embedding model and of the default vector store, the files of the data directory.
const (
	DefaultEmbedder = "minilm"
	Files           = "files"
)

// EmbedderName returns the name of an embedding model in airqa.json and on the command line: minilm or openai:NAME.
func EmbedderName(model string) string {
	if strings.HasPrefix(model, "all-MiniLM-L6-v2") {
		return DefaultEmbedder
	}
	return model
}

// Settle completes want with what the data directory dir records of its search index, then with the defaults. A record that
// want contradicts is an error. With change, only a recorded server is one, whose vectors have to be moved. A directory that is missing, damaged or without a record settles nothing.
func Settle(dir string, want datadir.Index, change bool) (datadir.Index, error) {
	if err := CheckVectors(want.Vectors); err != nil {
		return want, err
	}
	have, recorded, err := recordedIndex(dir)
	if err != nil {
		return want, err
	}
	if recorded && !change && want.Embedder != "" && want.Embedder != have.Embedder {
		return want, fmt.Errorf("the search index of %s was made with embedder %s, not %s; leave out --embedder, or switch with airqa ingest --data %s --embedder %s",
			dir, have.Embedder, want.Embedder, dir, want.Embedder)
	}
	if recorded && (!change || have.Vectors != Files) {
		if err := contradictedStore(dir, want, have); err != nil {
			return want, err
		}
	}
	if cmp.Or(want.Embedder, have.Embedder) == have.Embedder {
		want.Weights, want.VectorsPerChunk = cmp.Or(want.Weights, have.Weights), cmp.Or(want.VectorsPerChunk, have.VectorsPerChunk)
		want.Window, want.Body = cmp.Or(want.Window, have.Window), cmp.Or(want.Body, have.Body)
		want.QueryPrefix, want.TextPrefix = cmp.Or(want.QueryPrefix, have.QueryPrefix), cmp.Or(want.TextPrefix, have.TextPrefix)
	}
	want.Embedder, want.Vectors = cmp.Or(want.Embedder, have.Embedder), cmp.Or(want.Vectors, have.Vectors)
	return want, nil
}

// recordedIndex returns what a data directory records of its search index, or the defaults.
func recordedIndex(dir string) (have datadir.Index, recorded bool, err error) {
	have = datadir.Index{Embedder: DefaultEmbedder, Vectors: Files}
	if d, err := datadir.Open(dir); err == nil {
		if info, err := d.Info(); err == nil && info.Index != nil {
			have, recorded = *info.Index, true
		}
	}
	place, err := PlaceOf(have.Vectors)
	if err != nil {
		return have, recorded, fmt.Errorf("%s of %s: vectors: %w", datadir.InfoName, dir, err)
	}
	have.Vectors = place.String()
	return have, recorded, nil
}

// contradictedStore refuses another vector store than the recorded one. Credentials and options of the connection may differ.
func contradictedStore(dir string, want, have datadir.Index) error {
	asked, _ := PlaceOf(want.Vectors)  // is checked
	stored, _ := PlaceOf(have.Vectors) // is checked
	asked.TLS, stored.TLS = false, false
	if want.Vectors != "" && asked != stored {
		return fmt.Errorf("the vectors of %s are at %s, not at %s; leave out --vectors, or switch with airqa store vectors --data %s --to %s",
			dir, have.Vectors, asked, dir, asked)
	}
	return nil
}

// RecordOf is the record of a search index that was made with a model in a vector store.
func RecordOf(model embed.Info, url string) (*datadir.Index, error) {
	place, err := PlaceOf(url)
	index := datadir.Index{
		Embedder: EmbedderName(model.Model), Weights: model.Weights, Body: model.Body, Vectors: place.String(),
		QueryPrefix: model.QueryPrefix, TextPrefix: model.TextPrefix,
	}
	if index.Embedder != DefaultEmbedder {
		index.Window = model.Window
	}
	if model.OneVector {
		index.VectorsPerChunk = datadir.OneVector
	}
	return &index, err
}

// Place is where vectors are: a Milvus server without credentials and timeout, or the files of the data directory as the zero value.
type Place struct{ milvus.Config }

// String returns the URL of the server, or [Files].
func (p Place) String() string {
	if p.Config == (milvus.Config{}) {
		return Files
	}
	return p.Config.String()
}

// IsFiles reports whether the URL of a vector store stands for the files of the data directory.
func IsFiles(url string) bool { return url == "" || url == Files }

// PlaceOf returns the place of the URL of a vector store.
func PlaceOf(url string) (Place, error) {
	if IsFiles(url) {
		return Place{}, nil
	}
	c, err := milvus.ParseURL(url)
	return Place{milvus.Config{Address: c.Address, Database: c.Database, Prefix: c.Prefix, TLS: c.TLS}}, err
}
