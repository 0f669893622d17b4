package collect

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"airqa/bench/argscichat"
	"airqa/internal/concurrent"
	"airqa/internal/web"
)

//go:embed templates
var templateFiles embed.FS

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(web.TemplateFuncs()).Funcs(template.FuncMap{
		"asset": web.AssetPath, "intents": func() []string { return argscichat.IntentTags }, "when": when,
	}).ParseFS(templateFiles, "templates/*.html"))
})

// when prints a time in the zone of its reader.
func when(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return "now"
	}
	return t.In(zone).Format("Mon 2 Jan 2006, 15:04 MST")
}

// ServerConfig configures a [Server].
type ServerConfig struct {
	Study *Study
	// Host is the host that the server listens on. One that is not the loopback needs a token, see [web.Guard].
	Host string
	Log  *slog.Logger
	Now  func() time.Time
}

// Server shows dialogues to their participants. Create it with [NewServer]; [Server.Serve] answers until its
// context ends. All rules of a dialogue are in [Study]: a server turns forms into calls and views into pages. Texts of people
// are escaped by html/template.
type Server struct {
	ServerConfig
	guard   *web.Guard
	feed    *web.Feed
	tries   tries
	handler http.Handler
}

// NewServer returns a server of a study.
func NewServer(c ServerConfig) *Server {
	s := &Server{ServerConfig: c, guard: web.NewKeyedGuard(c.Host, c.Study.Key()), feed: web.NewFeed()}
	s.tries = tries{
		now: c.Now, wrong: make(map[string][]time.Time), queue: make(chan struct{}, maxQueue), turn: make(chan struct{}, 1),
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+web.AssetPrefix, web.AssetHandler())
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /events", s.known(s.events))
	mux.HandleFunc("POST /enter", s.enter)
	mux.HandleFunc("POST /leave", s.leave)
	mux.HandleFunc("POST /send", s.known(s.send))
	mux.HandleFunc("POST /labels", s.known(s.labels))
	s.handler = s.guard.Wrap(mux)
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Address is the address to open, with the token if the server needs one. It stays the same after a restart.
func (s *Server) Address(at net.Addr) string { return s.guard.Address(at) }

// Serve answers requests, begins dialogues and ends those that are late, until ctx ends.
func (s *Server) Serve(ctx context.Context, on net.Listener) error {
	return web.Server{
		Handler: s, Feed: s.feed, Look: s.Study.Tick, Log: s.Log, MaxHeader: web.MaxHeader,
		Failed: "the dialogues cannot be stored; stop the server and check the disk",
	}.Serve(ctx, on)
}

const cookie = "airqa-collect"

// person returns the participant of a request, nil before a code was entered.
func (s *Server) person(r *http.Request) *Participant {
	c, err := r.Cookie(cookie)
	if err != nil {
		return nil
	}
	return s.Study.Admit(c.Value)
}

// known answers requests of participants only.
func (s *Server) known(next func(http.ResponseWriter, *http.Request, *Participant)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p := s.person(r)
		if p == nil {
			http.Error(w, "enter your code first", http.StatusForbidden)
			return
		}
		next(w, r, p)
	}
}

type frame struct {
	View
	Version     int
	CSRF, Error string
	// Entered is false for the page that asks for the code.
	Entered bool
}

func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	f := frame{}
	f.Version, _ = s.feed.Version() // before the view: a change between the two is shown again, not lost
	if p := s.person(r); p != nil {
		f.View, f.Entered = s.Study.See(p), true
	}
	s.write(w, f, http.StatusOK)
}

