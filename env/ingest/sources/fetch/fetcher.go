package fetch

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"airqa/internal/pause"
)

// Defaults of [Fetcher]. arXiv limits programs to one request every three seconds.
const (
	DefaultMaxBytes  = 100 << 20
	DefaultDelay     = 3 * time.Second
	DefaultTries     = 6
	DefaultStall     = time.Minute
	DefaultUserAgent = "airqa (reads papers for research)"
)

// Fetcher downloads papers into a folder. Dir is required; other zero values mean the default.
type Fetcher struct {
	// Dir is the target folder, which is created if it is missing. Its file fetched.jsonl records the origin of each
	// file.
	Dir string
	// Client sends the requests; its redirect policy is replaced. nil means a client that connects to local addresses
	// only if the given URL is local.
	Client *http.Client
	// MaxBytes is the maximum size of a file.
	MaxBytes int64
	// Delay is the minimum time between two requests to one host; negative means none.
	Delay time.Duration
	// Tries is the maximum number of requests per file.
	Tries int
	// Stall is the timeout for a server that sends no data.
	Stall     time.Duration
	UserAgent string
	// Sleep waits or returns the context's error early; nil means a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now returns the time; nil means time.Now.
	Now func() time.Time
	// Progress receives events, one call at a time; it may be nil.
	Progress func(Event)
}

// Event is a step of the download.
type Event struct {
	Item Item
	// Bytes of Total have arrived; Total is -1 if the server did not report it.
	Bytes, Total int64
	// Done of Items papers are finished.
	Done, Items int
}

// Failure is a paper that could not be fetched, with the reason.
type Failure struct {
	Item Item
	Err  error
}

// Summary is the result of a download.
type Summary struct {
	// Paths are the files, including those downloaded earlier, in the order of the items.
	Paths []string
	// Downloaded is the number of new files, Skipped the number of files downloaded earlier.
	Downloaded, Skipped int
	Failed              []Failure
}

// Fetch downloads papers one after the other and skips those that exist. A paper that cannot be fetched is reported in
// the summary and does not stop the others. After an [OfflineError], no more requests go to that host. An error is from
// the folder or the context; completed files are kept, and the same call resumes there.
func (f Fetcher) Fetch(ctx context.Context, items []Item) (sum Summary, err error) {
	b, err := openRegistry(f.Dir)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	s := &session{
		Fetcher: f.withDefaults(), registry: b, asked: map[string]time.Time{}, down: map[string]error{},
		open: transport(nil), guarded: transport(refuseLocal),
	}
	defer s.open.CloseIdleConnections()
	defer s.guarded.CloseIdleConnections()
	for i, item := range items {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		report := func(bytes, total int64) {
			s.Progress(Event{Item: item, Bytes: bytes, Total: total, Done: i, Items: len(items)})
		}
		path, ok := b.have(item)
		if ok {
			sum.Skipped++
		} else if path, err = s.fetch(ctx, item, report); err == nil {
			sum.Downloaded++
		} else if ctx.Err() != nil {
			return sum, ctx.Err()
		} else {
			sum.Failed = append(sum.Failed, Failure{Item: item, Err: err})
			continue
		}
		sum.Paths = append(sum.Paths, path)
		s.Progress(Event{Item: item, Done: i + 1, Items: len(items)})
	}
	return sum, nil
}

func (f Fetcher) withDefaults() Fetcher {
	f.Delay, f.UserAgent = cmp.Or(f.Delay, DefaultDelay), cmp.Or(f.UserAgent, DefaultUserAgent)
	if f.MaxBytes <= 0 {
		f.MaxBytes = DefaultMaxBytes
	}
	if f.Tries <= 0 {
		f.Tries = DefaultTries
	}
	if f.Stall <= 0 {
		f.Stall = DefaultStall
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
	registry *registry
	open     *http.Transport
	guarded  *http.Transport      // refuses local addresses
	asked    map[string]time.Time // time of the last request per host
	down     map[string]error     // unreachable hosts
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
	name := s.registry.fileName(item)
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
