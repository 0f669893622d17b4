package models

import (
	"testing"
)

// A key goes only where the command line or the environment says, whatever a file names.
func TestKeysStayWithGivenAddresses(t *testing.T) {
	variables := map[string]string{
		"OPENAI_API_KEY": "sk-openai-0123456789", "ANTHROPIC_API_KEY": "sk-anthropic-0123456789", JudgeKey: "sk-judge-0123456789",
		"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1",
	}
	getenv := func(name string) string { return variables[name] }
	tests := []struct {
		name, spec, given, address, want string
	}{
		{"no address", "openai:m", "", "", "sk-openai-0123456789"},
		{"given", "anthropic:m", "http://h/v1", "http://h/v1", "sk-anthropic-0123456789"},
		{"the environment's, named by a file", "openai:m", "", "http://127.0.0.1:8000/other", "sk-openai-0123456789"},
		{"the environment's of another provider", "anthropic:m", "", "http://127.0.0.1:8000/v1", ""},
		{"another provider's own", "anthropic:m", "", "https://api.openai.com/v1", ""},
		{"another port of this machine", "openai:m", "", "http://127.0.0.1:8001/v1", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := Open(Config{BaseURL: test.address, OwnURL: test.given, Getenv: getenv})
			if err != nil {
				t.Fatal(err)
			}
			if c := m.Config(test.spec); c.Key != test.want {
				t.Errorf("the key is %q, want %q", c.Key, test.want)
			}
			judge := Addresses{Judges: test.given}.Access(test.spec, JudgeKey, test.address, getenv)
			if sent, named := judge.Key == variables[JudgeKey], test.address == test.given; sent != named {
				t.Errorf("the judge's key is sent: %v, want %v", sent, named)
			}
		})
	}
}

func TestKnownEndpoint(t *testing.T) {
	variables := map[string]string{"AIRQA_BASE_URL": "https://Gateway.example:443/v1", "OLLAMA_HOST": "10.0.0.5"}
	for address, want := range map[string]bool{
		"https://api.mistral.ai/v1": true, "https://api.openai.com": true, "https://gateway.example/other": true, "http://10.0.0.5:11434": true,
		"http://127.0.0.1:11434": false, "http://localhost:1": false, "http://api.openai.com": false, "https://api.openai.com:8443": false,
		"https://x@api.openai.com": false, "gateway.example": false, "https://gateway.example.org": false,
	} {
		if got := KnownEndpoint(address, func(name string) string { return variables[name] }); got != want {
			t.Errorf("%q is known: %v", address, got)
		}
	}
}
