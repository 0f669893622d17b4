package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"airqa/internal/testkit/openaitest"
)

// impostor acts as api.openai.com: a proxy on the loopback that ends TLS itself, with a certificate for that host. It
// keeps the key of every request and refuses it.
type impostor struct {
	address, certificate string

	mu   sync.Mutex
	keys []string
}

func (i *impostor) asked() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]string{}, i.keys...)
}

func newImpostor(t *testing.T) *impostor {
	t.Helper()
	certificate, file := certificateFor(t, "api.openai.com")
	var listening net.ListenConfig
	listener, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	i := &impostor{address: "http://" + listener.Addr().String(), certificate: file}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { i.serve(conn, config) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		all.Wait()
	})
	return i
}

// serve answers CONNECT and one request inside it.
func (i *impostor) serve(conn net.Conn, config *tls.Config) {
	defer func() { _ = conn.Close() }()
	if req, err := http.ReadRequest(bufio.NewReader(conn)); err != nil || req.Method != http.MethodConnect {
		return
	}
	_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	inside := tls.Server(conn, config)
	req, err := http.ReadRequest(bufio.NewReader(inside))
	if err != nil {
		return
	}
	i.mu.Lock()
	i.keys = append(i.keys, req.Host+" "+req.Header.Get("Authorization"))
	i.mu.Unlock()
	_, _ = inside.Write([]byte("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
}

func certificateFor(t *testing.T, host string) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// separate runs airqa in a process of its own and returns its output and exit code.
func separate(t *testing.T, environment []string, args ...string) (string, int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(append(os.Environ(), asProgram+"=1"), environment...)
	raw, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(raw), c.ProcessState.ExitCode()
}

// subjectiveAnswers are a question that needs a judge and its answer, for airqa score --gold --pred.
func subjectiveAnswers(t *testing.T) (gold, pred string) {
	t.Helper()
	dir := t.TempDir()
	gold, pred = filepath.Join(dir, "gold.jsonl"), filepath.Join(dir, "pred.jsonl")
	writeSubjective(t, gold)
	if err := os.WriteFile(pred, []byte(`{"uuid": "s1", "answer": "Because."}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return gold, pred
}

// A gateway's key never goes to OpenAI, and the judge's host is named before it gets an answer.
func TestJudgeKeyStaysAtItsHost(t *testing.T) {
	const gatewayKey, ownKey = "gateway-key-0123456789", "judge-key-0123456789"
	gateway := openaitest.New(openaitest.Config{Key: gatewayKey, Reply: func([]openaitest.Message) string { return "```txt\nTrue\n```" }})
	defer gateway.Close()
	open := openaitest.New(openaitest.Config{Reply: func([]openaitest.Message) string { return "```txt\nTrue\n```" }})
	defer open.Close()
	gold, pred := subjectiveAnswers(t)
	tests := []struct {
		name   string
		env    []string
		flags  []string
		said   []string
		openAI []string
		code   int
	}{
		{
			name: "gateway of the environment", env: []string{"OPENAI_BASE_URL=" + gateway.URL()},
			said: []string{"OPENAI_API_KEY is the key for " + gateway.Host(), "AIRQA_JUDGE_API_KEY", "--judge-base-url", "--judge offline"},
		},
		{
			name: "gateway of --base-url", env: []string{"AIRQA_BASE_URL=" + gateway.URL()},
			said: []string{"OPENAI_API_KEY is the key for " + gateway.Host()},
		},
		{
			name: "a key of its own", env: []string{"OPENAI_BASE_URL=" + gateway.URL(), "AIRQA_JUDGE_API_KEY=" + ownKey},
			said:   []string{"note: judge openai:gpt-4o-mini-2024-07-18 uses api.openai.com\n"},
			openAI: []string{"api.openai.com Bearer " + ownKey},
		},
		{
			name: "OpenAI's key", said: []string{"uses api.openai.com\n"},
			openAI: []string{"api.openai.com Bearer " + gatewayKey},
		},
		{
			name: "judge at the gateway", env: []string{"OPENAI_BASE_URL=" + gateway.URL()},
			flags: []string{"--judge-base-url", gateway.URL()}, said: []string{"uses " + gateway.Host() + "\n"},
		},
		{
			name: "judge at another host", env: []string{"OPENAI_BASE_URL=" + gateway.URL()}, flags: []string{"--judge-base-url", open.URL()},
			said: []string{"uses " + open.Host() + ", without a key: OPENAI_API_KEY is for " + gateway.Host() + "; set AIRQA_JUDGE_API_KEY"},
		},
		{
			name: "one key for two hosts", env: []string{"AIRQA_JUDGE_API_KEY=" + ownKey},
			flags: []string{"--judge", "openai:a,anthropic:b"}, said: []string{"api.openai.com and api.anthropic.com"}, code: exitUsage,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			middle := newImpostor(t)
			env := append([]string{
				"OPENAI_API_KEY=" + gatewayKey, "HTTPS_PROXY=" + middle.address, "SSL_CERT_FILE=" + middle.certificate,
			}, test.env...)
			said, code := separate(t, env, append([]string{"score", "--gold", gold, "--pred", pred}, test.flags...)...)
			if test.code != 0 && code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			for _, want := range test.said {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in:\n%s", want, said)
				}
			}
			if got := middle.asked(); strings.Join(got, ",") != strings.Join(test.openAI, ",") {
				t.Errorf("api.openai.com got %q, want %q", got, test.openAI)
			}
		})
	}
	for _, r := range open.Requests() {
		if got := r.Header.Get("Authorization"); got != "" {
			t.Errorf("the gateway's key went to another host: %s", got)
		}
	}
	if open.Calls() == 0 || gateway.Calls() == 0 {
		t.Error("a judge was not asked")
	}
}

// The key of the model's provider goes to no other embedding endpoint.
func TestEmbedderKeyStaysAtItsHost(t *testing.T) {
	const gatewayKey, ownKey = "gateway-key-0123456789", "embed-key-0123456789"
	elsewhere := openaitest.New(openaitest.Config{})
	defer elsewhere.Close()
	doctor := []string{"doctor", "--embedder", "openai:m", "--embed-base-url", elsewhere.URL()}
	environment := []string{"OPENAI_API_KEY=" + gatewayKey, "OPENAI_BASE_URL=http://127.0.0.1:1/v1"}
	said, _ := separate(t, environment, doctor...)
	if want := "without a key: OPENAI_API_KEY is for 127.0.0.1:1; set AIRQA_EMBED_API_KEY"; !strings.Contains(said, want) {
		t.Errorf("%q is not in:\n%s", want, said)
	}
	separate(t, append(environment, "AIRQA_EMBED_API_KEY="+ownKey), doctor...)
	separate(t, append(environment[:1:1], "OPENAI_BASE_URL="+elsewhere.URL()), doctor[:3]...)
	var got []string
	for _, r := range elsewhere.Requests() {
		got = append(got, r.Header.Get("Authorization"))
	}
	if want := ",Bearer " + ownKey + ",Bearer " + gatewayKey; strings.Join(got, ",") != want {
		t.Errorf("keys %q, want %q", got, want)
	}
}