func (s *Server) write(w http.ResponseWriter, f frame, code int) {
	f.CSRF = s.guard.CSRF()
	var out bytes.Buffer
	if err := templates().ExecuteTemplate(&out, "page", f); err != nil {
		s.Log.Error("the page of a dialogue could not be made", "error", err)
		http.Error(w, "this page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(out.Bytes())
}

// events is the stream that makes the page follow. A participant who has it open is present.
func (s *Server) events(w http.ResponseWriter, r *http.Request, p *Participant) {
	leave := s.Study.Arrive(p)
	defer leave()
	s.feed.ServeHTTP(w, r)
}

// enter exchanges a code for a ticket.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	from, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		from = r.RemoteAddr
	}
	if !s.tries.allowed(r.Context(), from) {
		s.write(w, frame{Error: "Too many wrong codes. Try again in a few seconds."}, http.StatusTooManyRequests)
		return
	}
	p := s.Study.Enter(r.PostFormValue("code"))
	if p == nil {
		s.tries.failed(from)
		s.write(w, frame{Error: "No participant has this code."}, http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: s.Study.Ticket(p), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *Server) leave(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: cookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// answer reports the result of a change: 428 asks the author to confirm, 409 is a refusal.
func (s *Server) answer(w http.ResponseWriter, err error) {
	var refusal *Refusal
	switch {
	case err == nil:
		s.feed.Announce()
		w.WriteHeader(http.StatusNoContent)
	case errors.As(err, &refusal) && refusal.Confirm:
		http.Error(w, refusal.Text, http.StatusPreconditionRequired)
	case errors.As(err, &refusal):
		s.feed.Announce() // the page shows another state
		http.Error(w, refusal.Text, http.StatusConflict)
	default:
		s.Log.Error("a message could not be stored", "error", err)
		http.Error(w, "the server could not store this; try again", http.StatusInternalServerError)
	}
}

func (s *Server) send(w http.ResponseWriter, r *http.Request, p *Participant) {
	d := Draft{Message: Message{Text: r.PostFormValue("text"), Final: r.PostFormValue("final") != ""}, Bare: r.PostFormValue("bare") != ""}
	var numbers []int
	for _, text := range append([]string{r.PostFormValue("dialogue"), r.PostFormValue("n")}, r.PostForm["fact"]...) {
		n, err := strconv.Atoi(text)
		if err != nil {
			http.Error(w, "this form is not complete", http.StatusBadRequest)
			return
		}
		numbers = append(numbers, n)
	}
	d.Dialogue, d.N, d.Facts = numbers[0], numbers[1], numbers[2:]
	s.answer(w, s.Study.Send(p, d))
}

// labels stores the intents of the form: the field "m4" has one value for each sentence of message 4.
func (s *Server) labels(w http.ResponseWriter, r *http.Request, p *Participant) {
	number, err := strconv.Atoi(r.PostFormValue("dialogue"))
	if err != nil {
		http.Error(w, "this form is not complete", http.StatusBadRequest)
		return
	}
	for name, tags := range r.PostForm {
		field, isMessage := strings.CutPrefix(name, "m")
		n, notNumber := strconv.Atoi(field)
		if isMessage && notNumber == nil && err == nil {
			err = s.Study.Label(p, number, n, tags)
		}
	}
	s.answer(w, err)
}

// Minutes are the minutes that are left once a notice is due, rounded up; 0 before.
func (f frame) Minutes() int {
	return int((f.Dialogue.Notice(f.Now) + time.Minute - 1) / time.Minute)
}

// Noticed reports whether a notice is due.
func (f frame) Noticed() bool { return f.Dialogue.Notice(f.Now) > 0 }

// Mine reports whether the person writes the next message.
func (f frame) Mine() bool { return f.Dialogue.End == "" && f.Dialogue.Next() == f.Role }

// Reads reports whether the person sees the paper.
func (f frame) Reads() bool { return f.Role == Expert }

// Left is the time until the next message is due, in milliseconds.
func (f frame) Left() int64 { return f.Dialogue.Deadline().Sub(f.Now).Milliseconds() }

// Draft names the next message in the browser's storage, whatever study it belongs to.
func (f frame) Draft() string {
	return strconv.FormatInt(f.Dialogue.Began.UnixMilli(), 36) + "-" + strconv.Itoa(len(f.Dialogue.Messages))
}

const (
	// maxWrong is the number of wrong codes that one address may try in [wrongTime] without waiting.
	maxWrong  = 10
	wrongTime = time.Minute
	// pause is the time of each further try, one after the other, and maxQueue how many may wait for theirs.
	pause    = time.Second
	maxQueue = 10
)

// tries counts wrong codes by address. All participants behind a tunnel have one address, so wrong codes slow down the
// codes of that address and do not keep the right ones out.
type tries struct {
	now   func() time.Time
	mu    sync.Mutex
	wrong map[string][]time.Time
	// queue has an entry for each try that waits, turn for the one that is next.
	queue, turn chan struct{}
}

// allowed reports whether an address may try a code. After many wrong ones it waits before it does.
func (t *tries) allowed(ctx context.Context, from string) bool {
	if t.recent(from) < maxWrong {
		return true
	}
	select {
	case t.queue <- struct{}{}:
		defer func() { <-t.queue }()
	default:
		return false
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return false
	}
	return concurrent.Sleep(ctx, pause) == nil
}

// recent is the number of wrong codes that an address has tried lately.
func (t *tries) recent(from string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	past := t.now().Add(-wrongTime)
	for address, times := range t.wrong {
		for len(times) > 0 && times[0].Before(past) {
			times = times[1:]
		}
		if t.wrong[address] = times; len(times) == 0 {
			delete(t.wrong, address)
		}
	}
	return len(t.wrong[from])
}

func (t *tries) failed(from string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wrong[from] = append(t.wrong[from], t.now())
}
