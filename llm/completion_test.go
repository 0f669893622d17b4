package llm

import (
	"net/http"
	"testing"
	"time"
	"unicode/utf8"
)

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":[{"type":"text","text":"a"}]}}],"usage":null}`))
	f.Add([]byte(`{"error":{"message":null,"code":503}}`))
	f.Add([]byte(`{"error":"x","detail":[1]}`))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[null,{\"index\":\"1\",\"function\":{\"arguments\":{}}}]}}]}\n\ndata: [DONE]\n\n"))
	f.Add([]byte(`{"type":"message","content":[{"type":"tool_use","input":{}},{"type":"thinking"}]}`))
	f.Add([]byte(`{"message":{"content":"<think>a","tool_calls":[{"function":{"arguments":{"a":1}}}]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, v := range vendors() {
			if v.codec.readStream != nil {
				_, _ = v.codec.readStream(body) // must not panic
			}
			if choice, err := v.codec.read(body); err == nil {
				reply := toReply(choice)
				apart(&reply, true)
				if u := reply.Usage; min(u.Prompt, u.Completion, u.Cached, u.Reasoning) < 0 {
					t.Errorf("usage %+v", u)
				}
			}
		}
		e := site{where: "h", key: "planted", now: time.Now}
		err := e.httpError(&http.Response{Header: http.Header{"Retry-After": {string(body)}}}, http.StatusTeapot, readRefusal(body), request{body: body})
		if text := err.Error(); !utf8.ValidString(text) {
			t.Errorf("invalid UTF-8 in %q", text)
		}
	})
}
