package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"airqa/internal/concurrent"
	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
)

// File names of a store.
const (
	// Folder is the folder of the store in a data directory, and in the directory of a synthesis.
	Folder   = "replies"
	File     = "replies.jsonl"
	lockFile = "lock"
)

// ErrInUse is returned if another process uses the store exclusively, or if exclusive use is requested of a store in
// use.
var ErrInUse = errors.New("another airqa is using this cache; wait for it or stop it")

// Config configures a [Store]. Redact, which may be nil, filters every line written.
type Config struct {
	Redact func([]byte) []byte
	Now    func() time.Time
	// Exclusive refuses the folder to other processes. Each reply is then synced to the disk before it is returned.
	Exclusive bool
}

// Store is an open folder of replies. Its methods may be called concurrently, and several processes may have the folder
// open: on a miss, each also looks for entries added by the others.
type Store struct {
	now     func() time.Time
	lock    io.Closer
	replies *ledger.Ledger[Key, ledger.Span]
	flights concurrent.Flights[qa.Reply]
	hits    atomic.Int64
	asked   atomic.Int64
}

// Open opens the store in a folder and creates it if necessary. It skips an unfinished last line.
func Open(dir string, c Config) (*Store, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	take := files.LockShared
	if c.Exclusive {
		take = files.Lock
	}
	lock, err := take(filepath.Join(dir, lockFile))
	if err != nil {
		return nil, fmt.Errorf("cache %s: %w", dir, inUse(err))
	}
	s := &Store{now: c.Now, lock: lock}
	s.replies, err = ledger.Open(filepath.Join(dir, File), ledger.Config[Key, ledger.Span]{
		Entry: place, Redact: c.Redact, Exclusive: c.Exclusive,
	})
	if err == nil {
		err = s.replies.Create()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open cache: %w", err), lock.Close())
	}
	return s, nil
}

func inUse(err error) error {
	if errors.Is(err, files.ErrLocked) {
		return ErrInUse
	}
	return err
}

// Close releases the lock and reports the first failed write.
func (s *Store) Close() error {
	err := s.replies.Close()
	if err != nil {
		err = fmt.Errorf("a reply could not be kept in the cache: %w", err)
	}
	return errors.Join(err, s.lock.Close())
}

// Counts returns the numbers of cache hits and of requests to a model.
func (s *Store) Counts() (hits, asked int) { return int(s.hits.Load()), int(s.asked.Load()) }

// Reply returns the reply to a request, which does not count as a hit. An unreadable line is a miss.
func (s *Store) Reply(k Key) (qa.Reply, bool) {
	at, ok := s.replies.Get(k)
	if !ok {
		return qa.Reply{}, false
	}
	line, err := s.replies.Line(at)
	e, bad := decode(line)
	if err != nil || bad != nil || e.Key != k.String() {
		s.replies.Forget(k)
		return qa.Reply{}, false
	}
	r := e.Reply.Reply
	r.Text, r.Reasoning, r.Cached = string(e.Reply.Text), string(e.Reply.Reasoning), true
	return r, true
}

// Model answers from a store and asks another model on a miss. Calls may overlap; concurrent identical requests are
// made once. A reply from the store has Cached set, no Attempts, and the Usage of the original request.
type Model struct {
	// Store keeps the replies; models may share it.
	Store *Store
	Model qa.Model
	// Name identifies the model in listings of the cache.
	Name string
	// Endpoint describes model, address and sampling; see [KeyOf].
	Endpoint map[string]any
	Protocol string
}

// Complete answers a request. The error is the inner model's or the context's.
func (m *Model) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	key, err := m.Key(r)
	if err != nil {
		return qa.Reply{}, err
	}
	for {
		if reply, ok := m.Store.Reply(key); ok {
			m.Store.hits.Add(1)
			return reply, nil
		}
		reply, shared, err := m.Store.flights.Do(ctx, key.String(), func() (qa.Reply, error) {
			if reply, ok := m.Store.Reply(key); ok { // another call may have ended since the lookup
				m.Store.hits.Add(1)
				return reply, nil
			}
			m.Store.asked.Add(1)
			reply, err := m.Model.Complete(ctx, r)
			if err == nil {
				m.Keep(key, r.Repeat, reply)
			}
			return reply, err
		})
		if !shared {
			return reply, err
		}
		// After waiting, look again; make the request itself if the other call failed.
	}
}

