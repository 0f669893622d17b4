package viewer_test

import (
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"airqa/internal/testkit"
	"airqa/internal/testkit/viewertest"
	"airqa/trace"
	"airqa/viewer"
)

// open starts a server over the runs of viewertest.
func open(t *testing.T) (server *httptest.Server, folder string) {
	t.Helper()
	folder = viewertest.Folder(t)
	return serve(t, folder), folder
}

func serve(t *testing.T, folder string) *httptest.Server {
	t.Helper()
	l, err := trace.Open(t.Context(), []string{folder}, trace.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return start(t, l)
}

func start(t *testing.T, l *trace.Library) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(viewer.New(viewer.Config{Library: l, Host: "127.0.0.1", Log: slog.New(slog.NewTextHandler(io.Discard, nil))}))
	t.Cleanup(server.Close)
	return server
}

// answer is what a test needs of a response.
type answer struct {
	StatusCode int
	Header     http.Header
}

func get(t *testing.T, address string) (answer, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{reply.StatusCode, reply.Header}, string(raw)
}

var (
	linkPattern = regexp.MustCompile(`(?:href|src|action|data-copy|data-chunk)="([^"]*)"`)
	idPattern   = regexp.MustCompile(`\bid="([^"]*)"`)
)

// Every link of every page leads to a page, and every anchor to an element. No page needs another server.
func TestLinks(t *testing.T) {
	server, _ := open(t)
	seen := map[string]bool{}
	todo := []string{"/", "/search?q=window", "/search?q=nothing+at+all", "/?status=failed&grep=nothing", "/matrix?only=differing", "/diff?cell=alpha/" + url.QueryEscape(viewertest.WrongID+"#0") + "&cell=beta/" + url.QueryEscape(viewertest.RightID+"#1")}
	anchors := map[string][]string{}
	ids := map[string]map[string]bool{}
	most := testkit.Rounds(60, 400)
	for len(todo) > 0 && len(seen) < most {
		target := todo[0]
		todo = todo[1:]
		if seen[target] {
			continue
		}
		seen[target] = true
		reply, body := get(t, server.URL+target)
		if reply.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", target, reply.StatusCode)
			continue
		}
		if !strings.HasPrefix(reply.Header.Get("Content-Type"), "text/html") {
			continue
		}
		ids[target] = map[string]bool{}
		for _, m := range idPattern.FindAllStringSubmatch(body, -1) {
			if ids[target][m[1]] {
				t.Errorf("%s: the id %s is there twice", target, m[1])
			}
			ids[target][html.UnescapeString(m[1])] = true
		}
		body = regexp.MustCompile(`<form method="post" action="[^"]*"|action="/diff"`).ReplaceAllString(body, "")
		for _, m := range linkPattern.FindAllStringSubmatch(body, -1) {
			to, err := url.Parse(html.UnescapeString(m[1]))
			if err != nil || to.IsAbs() || to.Host != "" {
				t.Errorf("%s: link to %q, %v", target, m[1], err)
				continue
			}
			page := to.EscapedPath()
			if page == "" {
				page, to.RawQuery, _ = strings.Cut(target, "?")
			}
			if to.RawQuery != "" {
				page += "?" + to.RawQuery
			}
			if to.Fragment != "" && !strings.HasPrefix(m[1], "#command") {
				anchors[page] = append(anchors[page], to.Fragment)
			}
			todo = append(todo, page)
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d pages", len(seen))
	}
	for page, list := range anchors {
		for _, id := range list {
			if ids[page] != nil && !ids[page][id] {
				t.Errorf("%s: no element %q", page, id)
			}
		}
	}
}

var comparePattern = regexp.MustCompile(`<a class="button" id="compare" href="([^"]*)">([^<]*)</a>`)

