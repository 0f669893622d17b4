package ledger_test

import (
	"bytes"
	"testing"

	"airqa/internal/ledger"
)

func TestRedactStrings(t *testing.T) {
	redact := func(b []byte) []byte {
		b = bytes.ReplaceAll(b, []byte("nabcdefgh"), []byte("[redacted]"))
		return bytes.ReplaceAll(b, []byte(`tail\`), []byte("[redacted]"))
	}
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", `{"b": 1, "a": "x"}`, `{"b": 1, "a": "x"}`},
		{"the order and the whitespace stay", `{"b": "nabcdefgh",  "a": 12345678901234567890}`, `{"b": "[redacted]",  "a": 12345678901234567890}`},
		{"a key", `{"nabcdefgh":[]}`, `{"[redacted]":[]}`},
		{"an escape is no part of it", `{"a":"\nabcdefgh","b":"nabcdefgh"}`, `{"a":"\nabcdefgh","b":"[redacted]"}`},
		{"an escape at its end", `{"a":"tail\n","b":"tail\\"}`, `{"a":"tail\n","b":"[redacted]"}`},
		{"quotes", `["\"nabcdefgh\\\""]`, `["\"[redacted]\\\""]`},
		{"two lines", "[\"nabcdefgh\"]\n[\"nabcdefgh\"]\n", "[\"[redacted]\"]\n[\"[redacted]\"]\n"},
		{"no JSON", `"nabcdefgh`, `"nabcdefgh`},
	} {
		if got := string(ledger.RedactStrings([]byte(tt.in), redact)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
