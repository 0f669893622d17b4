// Package fetch downloads papers by URL or arXiv id into a folder for ingestion. Start from [Parse], [ParseList], [Named]
// and [Fetcher].
//
// It sends one request at a time to each host, with a delay, and asks several hosts at once. It resumes interrupted
// downloads, and does not trust servers: it limits sizes, refuses files other than PDFs, and does not follow redirects
// into the local network. It reads no PDF and uses no database.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"airqa/internal/concurrent"
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
	// Received is the number of bytes that this call has received, of all papers.
	Received int64
	// Path is set when the paper is there, Err when it could not be fetched.
	Path string
	Err  error
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

// Fetch downloads papers and skips those that exist: one request at a time per host, and several hosts at once. A paper
// that cannot be fetched is reported in the summary and does not stop the others. After an [OfflineError], no more
// requests go to that host. An error is from the folder or the context; completed files are kept, and the same call
// resumes there.
func (f Fetcher) Fetch(ctx context.Context, items []Item) (sum Summary, err error) {
	b, err := openRegistry(f.Dir)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, b.byURL.Close()) }()
	f.UserAgent = cmp.Or(f.UserAgent, DefaultUserAgent)
	f.MaxBytes = cmp.Or(max(f.MaxBytes, 0), DefaultMaxBytes)
	f.Delay = cmp.Or(f.Delay, DefaultDelay)
	f.Tries = cmp.Or(max(f.Tries, 0), DefaultTries)
	f.Stall = cmp.Or(max(f.Stall, 0), DefaultStall)
	if f.Sleep == nil {
		f.Sleep = concurrent.Sleep
	}
	if f.Now == nil {
		f.Now = time.Now
	}
	if f.Progress == nil {
		f.Progress = func(Event) {}
	}
	s := &session{
		Fetcher: f, registry: b, turns: map[string]*turn{}, items: len(items),
		open: transport(nil), guarded: transport(refuseLocal),
	}
	defer s.open.CloseIdleConnections()
	defer s.guarded.CloseIdleConnections()
	for i, r := range s.fetchAll(ctx, items) {
		switch {
		case r.err != nil:
			sum.Failed = append(sum.Failed, Failure{Item: items[i], Err: r.err})
			continue
		case r.path == "":
			continue
		case r.skipped:
			sum.Skipped++
		default:
			sum.Downloaded++
		}
		sum.Paths = append(sum.Paths, r.path)
	}
	return sum, ctx.Err()
}

// fetchAll fetches items, host by host in their order. Results without a path and an error were not attempted.
func (s *session) fetchAll(ctx context.Context, items []Item) []result {
	const maxHosts = 8 // at the same time
	results := make([]result, len(items))
	queues := map[string][]int{}
	for i, item := range items {
		host := ""
		if u, err := url.Parse(item.URL); err == nil {
			host = u.Host
		}
		queues[host] = append(queues[host], i)
	}
	slots := make(chan struct{}, maxHosts)
	var hosts sync.WaitGroup
	for host, indexes := range queues {
		hosts.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			q := &queue{session: s, host: host}
			for _, i := range indexes {
				if ctx.Err() != nil {
					return
				}
				results[i] = q.one(ctx, items[i])
			}
		})
	}
	hosts.Wait()
	return results
}

// result is a paper that was fetched or not.
type result struct {
	path    string
	skipped bool
	err     error
}

// session is one call of Fetch.
type session struct {
	Fetcher
	registry *registry
	open     *http.Transport
	guarded  *http.Transport // refuses local addresses
	items    int

	mu       sync.Mutex
	turns    map[string]*turn // per host
	done     int
	received int64
}

// tell reports an event. Bytes that have just arrived count as received.
func (s *session) tell(e Event, arrived int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Path != "" || e.Err != nil {
		s.done++
	}
	s.received += arrived
	e.Received, e.Done, e.Items = s.received, s.done, s.items
	s.Progress(e)
}

// queue has the papers of one host, which are fetched one after the other.
type queue struct {
	*session
	host     string
	answered bool  // the host has sent a paper
	failed   int   // papers in a row that failed after all tries
	down     error // no more requests go to the host
}

// one fetches one paper, unless it exists. The result is empty if the context ended.
func (q *queue) one(ctx context.Context, item Item) (r result) {
	if r.path, r.skipped = q.registry.have(item); !r.skipped {
		r.path, r.err = q.fetch(ctx, item)
		if r.err != nil && ctx.Err() != nil {
			return result{}
		}
	}
	if r.err != nil {
		r.path = ""
	}
	q.tell(Event{Item: item, Path: r.path, Err: r.err}, 0)
	return r
}

// fetch downloads one paper and returns its path. The result decides whether the host is asked for more.
func (q *queue) fetch(ctx context.Context, item Item) (path string, err error) {
	const maxFailed = 5 // papers in a row, after all tries; then the host is left in peace
	if q.down != nil {
		return "", q.down
	}
	name := q.registry.fileName(item)
	path = filepath.Join(q.Dir, name)
	p, err := openPart(path+".part", item.URL)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, p.leave()) }()
	if q.registry.completed(item, p) {
		return path, p.finish(path)
	}
	err = q.download(ctx, &transfer{queue: q, item: item, part: p})
	_, offline := errors.AsType[*OfflineError](err)
	_, later := errors.AsType[*postponed](err)
	_, spent := errors.AsType[*exhausted](err)
	switch {
	case offline, later:
		q.down = err
	case spent:
		if q.failed++; q.failed == maxFailed {
			q.down = fmt.Errorf("%s failed for %d papers in a row: %w", q.host, maxFailed, err)
		}
	case err == nil:
		q.answered, q.failed = true, 0
	}
	if err != nil {
		return "", err
	}
	return path, q.keep(item, p, name)
}