// The page of a question leads to a comparison with the next run or repeat, and after the last with the first.
func TestCompare(t *testing.T) {
	server, _ := open(t)
	name := func(repeat string) string { return url.PathEscape(viewertest.WrongID + repeat) }
	for _, tt := range []struct{ page, label, other string }{
		{"/episode/alpha/" + name("#0"), "Compare with beta", "/episode/beta/" + name("#0")},
		{"/episode/beta/" + name("#0"), "Compare with beta repeat 1", "/episode/beta/" + name("#1")},
		{"/episode/beta/" + name("#1"), "Compare with alpha", "/episode/alpha/" + name("#0")},
		{"/triage", "Compare with beta", "/episode/beta/" + name("#0")},
	} {
		_, body := get(t, server.URL+tt.page)
		link := comparePattern.FindStringSubmatch(body)
		if link == nil || link[2] != tt.label {
			t.Errorf("%s: link %q, want %q", tt.page, link, tt.label)
			continue
		}
		reply, body := get(t, server.URL+html.UnescapeString(link[1]))
		if reply.StatusCode != http.StatusOK || !strings.Contains(body, `<a href="`+tt.other) {
			t.Errorf("%s: %s has status %d", tt.page, link[1], reply.StatusCode)
		}
	}
}

// A question that no other run or repeat has is compared with nothing.
func TestCompareAlone(t *testing.T) {
	server := serve(t, filepath.Join(viewertest.Folder(t), "alpha"))
	_, body := get(t, server.URL+"/episode/alpha/"+url.PathEscape(viewertest.WrongID+"#0"))
	if !strings.Contains(body, `id="steps"`) || strings.Contains(body, `id="compare"`) {
		t.Error("there is a link, or no page")
	}
}

// Runs of equal folders are named by their paths, also in a comparison.
func TestCompareEqualFolders(t *testing.T) {
	first, second := filepath.Join(viewertest.Folder(t), "alpha"), filepath.Join(viewertest.Folder(t), "alpha")
	l, err := trace.Open(t.Context(), []string{first, second}, trace.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, l)
	_, body := get(t, server.URL+"/episode/"+url.PathEscape(first)+"/"+url.PathEscape(viewertest.WrongID+"#0"))
	link := comparePattern.FindStringSubmatch(body)
	if link == nil || link[2] != "Compare with "+second {
		t.Fatalf("link %q", link)
	}
	if reply, _ := get(t, server.URL+html.UnescapeString(link[1])); reply.StatusCode != http.StatusOK {
		t.Errorf("%s: status %d", link[1], reply.StatusCode)
	}
}

// Nothing outside of a run is served, whatever the address.
func TestNothingElseIsServed(t *testing.T) {
	server, folder := open(t)
	viewertest.Spoil(t, filepath.Join(folder, "secret.png"), "secret")
	viewertest.Spoil(t, filepath.Join(folder, "secret.txt"), "secret")
	for _, target := range []string{
		"/image/alpha/..%2F..%2Fsecret", "/image/alpha/..%2f..%2fsecret.png", "/image/..%2f/secret", "/image/alpha/" + strings.Repeat("0", 64), "/image/alpha/",
		"/assets/../viewer.go", "/assets/%2e%2e/assets.go", "/assets/style.css", "/assets/", "/text/alpha/" + url.PathEscape(viewertest.RightID+"#0") + "/..%2f..%2fsecret",
		"/text/alpha/" + url.PathEscape(viewertest.RightID+"#0") + "/steps.99.reply.text", "/text/alpha/" + url.PathEscape(viewertest.RightID+"#0") + "/steps.-1.reply.text",
		"/text/alpha/" + url.PathEscape(viewertest.RightID+"#0") + "/messages.99999999999999999999.text",
		"/episode/alpha/nothing", "/episode/nothing/nothing", "/json/alpha/..", "/run.json", "/alpha/run.json", "/?run=..%2F..", "/?status=odd", "/?limit=x", "/favicon.ico",
	} {
		reply, body := get(t, server.URL+target)
		if reply.StatusCode != http.StatusNotFound || strings.Contains(body, "secret\n") || body == "secret" {
			t.Errorf("%s: status %d, %.80q", target, reply.StatusCode, body)
		}
	}
}

