package llm_test

import (
	"context"
	"fmt"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

func ExampleOpen() {
	server := openaitest.New(openaitest.Config{Reply: openaitest.Script("Twelve datasets.")})
	defer server.Close()

	model, err := llm.Open(llm.Config{
		Spec: "openai:qwen2.5-72b", Access: llm.Access{BaseURL: server.URL()}, Sampling: qa.Sampling{Temperature: new(0.0), MaxTokens: 512},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := model.Complete(context.Background(), qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "How many datasets?"}}})
	if err != nil {
		fmt.Println(qa.ClassOf(err), err)
		return
	}
	fmt.Println(reply.Text, reply.Usage.Prompt, len(reply.Attempts))
	// Output: Twelve datasets. 3 1
}

func ExampleNewScript() {
	model := llm.NewScript([]llm.Episode{{Replies: []string{"first", "second"}}})
	messages := []qa.Message{{Role: qa.User, Text: "How many datasets?"}}
	for range 2 {
		reply, err := model.Complete(context.Background(), qa.Request{Messages: messages})
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

func ExampleEndpoint() {
	server := openaitest.New(openaitest.Config{
		Reply: openaitest.Script("I look.", "Twelve datasets."),
		ToolCalls: func(m []openaitest.Message) []openaitest.ToolCall {
			if len(m) > 1 {
				return nil
			}
			return []openaitest.ToolCall{{ID: "call_1", Name: "Retrieve", Arguments: `{"query":"datasets"}`}}
		},
	})
	defer server.Close()

	model, err := llm.NewEndpoint(llm.Config{Spec: "openai:gpt-4o", Access: llm.Access{BaseURL: server.URL()}, Pool: llm.NewPool(16)})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools := []qa.ToolSpec{{
		Name: "Retrieve", Description: "Search the passages.",
		Parameters: []byte(`{"type":"object","properties":{"query":{"type":"string"}}}`),
	}}
	messages := []qa.Message{{Role: qa.User, Text: "How many datasets?"}}
	for {
		reply, err := model.Complete(context.Background(), qa.Request{Messages: messages, Tools: tools})
		if err != nil {
			fmt.Println(qa.ClassOf(err), err)
			return
		}
		fmt.Println(reply.Text)
		if len(reply.ToolCalls) == 0 {
			return
		}
		messages = append(messages,
			qa.Message{Role: qa.Assistant, Text: reply.Text, ToolCalls: reply.ToolCalls, Sealed: reply.Sealed})
		for _, call := range reply.ToolCalls {
			fmt.Println(call.Name, string(call.Arguments))
			messages = append(messages, qa.Message{Role: qa.ToolResult, Text: "found", ToolCallID: call.ID})
		}
	}
	// Output:
	// I look.
	// Retrieve {"query":"datasets"}
	// Twelve datasets.
}
