package env_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"airqa/env"
	"airqa/env/paperdb"
	"airqa/qa"
	"airqa/tools"
)

// A Writer fills a directory, usually within airqa ingest. Env reads it.
func Example() {
	if err := example(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// page 1: Attention relates every position of a sequence to every other.
	// [[Attention 2017]]
}

func example(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "airqa-example-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	data := filepath.Join(dir, "papers")
	if err := exampleIngest(ctx, data); err != nil {
		return err
	}
	e, err := env.Open(ctx, env.Config{Dir: data})
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }()
	hits, err := e.Retrieve(ctx, "what does attention relate?", 5, tools.Scope{})
	if err != nil {
		return err
	}
	for _, h := range hits {
		fmt.Printf("page %d: %s\n", h.PageNumber, h.Text)
	}
	rows, err := e.Query(ctx, "SELECT title, pub_year FROM metadata")
	if err != nil {
		return err
	}
	fmt.Println(rows.Values)
	return nil
}

func exampleIngest(ctx context.Context, data string) error {
	id := qa.PaperUUID("Attention", "nips2017")
	page := qa.PageUUID(id, 1)
	text := "Attention relates every position of a sequence to every other."
	w, err := env.OpenWriter(ctx, env.WriterConfig{Dir: data})
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	err = w.Put(ctx, paperdb.Paper{
		Metadata: paperdb.Metadata{PaperID: id, Title: "Attention", Year: 2017, NumPages: 1},
		Pages:    []paperdb.Page{{ID: page, Number: 1, Width: 612, Height: 792, Content: text}},
		Chunks:   []paperdb.Chunk{{ID: qa.PartUUID(id, 1, "chunk", 1), Text: text, Ordinal: 1, PageID: page}},
	}, []byte("%PDF-1.7 …"))
	if err != nil {
		return err
	}
	return w.Finish(ctx)
}