// Texts of questions, models and papers never become markup, and raw ones are inert.
func TestHostileTexts(t *testing.T) {
	server, _ := open(t)
	episode := url.PathEscape(viewertest.WrongID + "#0")
	for _, target := range []string{"/", "/matrix", "/search?q=%3Cscript%3E", "/diff?cell=alpha/" + episode + "&cell=beta/" + episode, "/episode/alpha/" + episode, "/?grep=%3Cscript%3E", "/?tag=%3Cscript%3E"} {
		_, body := get(t, server.URL+target)
		for _, bad := range []string{"<script>window", "<img src=x", "<b onmouseover", "\x1b", "\x00", "\u202e", "\xff"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %q", target, bad)
			}
		}
	}
	for _, target := range []string{"/text/alpha/" + episode + "/steps.1.reply.text", "/markdown/alpha/" + episode, "/json/alpha/" + episode} {
		reply, body := get(t, server.URL+target)
		kind := reply.Header.Get("Content-Type")
		if !strings.Contains(body, "window.hacked") || kind != "text/plain; charset=utf-8" && kind != "application/json" {
			t.Errorf("%s: %s", target, kind)
		}
		if got := reply.Header.Get("Content-Security-Policy"); got != "default-src 'none'; sandbox" {
			t.Errorf("%s: policy %q", target, got)
		}
	}
}

// A long text is cut on the page, and is whole at its own address.
func TestLongText(t *testing.T) {
	testkit.Long(t, "a text of 20 MB")
	folder := viewertest.Folder(t)
	const long = 20_000_000
	viewertest.Long(t, filepath.Join(folder, "alpha"), long)
	server := serve(t, folder)
	episode := url.PathEscape(viewertest.LiveID + "#7")
	_, body := get(t, server.URL+"/episode/alpha/"+episode)
	if len(body) > 200_000 || !strings.Contains(body, "Show all 20.0 MB") || !strings.Contains(body, "needle123") {
		t.Errorf("%d bytes", len(body))
	}
	if _, body = get(t, server.URL+"/text/alpha/"+episode+"/steps.1.observation.text"); len(body) != long {
		t.Errorf("%d bytes, want %d", len(body), long)
	}
}

// Empty lists have different reasons, and a filter never hides how many there are.
func TestSilences(t *testing.T) {
	server, _ := open(t)
	tests := map[string]string{
		"/?status=damaged":            "No episode matches this filter: 0 of 15.",
		"/?status=wrong":              "3 of 15",
		"/":                           "15 episodes",
		"/search?q=this+is+not+there": "No matches.",
	}
	for target, want := range tests {
		if _, body := get(t, server.URL+target); !strings.Contains(body, want) {
			t.Errorf("%s lacks %q", target, want)
		}
	}
}

// A run that was damaged is shown as far as it can be read, and what cannot is named.
func TestDamagedRun(t *testing.T) {
	folder := viewertest.Folder(t)
	viewertest.Damage(t, filepath.Join(folder, "alpha"))
	server := serve(t, folder)
	if _, body := get(t, server.URL+"/"); !strings.Contains(body, "Could not be read") {
		t.Error("the overview does not name what could not be read")
	}
}

// Assets can be kept for good, and their names change with their contents.
func TestAssets(t *testing.T) {
	server, _ := open(t)
	_, body := get(t, server.URL+"/")
	address := regexp.MustCompile(`/assets/app\.[0-9a-f]{16}\.js`).FindString(body)
	reply, script := get(t, server.URL+address)
	if reply.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" || !strings.HasPrefix(reply.Header.Get("Content-Type"), "text/javascript") {
		t.Errorf("headers %v", reply.Header)
	}
	if strings.Contains(script, `"./dom.js"`) || !regexp.MustCompile(`"\./dom\.[0-9a-f]{16}\.js"`).MatchString(script) {
		t.Error("an import has no hash")
	}
}

