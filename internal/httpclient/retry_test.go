package httpclient_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/httpclient"
)

func TestRetry(t *testing.T) {
	busy, fatal := errors.New("busy"), errors.New("fatal")
	again := func(after time.Duration) error { return &httpclient.Transient{Err: busy, After: after} }
	for name, test := range map[string]struct {
		errs  []error
		exact bool
		want  error
		slept []time.Duration
	}{
		"success":        {[]error{nil}, false, nil, nil},
		"later success":  {[]error{again(0), again(0), nil}, false, nil, []time.Duration{1 * time.Second, 2 * time.Second}},
		"fatal":          {[]error{again(0), fatal}, false, fatal, []time.Duration{time.Second}},
		"too often":      {[]error{again(0), again(0), again(0), again(0)}, false, busy, []time.Duration{1 * time.Second, 2 * time.Second, 3 * time.Second}},
		"asked to wait":  {[]error{again(9 * time.Second), nil}, false, nil, []time.Duration{9 * time.Second}},
		"a short wait":   {[]error{again(0), again(time.Second), nil}, false, nil, []time.Duration{time.Second, 2 * time.Second}},
		"an exact pause": {[]error{again(0), again(time.Second), nil}, true, nil, []time.Duration{time.Second, time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			var slept []time.Duration
			p := httpclient.Policy{
				Tries: 4, Exact: test.exact, Backoff: httpclient.Backoff{First: time.Second, Longest: 3 * time.Second},
				Sleep: func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil },
			}
			calls := 0
			err := httpclient.Retry(t.Context(), p, func() error { calls++; return test.errs[calls-1] })
			if !errors.Is(err, test.want) || calls != len(test.errs) {
				t.Errorf("error %v after %d calls, want %v after %d", err, calls, test.want, len(test.errs))
			}
			if diff := cmp.Diff(test.slept, slept); diff != "" {
				t.Errorf("pauses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRetryIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := httpclient.Policy{Tries: 9, Backoff: httpclient.Backoff{First: time.Hour, Longest: time.Hour}}
	err := httpclient.Retry(ctx, p, func() error { cancel(); return &httpclient.Transient{Err: errors.New("busy")} })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestJitter(t *testing.T) {
	b := httpclient.Backoff{First: time.Second, Longest: time.Minute, Rand: func() float64 { return 0.5 }}
	if got := []time.Duration{b.Pause(1), b.Pause(2), b.Pause(99)}; got[0] != 750*time.Millisecond || got[1] != 1500*time.Millisecond || got[2] != 45*time.Second {
		t.Errorf("pauses %v", got)
	}
}

func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, test := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", "2.5", 2500 * time.Millisecond},
		{"Retry-After", "Fri, 02 Jan 2026 03:04:35 GMT", 30 * time.Second},
		{"Retry-After", "Thu, 01 Jan 2026 00:00:00 GMT", 0},
		{"Retry-After", "-3", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "999999999999", 1 << 31 * time.Second},
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond},
	} {
		if got := httpclient.RetryAfter(http.Header{test.name: {test.value}}, now); got != test.want {
			t.Errorf("%s: %s is %v, want %v", test.name, test.value, got, test.want)
		}
	}
	if got := httpclient.RetryAfter(http.Header{}, now); got != 0 {
		t.Errorf("no header is %v", got)
	}
}

func TestReadAll(t *testing.T) {
	if got, err := httpclient.ReadAll(strings.NewReader("12345"), 5); err != nil || string(got) != "12345" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := httpclient.ReadAll(strings.NewReader("123456"), 5); !errors.Is(err, httpclient.ErrTooLarge) || string(got) != "12345" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestNoRedirects(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	s := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader("secret"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := httpclient.New(1, time.Minute).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestRedact(t *testing.T) {
	headers := http.Header{"X-Gate": {"Bearer planted-word", "short"}}
	for text, want := range map[string]string{
		"bad key sk-12345678": "bad key [key]", "fine": "fine", "no Bearer planted-word": "no [key]", "planted-word, short": "[key], short",
	} {
		if got := httpclient.Redact(text, "sk-12345678", headers); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := httpclient.Redact("an EMPTY key", "EMPTY", nil); got != "an EMPTY key" {
		t.Errorf("a stand-in was taken out: %q", got)
	}
}
