package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Limits of a request.
const (
	// MaxHeader is the maximum size of all headers in bytes, for [http.Server].
	MaxHeader = 16 << 10
	// maxBody is the maximum size of the body of a request.
	maxBody = 64 << 10
	// maxAddress is the maximum length of an address.
	maxAddress = 8 << 10
)

// Names of what the browser sends back.
const (
	tokenCookie = "airqa-view"
	tokenParam  = "token"
	tokenHeader = "X-CSRF-Token"
	// TokenField is the name of the form field with [Guard.CSRF].
	TokenField = "csrf"
)

// Guard checks requests. It is safe for concurrent use.
type Guard struct {
	// secret is the access token of a server that is not on the loopback; empty otherwise.
	secret string
	csrf   string
	host   string
}

// NewGuard returns the guard of a server that listens on host, an address or a name. Its tokens are new.
func NewGuard(host string) *Guard { return NewKeyedGuard(host, rand.Text()) }

// NewKeyedGuard is [NewGuard] with tokens that depend on a secret key, so that pages and addresses outlive a restart of the server.
func NewKeyedGuard(host, key string) *Guard {
	g := &Guard{csrf: derived(key, "csrf"), host: host}
	if !Loopback(host) {
		g.secret = derived(key, "access")
	}
	return g
}

func derived(key, purpose string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(purpose))
	return hex.EncodeToString(mac.Sum(nil))[:32]
}

// Loopback reports whether a host is this machine under a name that no other site can have.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// OnlyLoopback is the refusal of a request that does not pass [NamesLoopback].
const OnlyLoopback = "this server answers to localhost, 127.0.0.1 and [::1] only"

// NamesLoopback reports whether a request names this machine as [Loopback] means it: the name of another site may lead here.
func NamesLoopback(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil { // it has no port
		host = strings.Trim(r.Host, "[]")
	}
	return Loopback(host)
}

// CSRF is the token that a request with an effect must have, as the header X-CSRF-Token or the field [TokenField].
func (g *Guard) CSRF() string { return g.csrf }

// Query is what the first address needs: "?token=…", or "" on the loopback.
func (g *Guard) Query() string {
	if g.secret == "" {
		return ""
	}
	return "?" + tokenParam + "=" + g.secret
}

// Address is the address to open of a server that listens at an address, with the token if it needs one.
func (g *Guard) Address(at net.Addr) string {
	port := 0
	if tcp, ok := at.(*net.TCPAddr); ok {
		port = tcp.Port
	}
	host := g.host
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return fmt.Sprintf("http://%s/%s", net.JoinHostPort(host, fmt.Sprint(port)), g.Query())
}

// policy allows scripts, styles and images of the server itself and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Wrap checks each request before next and sets the headers of each response.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cache-Control", "no-store")
		if code, why := g.refuses(r); code != 0 {
			http.Error(w, why, code)
			return
		}
		if g.enter(w, r) {
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if r.Method == http.MethodPost {
			token := r.Header.Get(tokenHeader)
			if token == "" {
				token = r.PostFormValue(TokenField)
			}
			if !equalTokens(token, g.csrf) {
				http.Error(w, "this request lacks the token of the page; reload the page and try again", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// refuses returns the status and the reason of a refusal, or 0.
func (g *Guard) refuses(r *http.Request) (code int, why string) {
	cookie, err := r.Cookie(tokenCookie)
	known := err == nil && equalTokens(cookie.Value, g.secret)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "only GET, HEAD and POST are answered"
	case len(r.URL.String()) > maxAddress:
		return http.StatusRequestURITooLong, "the address is too long"
	case g.secret == "" && !NamesLoopback(r):
		return http.StatusForbidden, OnlyLoopback
	case !fromHere(r):
		return http.StatusForbidden, "this request comes from another site"
	case g.secret != "" && !known && !equalTokens(r.URL.Query().Get(tokenParam), g.secret):
		return http.StatusForbidden, "open the address that the server printed: it has the token"
	}
	return 0, ""
}

// fromHere reports whether a request comes from a page of this server or from the user: a link elsewhere may lead here,
// but no other page may load anything, or send a form.
func fromHere(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
	case "": // an old browser, or no browser
		if r.Method == http.MethodPost && r.Header.Get("Origin") == "" {
			return false
		}
	default:
		linked := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
		if !linked {
			return false
		}
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// enter moves the token from the address to a cookie and sends the browser to the address without it.
func (g *Guard) enter(w http.ResponseWriter, r *http.Request) bool {
	q := r.URL.Query()
	if g.secret == "" || !q.Has(tokenParam) || r.Method != http.MethodGet {
		return false
	}
	if equalTokens(q.Get(tokenParam), g.secret) {
		http.SetCookie(w, &http.Cookie{Name: tokenCookie, Value: g.secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
	q.Del(tokenParam)
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/"), RawQuery: q.Encode()}
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
	return true
}

func equalTokens(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
