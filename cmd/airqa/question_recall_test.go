package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"airqa/env"
	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/tools"
)

// released is the folder of the released questions and metadata.
const released = "../../../shared/data/airqa"

// BenchmarkQuestionRecall searches the 3,083 abstracts of ACL 2023 with the questions of AirQA that ask for one of these
// papers. Unlike excerpts, the questions use other words than the text. It reports for how many percent the paper is the
// first hit, and among the first ten. "static" works without the encoder, so it shows what the encoder contributes.
func BenchmarkQuestionRecall(b *testing.B) {
	abstracts, asked := questionsOfAbstracts(b)
	for _, e := range benchEmbedders(b) {
		dir := filepath.Join(b.TempDir(), "data")
		putPassages(b, dir, e, abstracts)
		for _, mode := range []env.Mode{env.Dense, env.BM25, env.Hybrid} {
			b.Run(e.Info().Model+"/"+string(mode), func(b *testing.B) {
				world, err := env.Open(b.Context(), env.Config{Dir: dir, Embedder: e, Mode: mode})
				if err != nil {
					b.Fatal(err)
				}
				defer func() { _ = world.Close() }()
				for b.Loop() {
					first, ten := 0, 0
					for question, abstract := range asked {
						switch rank := rankOf(b, world, question, abstract); {
						case rank == 1:
							first, ten = first+1, ten+1
						case rank <= 10:
							ten++
						}
					}
					b.ReportMetric(100*float64(first)/float64(len(asked)), "first-%")
					b.ReportMetric(100*float64(ten)/float64(len(asked)), "ten-%")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// questionsOfAbstracts returns all abstracts, and the abstract of the paper that each question asks for.
func questionsOfAbstracts(b *testing.B) (abstracts []string, asked map[string]string) {
	b.Helper()
	if testing.Short() {
		b.Skip("embedding all abstracts takes minutes")
	}
	z, err := zip.OpenReader(filepath.Join(released, "metadata-acl2023.zip"))
	if err != nil {
		b.Skip("the released metadata is not beside the checkout")
	}
	defer func() { _ = z.Close() }()
	byTitle := map[string]string{}
	for _, f := range z.File {
		var record struct{ Title, Abstract string }
		if filepath.Ext(f.Name) != ".json" {
			continue
		}
		in, err := f.Open()
		if err != nil {
			b.Fatal(err)
		}
		if err := json.NewDecoder(in).Decode(&record); err != nil {
			b.Fatal(f.Name, err)
		}
		_ = in.Close()
		abstracts = append(abstracts, record.Abstract)
		byTitle[strings.ToLower(record.Title)] = record.Abstract
	}
	list, _, err := dataset.Load(filepath.Join(released, "test_data_553.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	asked = map[string]string{}
	for _, ex := range list {
		var gold struct {
			Title any `json:"reference_answer"`
		}
		if err := json.Unmarshal(ex.Evaluator.Kwargs, &gold); err == nil && ex.HasTag("retrieval") {
			if abstract := byTitle[strings.ToLower(fmt.Sprint(gold.Title))]; abstract != "" {
				asked[ex.Question] = abstract
			}
		}
	}
	return abstracts, asked
}

// putPassages makes a data directory of one paper with the given passages.
func putPassages(b *testing.B, dir string, e embed.Embedder, texts []string) {
	b.Helper()
	p := paperdb.Paper{Metadata: paperdb.Metadata{Title: "Abstracts", NumPages: 1}}
	p.Metadata.PaperID = qa.PaperUUID(p.Metadata.Title, "acl2023")
	p.Pages = []paperdb.Page{{ID: qa.PaperUUID("page", "acl2023"), Number: 1}}
	for i, text := range texts {
		p.Chunks = append(p.Chunks, paperdb.Chunk{ID: qa.PaperUUID(fmt.Sprint(i), "acl2023"), Text: text, Ordinal: i + 1, PageID: p.Pages[0].ID})
	}
	store, err := env.OpenWriter(b.Context(), env.WriterConfig{Dir: dir, Embedder: e})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if err := store.Put(b.Context(), p, []byte("%PDF-")); err != nil {
		b.Fatal(err)
	}
	if err := store.Finish(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// rankOf returns the rank of the passage with the given text, or 11 if it is not among the first ten.
func rankOf(b *testing.B, world *env.Env, question, text string) int {
	b.Helper()
	hits, err := world.Retrieve(b.Context(), question, 10, tools.Scope{})
	if err != nil {
		b.Fatal(err)
	}
	for i, h := range hits {
		if h.Text == text {
			return i + 1
		}
	}
	return 11
}
