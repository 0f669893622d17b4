package openaitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Request is a recorded request.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte
}

// Messages decodes the conversation of the request.
func (r Request) Messages() ([]Message, error) {
	chat, err := parseChat(r.Body)
	return chat.Messages, err
}

// Message is one message of a conversation: its text and the URLs of its images.
type Message struct {
	Role   string
	Text   string
	Images []string
}

// UnmarshalJSON accepts content as a string or a list of parts.
func (m *Message) UnmarshalJSON(data []byte) error {
	var wire struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	m.Role = wire.Role
	if len(wire.Content) == 0 {
		return nil // a message with only tool calls
	}
	if err := json.Unmarshal(wire.Content, &m.Text); err == nil {
		return nil
	}
	return m.readParts(wire.Content)
}

func (m *Message) readParts(content []byte) error {
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(content, &parts); err != nil {
		return fmt.Errorf("content of a message: %w", err)
	}
	for _, part := range parts {
		switch part.Type {
		case "text":
			m.Text += part.Text
		case "image_url":
			m.Images = append(m.Images, part.ImageURL.URL)
		default:
			return fmt.Errorf("part of type %q", part.Type)
		}
	}
	return nil
}

type chatRequest struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Stream   bool      `json:"stream"`
}

func parseChat(body []byte) (chatRequest, error) {
	var chat chatRequest
	if err := json.Unmarshal(body, &chat); err != nil {
		return chat, err
	}
	if chat.Model == "" || len(chat.Messages) == 0 {
		return chat, errors.New("model and messages are required")
	}
	return chat, nil
}
