package embed_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/env/embed"
)

// sizesOf are the numbers of texts of requests.
func sizesOf(requests []request) (list []int) {
	for _, r := range requests {
		list = append(list, len(r.Input))
	}
	return list
}

// embedMany embeds n texts in one call, after a text alone, which settles how vectors are written.
func embedMany(t *testing.T, e *endpoint, calls int, texts ...string) error {
	t.Helper()
	if _, err := e.Embed(t.Context(), []string{"aa"}); err != nil {
		t.Fatal(err)
	}
	for range calls {
		got, err := e.Embed(t.Context(), texts)
		if err != nil {
			return err
		}
		if len(got) != len(texts) {
			t.Fatalf("%d vectors of %d texts", len(got), len(texts))
		}
	}
	return nil
}

func someTexts(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("text 29 and %d", i)
	}
	return texts
}

// A server that takes fewer texts than are sent gets smaller requests. Its limit is used at once if it names it, is found by
// halves otherwise, and is kept for later calls.
func TestOpenAIBatchLimit(t *testing.T) {
	for name, tt := range map[string]struct {
		limit, status int
		message       string
		want          []int // of the first call with 40 texts
		later         []int // of the second
	}{
		"number":              {10, 400, `{"error":{"message":"<400> batch size is invalid, it should not be larger than 10.: input.contents"}}`, []int{40, 10, 10, 10, 10}, []int{10, 10, 10, 10}},
		"larger number, too":  {16, 422, `{"error":"batch size 40 > maximum allowed batch size 16"}`, []int{40, 16, 16, 8}, []int{16, 16, 8}},
		"one":                 {1, 400, `{"message":"at most 1 input"}`, append([]int{40}, ones(40)...), ones(40)},
		"no JSON":             {20, 413, `too many inputs (max 20)`, []int{40, 20, 20}, []int{20, 20}},
		"list of details":     {32, 422, `{"detail":[{"type":"too_long","loc":["body","input"],"msg":"List should have at most 32 items after validation, not 40"}]}`, []int{40, 32, 8}, []int{32, 8}},
		"unknown, by halves":  {12, 400, `{"error":{"message":"input must be shorter"}}`, []int{40, 20, 10, 10, 10, 10}, []int{10, 10, 10, 10}},
		"tokens":              {10, 400, `{"error":{"message":"Requested 412345 tokens, max 300000 tokens per request"}}`, []int{40, 20, 10, 10, 10, 10}, []int{10, 10, 10, 10}},
		"number of a code":    {20, 400, `{"error":{"code":3,"message":"invalid for text-embedding-3-large v2 at 1,024"}}`, []int{40, 20, 20}, []int{20, 20}},
		"number of no limit":  {20, 400, `{"error":{"message":"error 39: shorter, please. error 38"}}`, []int{40, 39, 19, 19, 2}, []int{19, 19, 2}},
		"echo of a text":      {20, 422, `{"detail":[{"msg":"too many","input":["text 29 and 1"]}]}`, []int{40, 20, 20}, []int{20, 20}},
		"server error":        {12, 500, `{"error":{"message":"input is too large to process"}}`, []int{40, 20, 10, 30, 10, 10, 10}, []int{10, 10, 10, 10}},
		"server error, later": {39, 500, `{"error":{"message":"increase the batch"}}`, []int{40, 20, 20}, []int{40, 20, 20}},
	} {
		t.Run(name, func(t *testing.T) {
			var notices []string
			e := serve(t, embed.OpenAIConfig{Notice: func(line string) { notices = append(notices, line) }}, func(w http.ResponseWriter, r request, n int) {
				if len(r.Input) > tt.limit {
					http.Error(w, tt.message, tt.status)
					return
				}
				base64s(w, r, n)
			})
			if err := embedMany(t, e, 2, someTexts(40)...); err != nil {
				t.Fatal(err)
			}
			want := append(append([]int{1}, tt.want...), tt.later...)
			if diff := cmp.Diff(want, sizesOf(e.requests())); diff != "" {
				t.Errorf("texts per request (-want +got):\n%s", diff)
			}
			if len(e.waits) > 0 {
				t.Errorf("waited %v", e.waits)
			}
			size := tt.later[len(tt.later)-2]
			if len(notices) != 1 || !strings.Contains(notices[0], fmt.Sprintf("--embed-batch %d ", size)) || !strings.Contains(notices[0], "127.0.0.1:") {
				t.Errorf("notices %q, want one of size %d", notices, size)
			}
		})
	}
}

func ones(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// A fault that passes, and a text that is refused whatever comes with it, are no limit.
func TestOpenAINoBatchLimit(t *testing.T) {
	for name, tt := range map[string]struct {
		refuse  func(r request, n int) int // status
		wantErr string
		waits   int
		later   []int // sizes of a call with eight texts afterwards
	}{
		"passing fault":   {func(_ request, n int) int { return map[bool]int{true: 500}[n == 2 || n == 3] }, "", 0, []int{8}},
		"long fault":      {func(_ request, n int) int { return map[bool]int{true: 500}[n > 1 && n < 8] }, "", 2, []int{8}},
		"bad text":        {func(r request, _ int) int { return map[bool]int{true: 400}[r.Input[len(r.Input)-1] == "bad"] }, "wrong", 0, []int{8}},
		"rate limit":      {func(_ request, n int) int { return map[bool]int{true: 429}[n == 2] }, "", 1, []int{8}},
		"overload":        {func(_ request, n int) int { return map[bool]int{true: 503}[n == 2] }, "", 1, []int{8}},
		"wrong key":       {func(r request, _ int) int { return map[bool]int{true: 401}[len(r.Input) > 8] }, "wrong", 0, []int{8}},
		"unknown model":   {func(r request, _ int) int { return map[bool]int{true: 404}[len(r.Input) > 8] }, "wrong", 0, []int{8}},
		"bad gateway":     {func(_ request, n int) int { return map[bool]int{true: 502}[n == 2] }, "", 1, []int{8}},
		"no limit at all": {func(request, int) int { return 0 }, "", 0, []int{8}},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, embed.OpenAIConfig{Notice: func(line string) { t.Errorf("notice %s", line) }}, func(w http.ResponseWriter, r request, n int) {
				if status := tt.refuse(r, n); status != 0 {
					http.Error(w, "wrong", status)
					return
				}
				base64s(w, r, n)
			})
			err := embedMany(t, e, 1, append(someTexts(15), "bad")...)
			if (err != nil) != (tt.wantErr != "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("got %v, want %q", err, tt.wantErr)
			}
			if len(e.waits) != tt.waits {
				t.Errorf("waits %v, want %d", e.waits, tt.waits)
			}
			before := len(e.requests())
			if _, err := e.Embed(t.Context(), someTexts(8)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.later, sizesOf(e.requests()[before:])); diff != "" {
				t.Errorf("later (-want +got):\n%s", diff)
			}
		})
	}
}

// Concurrent calls learn a limit together and note it once.
func TestOpenAIBatchLimitShared(t *testing.T) {
	var mu sync.Mutex
	var notices []string
	e := serve(t, embed.OpenAIConfig{Notice: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		notices = append(notices, line)
	}}, func(w http.ResponseWriter, r request, n int) {
		time.Sleep(time.Millisecond)
		if len(r.Input) > 5 {
			http.Error(w, "no more than five", http.StatusBadRequest)
			return
		}
		base64s(w, r, n)
	})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := e.Embed(t.Context(), someTexts(64)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(notices) != 1 || !strings.Contains(notices[0], "per request to 4;") {
		t.Errorf("notices %q", notices)
	}
}
