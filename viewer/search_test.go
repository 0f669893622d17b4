package viewer_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"airqa/internal/testkit"
	"airqa/internal/testkit/viewertest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/tools"
	"airqa/trace"
	"airqa/trace/text"
)

// The texts of an episode whose log has them in other forms than people see: in JSON, with escapes, decomposed, cut.
var (
	odd = []string{
		"An e\ufb03cient encoder,\nas the \"hello world\" of this field,\r\nreads $\\alpha_1 = 3$ tokens\tand C:\\new\\table files.",
		"Cafe\u0301 Müller’s table:\u00a0the first\u2003value is 10−3,\n\nthe second “quoted” one is <td>0.35</td><tr><td>0.36</td></tr> in all.",
		"日本語の 文章 と 한국어 문장 and\nthe soft\u00adhyphen \\n is no line \\u0041 end {\"a\": [1, \"b\"]} here.",
		"A colour \x1b[31m red \u202e and a null \x00 between\nplain words of the last passage.",
	}
	statement = "SELECT p.title, (SELECT count(*) FROM chunks c WHERE c.pdf_id = p.pdf_id AND c.text LIKE '%it''s \"so\"%') AS n,\n\t" +
		"max(p.pages) FROM papers p JOIN notes USING (pdf_id) WHERE p.year > 2020 AND (p.title ILIKE '%loss%' OR p.n IN (1,2,3)) ORDER BY n"
)

