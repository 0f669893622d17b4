package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"airqa/internal/pause"
)

// Defaults of [Fetcher]. arXiv asks programs for one request every three seconds.
const (
	DefaultMaxBytes  = 100 << 20
	DefaultDelay     = 3 * time.Second
	DefaultTries     = 6
	DefaultStall     = time.Minute
	DefaultUserAgent = "airqa (reads papers for research)"
)

// Fetcher downloads papers into a folder. Dir is required; for the rest zero means the default.
type Fetcher struct {
	// Dir is where files go; it is made when it is missing. fetched.jsonl in it says what came from where.
	Dir string
	// Client carries the requests; its redirect policy is replaced. nil makes one that connects to local addresses only
	// for an address that is local itself.
	Client *http.Client
	// MaxBytes is the most that a file may have.
	MaxBytes int64
	// Delay is the least time between two requests to one host; negative for none.
	Delay time.Duration
	// Tries is how often a file is asked for before it is given up.
	Tries int
	// Stall is how long a server may be silent.
	Stall     time.Duration
	UserAgent string
	// Sleep waits and returns early with the context's error; nil waits by the clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now is the time; nil is time.Now.
	Now func() time.Time
	// Progress is told how far the work has come, one call at a time; nil for nobody.
	Progress func(Event)
}

// Event is a step of the work.
type Event struct {
	Item Item
	// Bytes of Total have come; Total is -1 when the server did not say.
	Bytes, Total int64
	// Done of Items papers are finished.
	Done, Items int
}

// Failure is a paper that could not be fetched, and why.
type Failure struct {
	Item Item
	Err  error
}

// Summary is what became of the papers.
type Summary struct {
	// Paths are the files, those that were there before too, in the order of the items.
	Paths []string
	// Downloaded counts the files that came now, Skipped those that were there.
	Downloaded, Skipped int
	Failed              []Failure
}

// Fetch downloads papers, one after the other. What is there already is skipped; a paper that cannot be fetched is
// reported in the summary and does not stop the rest: an [OfflineError] is asked once for each host. The error is that of
// the folder, or the context's; what came so far is kept and the same call goes on from there.
func (f Fetcher) Fetch(ctx context.Context, items []Item) (sum Summary, err error) {
	b, err := openBook(f.Dir)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	s := &session{
		Fetcher: f.withDefaults(), book: b, clients: newClients(f.Client), asked: map[string]time.Time{}, down: map[string]error{},
	}
	defer s.clients.close()
	for i, item := range items {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		report := func(bytes, total int64) {
			s.Progress(Event{Item: item, Bytes: bytes, Total: total, Done: i, Items: len(items)})
		}
		path, ok := b.have(item)
		switch {
		case ok:
			sum.Skipped++
		default:
			if path, err = s.fetch(ctx, item, report); err != nil {
				if ctx.Err() != nil {
					return sum, ctx.Err()
				}
				sum.Failed = append(sum.Failed, Failure{Item: item, Err: err})
				continue
			}
			sum.Downloaded++
		}
		sum.Paths = append(sum.Paths, path)
		s.Progress(Event{Item: item, Done: i + 1, Items: len(items)})
	}
	return sum, nil
}

func (f Fetcher) withDefaults() Fetcher {
	if f.MaxBytes <= 0 {
		f.MaxBytes = DefaultMaxBytes
	}
	if f.Delay == 0 {
		f.Delay = DefaultDelay
	}
	if f.Tries <= 0 {
		f.Tries = DefaultTries
	}
	if f.Stall <= 0 {
		f.Stall = DefaultStall
	}
	if f.UserAgent == "" {
		f.UserAgent = DefaultUserAgent
	}
	if f.Sleep == nil {
		f.Sleep = pause.For
	}
	if f.Now == nil {
		f.Now = time.Now
	}
	if f.Progress == nil {
		f.Progress = func(Event) {}
	}
	return f
}

// session is one call of Fetch.
type session struct {
	Fetcher
	book    *book
	clients *clients
	asked   map[string]time.Time // when a host was last asked
	down    map[string]error     // hosts that cannot be reached
}

// fetch downloads one paper and returns its path.
func (s *session) fetch(ctx context.Context, item Item, report func(bytes, total int64)) (path string, err error) {
	u, err := url.Parse(item.URL)
	if err != nil {
		return "", err
	}
	if err := s.down[u.Host]; err != nil {
		return "", err
	}
	name := s.book.fileName(item)
	path = filepath.Join(s.Dir, name)
	p, err := openPart(path+".part", item.URL)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, p.leave()) }()
	err = s.download(ctx, transfer{host: u.Host, item: item, part: p, report: report})
	var offline *OfflineError
	if errors.As(err, &offline) {
		s.down[u.Host] = err
	}
	if err != nil {
		return "", err
	}
	return path, s.keep(item, p, name)
}
