package collect_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"airqa/bench/argscichat/collect"
)

// site is a server without a network, with a clock that the test moves.
type site struct {
	t      *testing.T
	server *collect.Server
	now    time.Time
	log    bytes.Buffer
	csrf   string
	tick   func()
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, now: time.Date(2027, 3, 1, 9, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return s.now }
	st, err := study(folder(t), clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	for _, code := range []string{"ada-secret-1", "ben-secret-2"} {
		st.Arrive(st.Enter(code))
	}
	log := slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.server = collect.NewServer(collect.ServerConfig{Study: st, Host: "127.0.0.1", Log: log, Now: clock})
	s.tick = func() {
		if _, err := st.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.tick()
	s.csrf = regexp.MustCompile(`name="csrf" content="([^"]+)"`).FindStringSubmatch(s.ask("GET", "/", nil, nil).Body.String())[1]
	return s
}

// ask sends a request; a form is sent with the token of the page.
func (s *site) ask(method, target string, form url.Values, cookie *http.Cookie) *httptest.ResponseRecorder {
	s.t.Helper()
	if form != nil {
		form.Set("csrf", s.csrf)
	}
	r := httptest.NewRequestWithContext(s.t.Context(), method, target, strings.NewReader(form.Encode()))
	r.Host = "127.0.0.1"
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://127.0.0.1")
	}
	if cookie != nil {
		r.AddCookie(cookie)
	}
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, r)
	return w
}

func (s *site) enter(code string) *http.Cookie {
	s.t.Helper()
	w := s.ask("POST", "/enter", url.Values{"code": {code}}, nil)
	cookies := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/" || len(cookies) != 1 {
		s.t.Fatalf("enter: %d to %q", w.Code, w.Header().Get("Location"))
	}
	return cookies[0]
}

func TestEnter(t *testing.T) {
	s := newSite(t)
	c := s.enter("ada-secret-1")
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || strings.Contains(c.Value, "secret") {
		t.Errorf("cookie %+v", c)
	}
	page := s.ask("GET", "/", nil, c)
	if !strings.Contains(page.Body.String(), "You are the <strong>Proponent</strong>") || !strings.Contains(page.Header().Get("Content-Security-Policy"), "script-src 'self'") {
		t.Errorf("page: %s", page.Body)
	}
	forged := &http.Cookie{Name: c.Name, Value: c.Value[1:] + "0"}
	if got := s.ask("POST", "/send", url.Values{"dialogue": {"1"}, "n": {"0"}, "text": {"x"}}, forged); got.Code != http.StatusForbidden {
		t.Errorf("a forged ticket: %d", got.Code)
	}
	for i := range 10 {
		if w := s.ask("POST", "/enter", url.Values{"code": {"wrong-secret"}}, nil); w.Code != http.StatusForbidden || len(w.Result().Cookies()) > 0 {
			t.Fatalf("wrong code %d: %d", i, w.Code)
		}
	}
	s.enter("ada-secret-1") // behind a tunnel, another person at the same address
	codes := make(chan int, 30)
	for range cap(codes) {
		go func() { codes <- s.ask("POST", "/enter", url.Values{"code": {"wrong-secret"}}, nil).Code }()
	}
	answers := make(map[int]int)
	for range cap(codes) {
		answers[<-codes]++
	}
	if answers[http.StatusTooManyRequests] == 0 || answers[http.StatusForbidden] == 0 {
		t.Errorf("many wrong codes at once: %v", answers)
	}
	if strings.Contains(s.log.String(), "secret") {
		t.Errorf("the log has a code: %s", s.log.String())
	}
}

