package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"airqa/internal/web"
)

func handler(g *web.Guard) http.Handler {
	return g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.ParseForm() != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
	}))
}

func request(method, host, target, body string, headers map[string]string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = host
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	return r
}

func TestRequests(t *testing.T) {
	g := web.NewGuard("127.0.0.1")
	h := handler(g)
	link := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
	own := map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:8377"}
	tests := []struct {
		name, method, host, target, body string
		headers                          map[string]string
		want                             int
	}{
		{"the user types the address", "GET", "127.0.0.1:8377", "/", "", map[string]string{"Sec-Fetch-Site": "none"}, 200},
		{"localhost", "GET", "localhost:8377", "/", "", nil, 200},
		{"IPv6", "GET", "[::1]:8377", "/", "", nil, 200},
		{"another name for this address", "GET", "evil.example:8377", "/", "", nil, 403},
		{"a name that begins like ours", "GET", "127.0.0.1.evil.example", "/", "", nil, 403},
		{"no host", "GET", "", "/", "", nil, 403},
		{"an address of the network", "GET", "192.168.1.2:8377", "/", "", nil, 403},
		{"a link on another site", "GET", "127.0.0.1:8377", "/", "", link, 200},
		{"a frame on another site", "GET", "127.0.0.1:8377", "/", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403},
		{"a script of another site", "GET", "127.0.0.1:8377", "/", "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"another port of this machine", "GET", "127.0.0.1:8377", "/", "", map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403},
		{"an origin without fetch metadata", "GET", "127.0.0.1:8377", "/", "", map[string]string{"Origin": "http://evil.example"}, 403},
		{"the null origin", "GET", "127.0.0.1:8377", "/", "", map[string]string{"Origin": "null"}, 403},
		{"a form of ours", "POST", "127.0.0.1:8377", "/", "csrf=" + g.CSRF(), own, 200},
		{"a form without the token", "POST", "127.0.0.1:8377", "/", "a=b", own, 403},
		{"a form of another site", "POST", "127.0.0.1:8377", "/", "csrf=" + g.CSRF(), link, 403},
		{"a form of no site", "POST", "127.0.0.1:8377", "/", "csrf=" + g.CSRF(), nil, 403},
		{"a body without end", "POST", "127.0.0.1:8377", "/", "csrf=" + g.CSRF() + "&a=" + strings.Repeat("x", 100<<10), own, 403},
		{"another method", "DELETE", "127.0.0.1:8377", "/", "", nil, 405},
		{"an endless address", "GET", "127.0.0.1:8377", "/?q=" + strings.Repeat("x", 20000), "", nil, 414},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, request(tt.method, tt.host, tt.target, tt.body, tt.headers))
			if w.Code != tt.want {
				t.Errorf("status %d, want %d: %s", w.Code, tt.want, w.Body)
			}
		})
	}
}

// Each response, a refusal too, has the headers, and none that opens the server to other sites.
func TestHeaders(t *testing.T) {
	h := handler(web.NewGuard("127.0.0.1"))
	for _, host := range []string{"127.0.0.1", "evil.example"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request("GET", host, "/", "", map[string]string{"Access-Control-Request-Method": "GET"}))
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s %q, want %q", host, name, got, want)
			}
		}
		for name := range w.Header() {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: CORS header %s", host, name)
			}
		}
	}
}

// A server for other machines asks for the token once, moves it to a cookie, and redirects to nowhere else.
func TestToken(t *testing.T) {
	g := web.NewGuard("0.0.0.0")
	h := handler(g)
	try := func(target string, c *http.Cookie) *httptest.ResponseRecorder {
		r := request("GET", "lab-7:8377", target, "", nil)
		if c != nil {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	token, err := url.ParseQuery(strings.TrimPrefix(g.Query(), "?"))
	if err != nil || len(token.Get("token")) < 32 {
		t.Fatalf("token %v, %v", token, err)
	}
	for _, target := range []string{"/", "/?token=", "/?token=wrong"} {
		if w := try(target, nil); w.Code != http.StatusForbidden || w.Result().Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: status %d", target, w.Code)
		}
	}
	w := try("//evil.example/x"+g.Query()+"&status=wrong", nil)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/evil.example/x?status=wrong" && w.Header().Get("Location") != "/x?status=wrong" {
		t.Errorf("status %d, to %q", w.Code, w.Header().Get("Location"))
	}
	cookies := w.Result().Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("cookies %v", cookies)
	}
	if w := try("/", cookies[0]); w.Code != http.StatusOK {
		t.Errorf("with the cookie: status %d", w.Code)
	}
	if w := try("/", &http.Cookie{Name: cookies[0].Name, Value: "wrong"}); w.Code != http.StatusForbidden {
		t.Errorf("with another cookie: status %d", w.Code)
	}
	if web.NewGuard("::1").Query() != "" || web.NewGuard("localhost").Query() != "" {
		t.Error("a server on the loopback asks for a token")
	}
}