// oddRun writes a run with those texts in every kind of text of an episode.
func oddRun(t *testing.T) string {
	t.Helper()
	folder := viewertest.Folder(t)
	w := viewertest.Writer(t, filepath.Join(folder, "alpha"))
	e, err := w.Begin(viewertest.LiveID, 9, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Message(qa.Message{Role: qa.User, Text: "[Question]: " + strings.Join(odd, "\n")}); err != nil {
		t.Fatal(err)
	}
	call := qa.Action{Name: "Query", Text: "Query(sql='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`).Replace(statement) + "')", Args: map[string]any{"sql": statement}}
	var passages, cells strings.Builder
	for i, s := range odd {
		fmt.Fprintf(&passages, `{"score": 0.%d, "text": %s, "pdf_id": %q, "page_number": %d}`+"\n", 9-i, tools.JSONValue(s), viewertest.PaperID, i+1)
		fmt.Fprintf(&cells, `{"name": %s, "number": %d, "more": %s}`+"\n", tools.JSONValue(s), i, tools.JSONValue("short text "+fmt.Sprint(i)))
	}
	passages.WriteString("(4 rows)")
	short := strings.Repeat(`{"year": 2031, "title": "A model of herons", "venue": "Pond \"A\""}`+"\n", 3) + "(3 rows)"
	for i, o := range []qa.Observation{
		{Status: qa.StatusOK, Text: passages.String()},
		{Status: qa.StatusOK, Text: cells.String() + "(4 rows)"},
		{Status: qa.StatusOK, Text: short},
		{Status: qa.StatusError, Text: "[Error]: " + strings.Join(odd, " ")},
		{
			Status: qa.StatusOK, Text: strings.SplitAfter(cells.String(), "\n")[0] + "(1 row shown)", Full: cells.String(),
			Cut: &qa.Cut{Reason: "tokens", RowsShown: 1, RowsTotal: 4, Tokens: 9, TokenLimit: 9},
		},
	} {
		reply, a := "[Thought]: "+odd[i%len(odd)]+"\n[Action]: "+call.Text, call
		a.Start, a.End = len(reply)-len(a.Text), len(reply)
		s := viewertest.Step(i+1, reply, &a, &o)
		s.ThoughtAt = qa.Span{First: 11, End: 11 + len(odd[i%len(odd)])}
		s.Reply.Reasoning = "I reason. " + odd[(i+1)%len(odd)]
		viewertest.Append(t, e, s)
	}
	if err := e.End(qa.Trajectory{Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: odd[1]}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return folder
}

// heading are the lines between texts that `airqa trace` adds.
var heading = regexp.MustCompile(`^( {0,3}\S.*|    \d+\. score .*|    row \d+|    \(\d+ rows?.*\)|    \[.* not shown to the model\])$`)

// shownTexts are the texts of an episode as `airqa trace` prints them.
func shownTexts(t *testing.T, e trace.Episode) (list []string) {
	t.Helper()
	var out strings.Builder
	if err := text.Episode(&out, e, text.PageOptions{Width: 70}); err != nil {
		t.Fatal(err)
	}
	block := ""
	for line := range strings.Lines(out.String()) {
		if !heading.MatchString(strings.TrimSuffix(line, "\n")) {
			block += line
			continue
		}
		list, block = append(list, block), ""
	}
	return slices.DeleteFunc(append(list, block), func(s string) bool { return len(strings.Fields(s)) < 6 })
}

// Every six words that `airqa trace` shows are found: in the list of the command and of the page, and by the page's search.
func TestSearchFindsWhatIsShown(t *testing.T) {
	folder := oddRun(t)
	l, err := trace.Open(t.Context(), []string{folder}, trace.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, l)
	run, episode := filepath.Join(folder, "alpha"), qa.EpisodeID(viewertest.LiveID, 9)
	e, err := l.Run(run).Episode(t.Context(), episode)
	if err != nil {
		t.Fatal(err)
	}
	texts, random := shownTexts(t, e), rand.New(rand.NewPCG(3, 5))
	words := regexp.MustCompile(`\S+`)
	for i := range testkit.Rounds(40, 150) {
		shown := texts[random.IntN(len(texts))]
		at := words.FindAllStringIndex(shown, -1)
		first := random.IntN(len(at) - 5)
		phrase := shown[at[first][0]:at[first+5][1]]
		switch i % 4 {
		case 1:
			phrase = strings.ToUpper(phrase)
		case 2:
			phrase = norm.NFD.String(strings.Join(strings.Fields(phrase), " "))
		}
		rows, _, err := l.Select(t.Context(), trace.Filter{Grep: phrase})
		if err != nil || !slices.ContainsFunc(rows, func(w trace.Row) bool { return w.Episode == episode }) {
			t.Errorf("the list does not have %q: %v", phrase, err)
		}
		for _, path := range []string{"/search?q=", "/?grep="} {
			if reply, page := get(t, server.URL+path+url.QueryEscape(phrase)); reply.StatusCode != http.StatusOK || !strings.Contains(page, url.PathEscape(episode)) {
				t.Errorf("%s%q: status %d, not found", path, phrase, reply.StatusCode)
			}
		}
	}
}

// A match has its place in the text as the model saw it, and is shown as people see it.
func TestSearchPlaces(t *testing.T) {
	folder := oddRun(t)
	l, err := trace.Open(t.Context(), []string{filepath.Join(folder, "alpha")}, trace.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	for phrase, want := range map[string]string{
		`as the "HELLO world"`:    "as the \"hello world\" | as the \\\"hello world\\\"",
		"field, reads":            "field,\r\nreads | field,\\r\\nreads",
		"A model of herons Pond":  "A model of herons       Pond | A model of herons\", \"venue\": \"Pond",
		"title A model of herons": "title    A model of herons | title\": \"A model of herons",
		"no such phrase":          "",
	} {
		got := ""
		for hit, err := range l.Grep(t.Context(), phrase) {
			if err != nil {
				t.Fatal(err)
			}
			if hit.Field == runlog.FieldObservation && got == "" {
				rec, err := l.Runs[0].Log.Episode(qa.SplitEpisodeID(hit.Episode))
				if err != nil {
					t.Fatal(err)
				}
				got = hit.Match + " | " + rec.Steps[hit.Step-1].Observation.Text[hit.Offset:hit.End]
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", phrase, got, want)
		}
	}
}

// An id in the search box leads to its page, in every form that it is shown in.
func TestSearchID(t *testing.T) {
	server, _ := open(t)
	one := "/episode/alpha/" + url.PathEscape(viewertest.WrongID+"#0")
	for id, want := range map[string]string{
		"alpha " + viewertest.WrongID:             one,
		"runs/alpha 22222222#0":                   one,
		"'ALPHA/22222222…'":                       one,
		server.URL + one + "?status=wrong#step-2": one,
		viewertest.WrongID + "#1":                 "/episode/beta/" + url.PathEscape(viewertest.WrongID+"#1"),
		" \"22222222-2222#1\", ":                  "/episode/beta/" + url.PathEscape(viewertest.WrongID+"#1"),
		"22222222":                                "", // of three episodes
		"2222222":                                 "",
		"gamma " + viewertest.WrongID[:7] + "3":   "",
		strings.Repeat("\u00ad", 9):               "",
	} {
		client := *http.DefaultClient
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/search?q="+url.QueryEscape(id), nil)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		if got := reply.Header.Get("Location"); got != want || (want == "") != (reply.StatusCode == http.StatusOK) {
			t.Errorf("%q: status %d, %q, want %q", id, reply.StatusCode, got, want)
		}
	}
	if _, page := get(t, server.URL+"/search?q=22222222"); strings.Count(page, "Episodes with this id") != 1 || !strings.Contains(page, one) {
		t.Error("the episodes of a question are not listed")
	}
	if _, page := get(t, server.URL+"/?grep="+viewertest.OpenID); !strings.Contains(page, viewertest.OpenID) || strings.Contains(page, `/alpha/`+viewertest.RightID) {
		t.Error("the list is not filtered by an id")
	}
}