// Requests of other sites, under other names and without the token of the page are refused.
func TestGuarded(t *testing.T) {
	s := newSite(t)
	c := s.enter("ada-secret-1")
	message := url.Values{"dialogue": {"1"}, "n": {"0"}, "text": {"Why?"}}.Encode()
	for name, change := range map[string]func(*http.Request){
		"host":   func(r *http.Request) { r.Host = "evil.example" },
		"origin": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"token":  func(r *http.Request) { r.Header.Del("X-CSRF-Token") },
		"cookie": func(r *http.Request) { r.Header.Del("Cookie") },
		"":       func(*http.Request) {},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/send", strings.NewReader(message))
		r.Host = "127.0.0.1"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://127.0.0.1")
		r.Header.Set("X-CSRF-Token", s.csrf)
		r.AddCookie(c)
		change(r)
		w := httptest.NewRecorder()
		s.server.ServeHTTP(w, r)
		want := http.StatusForbidden
		if name == "" {
			want = http.StatusNoContent
		}
		if w.Code != want {
			t.Errorf("%q: %d, want %d", name, w.Code, want)
		}
	}
}

// The server answers each kind of message with its status, and the page of the proponent never has the paper.
func TestSend(t *testing.T) {
	s := newSite(t)
	ada, ben := s.enter("ada-secret-1"), s.enter("ben-secret-2")
	tests := []struct {
		name string
		by   *http.Cookie
		form url.Values
		want int
	}{
		{"not a number", ada, url.Values{"dialogue": {"1"}, "n": {""}, "text": {"Why?"}}, http.StatusBadRequest},
		{"wrong turn", ben, url.Values{"dialogue": {"1"}, "n": {"0"}, "text": {"Why?"}}, http.StatusConflict},
		{"question", ada, url.Values{"dialogue": {"1"}, "n": {"0"}, "text": {"Why? <script>window.hacked=1</script> \u202egnp"}}, http.StatusNoContent},
		{"again", ada, url.Values{"dialogue": {"1"}, "n": {"0"}, "text": {"Why? <script>window.hacked=1</script> \u202egnp"}}, http.StatusNoContent},
		{"third rationale", ben, url.Values{"dialogue": {"1"}, "n": {"1"}, "text": {"So."}, "fact": {"0", "1", "2"}}, http.StatusConflict},
		{"no rationale", ben, url.Values{"dialogue": {"1"}, "n": {"1"}, "text": {"So."}}, http.StatusPreconditionRequired},
		{"confirmed", ben, url.Values{"dialogue": {"1"}, "n": {"1"}, "text": {"So."}, "bare": {"1"}}, http.StatusNoContent},
		{"labels too early", ada, nil, http.StatusConflict},
	}
	for _, tt := range tests {
		target := "/send"
		if tt.form == nil {
			target, tt.form = "/labels", url.Values{"dialogue": {"1"}, "m0": {"Ask_Info", "", ""}}
		}
		if w := s.ask("POST", target, tt.form, tt.by); w.Code != tt.want {
			t.Errorf("%s: %d %s, want %d", tt.name, w.Code, w.Body, tt.want)
		}
	}
	page := s.ask("GET", "/", nil, ada).Body.String()
	for _, bad := range []string{"Heads attend", "<script>window", "\u202e", "secret"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(page, `<article class="card said`); n != 2 {
		t.Errorf("%d messages on the page", n)
	}
}

// A notice appears when it is due, and the end is shown with its reason.
func TestNotice(t *testing.T) {
	s := newSite(t)
	ada, ben := s.enter("ada-secret-1"), s.enter("ben-secret-2")
	for n, by := range []*http.Cookie{ada, ben, ada, ben, ada} {
		s.now = s.now.Add(200 * time.Second)
		form := url.Values{"dialogue": {"1"}, "n": {string(rune('0' + n))}, "text": {"Words."}, "bare": {"1"}}
		if w := s.ask("POST", "/send", form, by); w.Code != http.StatusNoContent {
			t.Fatalf("message %d: %d %s", n, w.Code, w.Body)
		}
	}
	if page := s.ask("GET", "/", nil, ben).Body.String(); !strings.Contains(page, "The dialogue ends in 4 min.") || !strings.Contains(page, `data-left="200000"`) {
		t.Errorf("after 1,000 s:\n%s", page)
	}
	s.now = s.now.Add(200 * time.Second)
	s.tick()
	if page := s.ask("GET", "/", nil, ben).Body.String(); !strings.Contains(page, "its time is over") || !strings.Contains(page, `<select name="m1"`) || strings.Contains(page, `<select name="m0"`) {
		t.Errorf("after the end:\n%s", page)
	}
}
