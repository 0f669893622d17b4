package settings_test

import (
	"testing"

	"airqa/internal/settings"
)

func TestMaskURL(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"no address", "C:/papers", "C:/papers"},
		{"nothing secret", "http://127.0.0.1:8000/v1?a=b", "http://127.0.0.1:8000/v1?a=b"},
		{"password", "milvus://me:pw@host:1/db?tls=true", "milvus://me:xxxxx@host:1/db?tls=true"},
		{"token", "https://host/?api_token=pw&x=1", "https://host/?api_token=xxxxx&x=1"},
		{"faulty", "http://a b:pw@%zz/", "xxxxx"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := settings.MaskURL(tt.in); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
