package template

const (
	helpful = "You are a helpful assistant."
	qwen    = "You are Qwen, created by Alibaba Cloud. " + helpful
)

// known are the templates by name.
var known = func() map[string]*Template {
	all := make(map[string]*Template)
	for _, list := range [][]*Template{chatML(), others()} {
		for _, t := range list {
			all[t.Name] = t
		}
	}
	return all
}()

// slots turns texts into pieces; "bos" and "eos" are the tokenizer's own tokens.
func slots(parts ...string) []Piece {
	var pieces []Piece
	for _, p := range parts {
		switch p {
		case "bos":
			pieces = append(pieces, Piece{Kind: BOS})
		case "eos":
			pieces = append(pieces, Piece{Kind: EOS})
		default:
			pieces = append(pieces, Piece{Text: p})
		}
	}
	return pieces
}

// chatML returns the templates with <|im_start|> and <|im_end|>.
func chatML() []*Template {
	vision := func(patch, least int) *Vision {
		return &Vision{Image: "<|image_pad|>", Video: "<|video_pad|>", Begin: "<|vision_start|>", End: "<|vision_end|>", Patch: patch, MinPixels: least}
	}
	const response = "user\n<tool_response>\n{{content}}\n</tool_response>"
	list := []*Template{
		{Name: "qwen", defaultSystem: qwen, toolStyle: "qwen", observation: turn(response)},
		{Name: "qwen2_vl", defaultSystem: helpful, toolStyle: "qwen", observation: turn(response), Vision: vision(28, 56*56)},
		{Name: "qwen3", toolStyle: "qwen", observation: turn(response), Reasoning: true},
		{Name: "qwen3_nothink", toolStyle: "qwen", observation: turn(response)},
		{Name: "qwen3_vl", toolStyle: "qwen", observation: turn(response), Reasoning: true, Vision: vision(32, 256*256)},
		{Name: "qwen3_vl_nothink", toolStyle: "qwen", observation: turn(response), Vision: vision(32, 256*256)},
		{Name: "mimo", defaultSystem: helpful, toolStyle: "qwen", observation: turn(response), Reasoning: true},
		{Name: "chatml", observation: turn("tool\n{{content}}"), Stop: []string{"<|im_end|>", "<|im_start|>"}},
		{Name: "yi"},
		{Name: "smollm2", defaultSystem: "You are a helpful AI assistant named SmolLM, trained by Hugging Face."},
		{Name: "cpm4", prefix: slots("bos"), observation: turn("tool\n{{content}}")},
	}
	for _, t := range list {
		t.system = slots("<|im_start|>system\n{{content}}<|im_end|>\n")
		t.user = turn("user\n{{content}}")
		t.assistant = slots("{{content}}<|im_end|>\n")
		if t.observation == nil {
			t.observation = t.user
		}
		if t.Stop == nil {
			t.Stop = []string{"<|im_end|>"}
		}
	}
	return list
}

// turn is a ChatML turn with the header of the answer.
func turn(body string) []Piece {
	return slots("<|im_start|>" + body + "<|im_end|>\n<|im_start|>assistant\n")
}

// others returns templates without <|im_start|>, or with their own separators.
func others() []*Template {
	llama3 := func(role string) []Piece {
		return slots("<|start_header_id|>" + role + "<|end_header_id|>\n\n{{content}}<|eot_id|>" +
			"<|start_header_id|>assistant<|end_header_id|>\n\n")
	}
	gemma := func(role string) []Piece {
		return slots("<start_of_turn>" + role + "\n{{content}}<end_of_turn>\n<start_of_turn>model\n")
	}
	deepSeek := slots("<｜User｜>{{content}}<｜Assistant｜>")
	list := []*Template{
		{
			Name: "llama3", prefix: slots("bos"), toolStyle: "llama3", Stop: []string{"<|eot_id|>", "<|eom_id|>"},
			system: slots("<|start_header_id|>system<|end_header_id|>\n\n{{content}}<|eot_id|>"),
			user:   llama3("user"), assistant: slots("{{content}}<|eot_id|>"), observation: llama3("ipython"),
		},
		{
			Name: "default", system: slots("System: {{content}}", "eos", "\n"),
			user: slots("Human: {{content}}", "eos", "\nAssistant:"), assistant: slots("{{content}}", "eos", "\n"),
		},
		{Name: "empty", system: slots("{{content}}"), user: slots("{{content}}"), assistant: slots("{{content}}")},
		{
			Name: "alpaca", system: slots("{{content}}"), user: slots("### Instruction:\n{{content}}\n\n### Response:\n"),
			assistant: slots("{{content}}", "eos", "\n\n"),
			defaultSystem: "Below is an instruction that describes a task. " +
				"Write a response that appropriately completes the request.\n\n",
		},
		{
			Name: "vicuna", system: slots("{{content}}"), user: slots("USER: {{content}} ASSISTANT:"), assistant: slots("{{content}}", "eos"),
			defaultSystem: "A chat between a curious user and an artificial intelligence assistant. " +
				"The assistant gives helpful, detailed, and polite answers to the user's questions.",
		},
		{Name: "deepseek3", prefix: slots("bos"), system: slots("{{content}}"), user: deepSeek, assistant: slots("{{content}}", "eos")},
		{Name: "deepseekr1", prefix: slots("bos"), system: slots("{{content}}"), user: deepSeek, assistant: slots("{{content}}", "eos"), Reasoning: true},
		{
			Name: "phi4", Stop: []string{"<|im_end|>"}, system: slots("<|im_start|>system<|im_sep|>{{content}}<|im_end|>"),
			user:      slots("<|im_start|>user<|im_sep|>{{content}}<|im_end|><|im_start|>assistant<|im_sep|>"),
			assistant: slots("{{content}}<|im_end|>"),
		},
		{
			Name: "gemma", prefix: slots("bos"), Stop: []string{"<end_of_turn>"}, system: slots("{{content}}\n\n"), merged: true,
			user: gemma("user"), assistant: slots("{{content}}<end_of_turn>\n"), observation: gemma("tool"),
		},
		{
			Name: "gemma2", prefix: slots("bos"), Stop: []string{"<eos>", "<end_of_turn>"}, system: slots("{{content}}\n\n"), merged: true,
			user: gemma("user"), assistant: slots("{{content}}<end_of_turn>\n"), observation: gemma("tool"), EfficientEOS: true,
		},
		{
			Name: "solar", system: slots("### System:\n{{content}}\n\n"), user: slots("### User:\n{{content}}\n\n### Assistant:\n"),
			assistant: slots("{{content}}"), EfficientEOS: true,
		},
		{
			Name: "zephyr", defaultSystem: "You are Zephyr, a helpful assistant.", system: slots("<|system|>\n{{content}}", "eos"),
			user: slots("<|user|>\n{{content}}", "eos", "<|assistant|>\n"), assistant: slots("{{content}}", "eos"),
		},
	}
	for _, t := range list {
		if t.observation == nil {
			t.observation = t.user
		}
	}
	return list
}
