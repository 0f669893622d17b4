// Command convert turns the full-precision weights of all-MiniLM-L6-v2 into the reduced file embedded in airqa:
//
//	go run ./env/embed/minilm/convert DIR/model.safetensors env/embed/minilm/model-int8.safetensors
//
// It drops the classification head and the position ids, which text vectors do not need. The output is deterministic.
// See env/embed/minilm/weights for the format.
package main

import (
	"fmt"
	"os"
	"strings"

	"airqa/env/embed/minilm/weights"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: convert MODEL.safetensors OUT.safetensors")
		os.Exit(2)
	}
	if err := convert(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "convert:", err)
		os.Exit(1)
	}
}

func convert(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	src, err := weights.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if err := weights.Reduce(out, src, used, note()); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return out.Close()
}

func used(name string) bool {
	return !strings.HasPrefix(name, "pooler.") && name != "embeddings.position_ids"
}

func note() map[string]string {
	return map[string]string{
		"model":   "all-MiniLM-L6-v2",
		"origin":  "sentence-transformers/all-MiniLM-L6-v2, revision 1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
		"licence": "Apache-2.0",
		"change":  "matrices rounded to 8-bit integers in groups of 32 with a float16 scale; classification head left out",
	}
}
