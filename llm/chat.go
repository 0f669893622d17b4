package llm

import (
	"encoding/base64"
	"fmt"

	"github.com/tmc/langchaingo/llms"

	"airqa/qa"
)

// toChat writes messages in langchaingo's types. Images follow the text of their message, as data URLs: its OpenAI client
// sends binary parts in a form that no server reads.
func toChat(messages []qa.Message) ([]llms.MessageContent, error) {
	if len(messages) == 0 {
		return nil, &Fault{Class: ClassBadRequest, Detail: "no messages"}
	}
	chat := make([]llms.MessageContent, len(messages))
	for i, message := range messages {
		content, err := toContent(message)
		if err != nil {
			return nil, &Fault{Class: ClassBadRequest, Detail: fmt.Sprintf("message %d: %v", i+1, err)}
		}
		chat[i] = content
	}
	return chat, nil
}

func toContent(message qa.Message) (llms.MessageContent, error) {
	role, ok := chatRole(message.Role)
	if !ok {
		return llms.MessageContent{}, fmt.Errorf("unknown role %q", message.Role)
	}
	var parts []llms.ContentPart
	if message.Text != "" || len(message.Images) == 0 {
		parts = append(parts, llms.TextPart(message.Text))
	}
	for _, image := range message.Images {
		if len(image.Data) == 0 {
			return llms.MessageContent{}, fmt.Errorf("image %s has no data", image.SHA256)
		}
		parts = append(parts, llms.ImageURLPart(dataURL(image)))
	}
	return llms.MessageContent{Role: role, Parts: parts}, nil
}

func chatRole(role qa.Role) (llms.ChatMessageType, bool) {
	switch role {
	case qa.System:
		return llms.ChatMessageTypeSystem, true
	case qa.User:
		return llms.ChatMessageTypeHuman, true
	case qa.Assistant:
		return llms.ChatMessageTypeAI, true
	}
	return "", false
}

func dataURL(image qa.Image) string {
	mime := image.MIME
	if mime == "" {
		mime = "image/png"
	}
	return "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
}
