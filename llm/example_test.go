package llm_test

import (
	"context"
	"fmt"

	"airqa/internal/openaitest"
	"airqa/llm"
	"airqa/qa"
)

func ExampleOpen() {
	server := openaitest.New(openaitest.Config{Reply: openaitest.Script("Twelve datasets.")})
	defer server.Close()

	model, err := llm.Open(llm.Config{
		Spec: "openai:qwen2.5-72b", BaseURL: server.URL(), Sampling: llm.Sampling{Temperature: new(0.0), MaxTokens: 512},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := model.Complete(context.Background(), []qa.Message{{Role: qa.User, Text: "How many datasets?"}})
	if err != nil {
		fmt.Println(llm.Class(err), err)
		return
	}
	fmt.Println(reply.Text, reply.Usage.Prompt, len(reply.Attempts))
	// Output: Twelve datasets. 3 1
}

func ExampleNewScripted() {
	model := llm.NewScripted([]string{"first", "second"})
	messages := []qa.Message{{Role: qa.User, Text: "How many datasets?"}}
	for range 2 {
		reply, err := model.Complete(context.Background(), messages)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(reply.Text)
		messages = append(messages, qa.Message{Role: qa.Assistant, Text: reply.Text})
	}
	// Output:
	// first
	// second
}
