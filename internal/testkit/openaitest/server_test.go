package openaitest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/openaitest"
)

const question = `{"model":"m","messages":[{"role":"system","content":"be brief"},
 {"role":"user","content":[{"type":"text","text":"what is this"},{"type":"image_url","image_url":{"url":"data:x"}}]}]}`

func post(ctx context.Context, s *openaitest.Server, key string) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/chat/completions", strings.NewReader(question))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func TestReply(t *testing.T) {
	s := openaitest.New(openaitest.Config{
		Reply: openaitest.Script("first reply"), Reasoning: "hm", Key: "k",
	})
	defer s.Close()
	_, body, err := post(t.Context(), s, "k")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"choices":[{"finish_reason":"stop","index":0,"message":{"content":"first reply","reasoning_content":"hm",` +
		`"role":"assistant"}}],"created":0,"id":"chatcmpl-test","model":"m","object":"chat.completion",` +
		`"usage":{"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":0},"prompt_tokens":5,` +
		`"prompt_tokens_details":{"cached_tokens":0},"total_tokens":7}}`
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if status, _, _ := post(t.Context(), s, "other"); status != http.StatusUnauthorized {
		t.Errorf("status with a wrong key: %d", status)
	}
}

func TestRequestsAreKept(t *testing.T) {
	s := openaitest.New(openaitest.Config{})
	defer s.Close()
	if _, _, err := post(t.Context(), s, "k"); err != nil {
		t.Fatal(err)
	}
	got, err := s.Requests()[0].Messages()
	if err != nil {
		t.Fatal(err)
	}
	want := []openaitest.Message{
		{Role: "system", Text: "be brief"},
		{Role: "user", Text: "what is this", Images: []string{"data:x"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestFaults(t *testing.T) {
	s := openaitest.New(openaitest.Config{})
	defer s.Close()
	s.Fail(openaitest.RateLimited("3"), openaitest.Status(500, "x", "y"), openaitest.Body(200, "<html>"),
		nil, openaitest.Cut(), openaitest.CutBody("{"))
	var got []int
	for range 4 {
		status, _, err := post(t.Context(), s, "")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, status)
	}
	if diff := cmp.Diff([]int{429, 500, 200, 200}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	for _, name := range []string{"cut", "cut body"} {
		if _, _, err := post(t.Context(), s, ""); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if s.Calls() != 6 {
		t.Errorf("calls: %d", s.Calls())
	}
}

func TestHangEndsWithTheClient(t *testing.T) {
	s := openaitest.New(openaitest.Config{})
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	s.Fail(openaitest.Hang(cancel))
	if _, _, err := post(ctx, s, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