// Kept returns the stored reply to a request, without asking the model.
func (m *Model) Kept(r qa.Request) (reply qa.Reply, ok bool, err error) {
	key, err := m.Key(r)
	if err == nil {
		reply, ok = m.Store.Reply(key)
	}
	return reply, ok, err
}

// Key returns the key of a request to m.
func (m *Model) Key(r qa.Request) (Key, error) { return KeyOf(m.Endpoint, m.Protocol, r) }

// Keep adds the reply to a request that was answered elsewhere. [Store.Close] reports a failed write.
func (m *Model) Keep(key Key, repeat int, r qa.Reply) {
	r.Attempts, r.Cached = nil, false
	m.Store.replies.Put(ledger.Encode(entry{
		Key: key.String(), Format: Format, Time: m.Store.now().UTC(), Model: m.Name, Repeat: repeat,
		Reply: reply{ledger.Text(r.Text), ledger.Text(r.Reasoning), r},
	}))
}

// Format is the format number of keys and entries.
const Format = 1

// Key names a request.
type Key [sha256.Size]byte

// String is the key in lower-case hex.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// asked is the input of a key. Texts are bytes, because JSON would replace invalid UTF-8.
type asked struct {
	Format   int            `json:"format"`
	Endpoint map[string]any `json:"endpoint"`
	Protocol string         `json:"protocol"`
	Repeat   int            `json:"repeat"`
	Tools    []qa.ToolSpec  `json:"tools"`
	Messages []said         `json:"messages"`
}

type said struct {
	Role       qa.Role       `json:"role"`
	Text       []byte        `json:"text"`
	Images     []image       `json:"images"`
	ToolCalls  []qa.ToolCall `json:"tool_calls"`
	ToolCallID string        `json:"tool_call_id"`
	Reasoning  []byte        `json:"reasoning,omitempty"`
	Sealed     []byte        `json:"sealed"`
}

type image struct {
	SHA256 string `json:"sha256"`
	MIME   string `json:"mime"`
}

// KeyOf returns the key of a request to a model. endpoint describes the model and its address with every setting sent.
// The question's uuid and the step are not part of a key.
func KeyOf(endpoint map[string]any, protocol string, r qa.Request) (Key, error) {
	a := asked{Format: Format, Endpoint: endpoint, Protocol: protocol, Repeat: r.Repeat, Tools: r.Tools}
	for _, m := range r.Messages {
		s := said{
			Role: m.Role, Text: []byte(m.Text), ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID,
			Reasoning: []byte(m.Reasoning), Sealed: m.Sealed,
		}
		for _, im := range m.Images {
			if im.SHA256 == "" {
				im.SHA256 = files.Hash(im.Data)
			}
			s.Images = append(s.Images, image{im.SHA256, im.MIME})
		}
		a.Messages = append(a.Messages, s)
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return Key{}, err
	}
	return sha256.Sum256(raw), nil
}

// entry is one line of the file. The key comes first so that it can be read without parsing the rest.
type entry struct {
	Key    string    `json:"key"`
	Format int       `json:"format"`
	Time   time.Time `json:"time"`
	Model  string    `json:"model"`
	Repeat int       `json:"repeat"`
	Reply  reply     `json:"reply"`
}

// reply is a qa.Reply without its requests. Its texts keep invalid UTF-8.
type reply struct {
	Text      ledger.Text `json:"text"`
	Reasoning ledger.Text `json:"reasoning,omitempty"`
	qa.Reply
}

var keyHead = []byte(`{"key":"`)

// place reads only the key at the start of a line.
func place(line []byte, at ledger.Span) (k Key, _ ledger.Span, err error) {
	rest, found := bytes.CutPrefix(line, keyHead)
	if !found || len(rest) <= 2*len(k) || rest[2*len(k)] != '"' {
		return k, at, ledger.ErrDamaged
	}
	if _, err := hex.Decode(k[:], rest[:2*len(k)]); err != nil {
		return k, at, ledger.ErrDamaged
	}
	return k, at, nil
}

func decode(line []byte) (entry, error) {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		return e, err
	}
	return e, ledger.CheckFormat(e.Format, Format, "its requests are made again")
}
