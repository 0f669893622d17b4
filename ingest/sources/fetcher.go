package sources

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"airqa/internal/concurrent"
)

// Fetcher downloads papers into a folder. It sends one request at a time to each host, with a delay, and asks several hosts
// at once. It resumes interrupted downloads, and does not trust servers: it limits sizes, refuses files other than PDFs, and
// does not follow redirects into the local network. Dir and Now are required; other zero values mean the default.
type Fetcher struct {
	// Dir is the target folder, which is created if it is missing. Its file fetched.jsonl records the origin of each
	// file.
	Dir string
	// Client sends the requests; its redirect policy is replaced. nil means a client that connects to local addresses
	// only if the given URL is local.
	Client *http.Client
	// MaxBytes is the maximum size of a file; the default is 100 MB.
	MaxBytes int64
	// Delay is the minimum time between two requests to one host: by default 3 s, the limit of arXiv for programs; negative
	// means none.
	Delay time.Duration
	// Tries is the maximum number of requests per file; the default is 6.
	Tries int
	// Stall is the timeout for a server that sends no data; the default is one minute.
	Stall     time.Duration
	UserAgent string
	// ArXiv is the address of a mirror of arXiv, which has the interface at /api/query and PDFs below /pdf; empty means arXiv.
	ArXiv string
	// Records also takes the metadata of new papers from arXiv, into NAME.json next to NAME.pdf, where ingestion finds it.
	Records bool
	// Sleep waits or returns the context's error early; nil means a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now returns the time.
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
	// skipped means that it was there before.
	skipped bool
	// Done of Items papers are finished.
	Done, Items int
}

// Failure is a paper that could not be fetched or imported, with the reason.
type Failure struct {
	// Paper is the URL of a download, or the id in a database.
	Paper string
	Err   error
}

// FetchSummary is the result of a download.
type FetchSummary struct {
	// Paths are the files, including those downloaded earlier, in the order of the items.
	Paths []string
	// Downloaded is the number of new files, Skipped the number of files downloaded earlier.
	Downloaded, Skipped int
	// Failed are the papers that could not be fetched, by URL.
	Failed []Failure
	// Unknown are the ids without metadata at arXiv.
	Unknown []string
}

// Fetch downloads papers and skips those that exist. A paper that cannot be fetched is reported in the summary and does not
// stop the others. A host that is unreachable gets no more requests. An error is from the folder or the context; completed
// files are kept, and the same call resumes there.
func (f Fetcher) Fetch(ctx context.Context, items []Item) (sum FetchSummary, err error) {
	g, err := openRegistry(f.Dir)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, g.byURL.Close()) }()
	s := f.session(g, len(items))
	defer s.close()
	items = slices.Clone(items)
	for i, item := range items {
		if item.arxiv != "" {
			items[i].URL = f.arxivAt("arxiv.org") + "/pdf/" + item.arxiv
		}
	}
	if f.Records {
		if sum.Unknown, err = s.addRecords(ctx, items); err != nil {
			return sum, cmp.Or(ctx.Err(), err)
		}
	}
	for _, e := range s.fetchAll(ctx, items) {
		switch {
		case e.Err != nil:
			sum.Failed = append(sum.Failed, Failure{Paper: e.Item.URL, Err: e.Err})
			continue
		case e.Path == "":
			continue
		case e.skipped:
			sum.Skipped++
		default:
			sum.Downloaded++
		}
		sum.Paths = append(sum.Paths, e.Path)
	}
	return sum, ctx.Err()
}

// session returns a session with defaults for what is not set. The registry may be nil if nothing is downloaded.
func (f Fetcher) session(g *registry, items int) *session {
	f.MaxBytes = cmp.Or(max(f.MaxBytes, 0), 100<<20)
	f.Delay = cmp.Or(f.Delay, 3*time.Second)
	f.Tries = cmp.Or(max(f.Tries, 0), 6)
	f.Stall = cmp.Or(max(f.Stall, 0), time.Minute)
	if f.Sleep == nil {
		f.Sleep = concurrent.Sleep
	}
	if f.Progress == nil {
		f.Progress = func(Event) {}
	}
	return &session{
		Fetcher: f, registry: g, hosts: map[string]*host{}, items: items,
		open: transport(nil), guarded: transport(refuseLocal),
	}
}

func (s *session) close() {
	s.open.CloseIdleConnections()
	s.guarded.CloseIdleConnections()
}

// session is one call of Fetch or Select.
type session struct {
	Fetcher
	registry *registry
	open     *http.Transport
	guarded  *http.Transport // refuses local addresses
	items    int

	mu       sync.Mutex
	hosts    map[string]*host
	done     int
	received int64
}

// fetchAll fetches items, host by host in their order, and returns the last event of each. The event of a paper that was not
// attempted is empty.
func (s *session) fetchAll(ctx context.Context, items []Item) []Event {
	ends := make([]Event, len(items))
	queues := map[*host][]int{}
	for i, item := range items {
		h := s.host("")
		if u, err := url.Parse(item.URL); err == nil {
			h = s.host(u.Host)
		}
		queues[h] = append(queues[h], i)
	}
	var hosts errgroup.Group
	hosts.SetLimit(8) // at the same time
	for h, indexes := range queues {
		hosts.Go(func() error {
			for _, i := range indexes {
				if ctx.Err() == nil {
					ends[i] = h.fetch(ctx, items[i])
				}
			}
			return nil
		})
	}
	_ = hosts.Wait() // errors are in the events
	return ends
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
