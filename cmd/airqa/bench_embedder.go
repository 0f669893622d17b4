package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"airqa/bench"
	"airqa/env/embed"
	"airqa/env/index"
	"airqa/qa"
)

// benchEmbedFlags choose the embedding model of a benchmark, and where its vectors are kept.
type benchEmbedFlags struct {
	embedURLFlag
	embedderFlags
	benchDirFlag
}

// dataFlags are the flags as commands with a data directory have them.
func (f benchEmbedFlags) dataFlags() dataFlags {
	f.raw = true
	return dataFlags{Data: f.Dir, embedURLFlag: f.embedURLFlag, embedderFlags: f.embedderFlags}
}

// call runs a benchmark's function with the embedding model. The vectors of a model that is named are kept on disk: they may have
// been paid for.
func (f benchEmbedFlags) call(a *app, b benchFlags, r bench.Request, of func(bench.Benchmark) benchFunc) error {
	flags := f.dataFlags()
	if f.Embedder != "" {
		flags.EmbedQueryPrefix, flags.EmbedTextPrefix = "", "" // keptVectors adds them
	}
	if err := flags.checkIndex(); err != nil {
		return err
	}
	model, err := flags.embedder(a)
	if err != nil {
		return err
	}
	r.Model, r.Embedder = f.Embedder, func() (embed.Embedder, error) { return model, nil }
	if f.Embedder == "" {
		return b.run(a, r, of)
	}
	cache, err := index.OpenTexts(filepath.Join(f.Dir, "vectors"), index.Config{Embedder: model, Notice: a.note})
	if err != nil {
		return err
	}
	kept := keptVectors{cache, f.EmbedTextPrefix, f.EmbedQueryPrefix}
	r.Embedder, r.Progress = func() (embed.Embedder, error) { return kept, nil }, a.progress
	r.Notes = append(r.Notes, fmt.Sprintf("Vectors of %s, query prefix %q, text prefix %q, extra body %q.",
		f.Embedder, f.EmbedQueryPrefix, f.EmbedTextPrefix, model.Info().Body))
	return errors.Join(b.run(a, r, of), cache.Close())
}

// keptVectors are vectors on disk of texts with a prefix.
type keptVectors struct {
	*embed.Cache
	prefix, ofQueries string
}

// Queries is the embedder of queries.
func (k keptVectors) Queries() embed.Embedder {
	return keptVectors{k.Cache, k.ofQueries, k.ofQueries}
}

// Embed adds the prefix.
func (k keptVectors) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return k.Cache.Embed(ctx, qa.Map(texts, func(text string) string { return k.prefix + text }))
}
