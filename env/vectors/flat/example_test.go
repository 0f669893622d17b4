package flat_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"airqa/env/vectors"
	"airqa/env/vectors/flat"
)

func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "vectors")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := flat.Open(dir, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = store.Close() }()

	cell := func(key string, v ...float32) vectors.Record {
		o := vectors.Origin{PaperID: "attention", Page: 1, Table: "chunks", Column: "text_content", Key: key}
		return vectors.Record{Origin: o, Vector: vectors.Vector{Dense: v}}
	}
	c := vectors.Collection{Name: "text", Kind: vectors.Dense, Dim: 2}
	if err := store.Replace(ctx, c, vectors.All(nil)); err != nil {
		log.Fatal(err)
	}
	if err := store.Insert(ctx, "text", []vectors.Record{cell("a", 1, 0), cell("b", 3, 4), cell("c", 0, 2)}); err != nil {
		log.Fatal(err)
	}
	hits, err := store.Search(ctx, "text", vectors.Query{Vector: vectors.Vector{Dense: []float32{0, 1}}, K: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Printf("%s %.2f\n", h.Key, h.Score)
	}
	// Output:
	// c 1.00
	// b 0.80
}