// post sends a form as a page of the server does, and returns where it leads.
func post(t *testing.T, server *httptest.Server, target string, fields url.Values) (code int, to string) {
	t.Helper()
	_, body := get(t, server.URL+"/")
	fields.Set("csrf", regexp.MustCompile(`name="csrf" content="([0-9a-f]+)"`).FindStringSubmatch(body)[1])
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+target, strings.NewReader(fields.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	reply, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	return reply.StatusCode, reply.Header.Get("Location")
}

// The queue shows the next wrong answer without a decision, counts, skips, undoes, and survives a restart.
func TestTriage(t *testing.T) {
	server, folder := open(t)
	progress := func(target, want string) {
		t.Helper()
		if _, body := get(t, server.URL+target); !strings.Contains(body, want) {
			t.Errorf("%s lacks %q", target, want)
		}
	}
	answer := func(run, episode, cause string) (int, string) {
		return post(t, server, "/triage/decide?run=beta", url.Values{"of": {run}, "episode": {episode}, "cause": {cause}})
	}
	progress("/triage?run=beta", "Triage: 0 of 2")
	if code, to := answer("beta", viewertest.WrongID+"#0", "wrong_gold"); code != http.StatusSeeOther || to != "/triage?run=beta" {
		t.Errorf("status %d, to %s", code, to)
	}
	progress("/triage?run=beta", "Triage: 1 of 2")
	progress("/triage?run=beta", viewertest.WrongID+"#1")
	progress("/triage?run=beta&after="+url.QueryEscape("beta/"+viewertest.WrongID+"#1"), "1 of 2 wrong answers have a decision; you skipped the others")
	server = serve(t, folder)
	progress("/triage?run=beta", "Triage: 1 of 2")
	answer("beta", viewertest.WrongID+"#1", "repetition")
	progress("/triage?run=beta", "All 2 wrong answers have a decision")
	code, to := post(t, server, "/triage/undo?run=beta", url.Values{})
	if code != http.StatusSeeOther {
		t.Errorf("status %d", code)
	}
	progress(to, "Triage: 1 of 2")
	for name, fields := range map[string]url.Values{
		"a cause that does not exist": {"of": {"beta"}, "episode": {viewertest.WrongID + "#0"}, "cause": {"<b>"}},
		"a run that does not exist":   {"of": {"../beta"}, "episode": {viewertest.WrongID + "#0"}, "cause": {"repetition"}},
		"an episode of nothing":       {"of": {"beta"}, "episode": {"x"}, "cause": {"repetition"}},
	} {
		if code, _ := post(t, server, "/triage/decide", fields); code != http.StatusBadRequest && code != http.StatusNotFound {
			t.Errorf("%s: status %d", name, code)
		}
	}
}

// A comment is anchored to the text that it quotes, shown there, and removed.
func TestComments(t *testing.T) {
	server, _ := open(t)
	page := "/episode/alpha/" + url.PathEscape(viewertest.RightID+"#0")
	form := url.Values{
		"run": {"alpha"}, "episode": {viewertest.RightID + "#0"}, "step": {"0"}, "field": {"steps.1.observation.text"}, "quote": {"384 tokens"},
		"text": {"Table 3 has another number " + viewertest.Markup},
	}
	if code, to := post(t, server, "/note", form); code != http.StatusSeeOther || to != page+"#notes" {
		t.Errorf("status %d, to %s", code, to)
	}
	_, body := get(t, server.URL+page)
	id := regexp.MustCompile(`<mark class="noted" id="note-([0-9a-f]+)" title="[^"]*">384 tokens</mark>`).FindStringSubmatch(body)
	if id == nil || strings.Contains(body, "<script>window") || !strings.Contains(body, `<a href="#note-`+id[1]) {
		t.Fatalf("the comment is not at its place")
	}
	form.Set("id", id[1])
	if code, _ := post(t, server, "/note/remove", form); code != http.StatusSeeOther {
		t.Errorf("status %d", code)
	}
	if _, body = get(t, server.URL+page); strings.Contains(body, "note-"+id[1]) {
		t.Error("the comment is still there")
	}
	for _, step := range []string{"-1", "99", "x"} {
		form.Set("step", step)
		if code, _ := post(t, server, "/note", form); code != http.StatusBadRequest {
			t.Errorf("step %s: status %d", step, code)
		}
	}
}
