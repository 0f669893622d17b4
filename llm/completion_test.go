package llm

import (
	"net/http"
	"net/url"
	"testing"
	"time"
	"unicode/utf8"
)

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":[{"type":"text","text":"a"}]}}],"usage":null}`))
	f.Add([]byte(`{"error":{"message":null,"code":503}}`))
	f.Add([]byte(`{"error":"x","detail":[1]}`))
	f.Add([]byte(`{"type":"message","content":[{"type":"tool_use","input":{}},{"type":"thinking"}]}`))
	f.Add([]byte(`{"message":{"content":"<think>a","tool_calls":[{"function":{"arguments":{"a":1}}}]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		e := &Endpoint{key: "planted", now: time.Now, base: &url.URL{Host: "h"}}
		for _, v := range vendors() {
			if reply, err := v.protocol.read(body); err == nil {
				apart(&reply, true)
			}
		}
		if text := e.httpErrorText(body); !utf8.ValidString(text) {
			t.Errorf("invalid UTF-8 in %q", text)
		}
	})
}

func (e *Endpoint) httpErrorText(body []byte) string {
	return e.httpError(http.StatusTeapot, http.Header{"Retry-After": {string(body)}}, body).Error()
}
