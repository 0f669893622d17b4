package llm

import (
	"net/http"
	"testing"
	"time"
	"unicode/utf8"
)

func FuzzParseCompletion(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":[{"type":"text","text":"a"}]}}],"usage":null}`))
	f.Add([]byte(`{"error":{"message":null,"code":503}}`))
	f.Add([]byte(`{"error":"x","detail":[1]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m := &OpenAI{key: "planted", now: time.Now}
		if c, err := parseCompletion(body); err == nil {
			_ = c.reply()
			if _, err := c.plain(); err != nil {
				t.Error(err)
			}
		}
		if text := m.httpErrorText(body); !utf8.ValidString(text) {
			t.Errorf("invalid UTF-8 in %q", text)
		}
	})
}

func (m *OpenAI) httpErrorText(body []byte) string {
	m.base, _ = parseBaseURL("http://h/v1")
	return m.httpError(http.StatusTeapot, http.Header{"Retry-After": {string(body)}}, body).Error()
}
