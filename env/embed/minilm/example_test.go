package minilm_test

import (
	"context"
	"fmt"

	"airqa/env/embed/minilm"
)

func ExampleModel_Embed() {
	m, err := minilm.Open(minilm.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := m.Embed(context.Background(), []string{
		"Which datasets were used for training?",
		"We train on the English part of the corpus, 1.2 million sentences.",
		"The authors thank the anonymous reviewers.",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(v[0]), dot(v[0], v[1]) > dot(v[0], v[2]))
	// Output: 384 true
}

func ExampleModel_Tokenize() {
	m, err := minilm.Open(minilm.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Tokenize("Embeddings!"))
	// Output: [101 7861 8270 4667 2015 999 102]
}
