package collect

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"airqa/bench/argscichat"
	"airqa/internal/ledger"
	"airqa/internal/terminal"
)

// Config configures a [Study].
type Config struct {
	Plan   *Plan
	Papers map[string]*Paper
	Limits Limits
	Now    func() time.Time
}

// Study is an open study. Create it with [Open]. Calls may overlap.
type Study struct {
	c   Config
	key string

	mu      sync.Mutex
	store   *store
	present map[*Participant]int // open pages
	noticed map[int]int          // notices that were announced, by dialogue
}

// Open opens the study of a folder, which is created if needed. Another process that has it open is an error.
func Open(dir string, c Config) (*Study, error) {
	if err := c.Limits.check(); err != nil {
		return nil, err
	}
	for _, m := range c.Plan.Meetings {
		if c.Papers[m.Title] == nil {
			return nil, fmt.Errorf("open study: no paper has the title %q; titles must be equal in both files", m.Title)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open study: %w", err)
	}
	key, err := secret(dir)
	if err != nil {
		return nil, fmt.Errorf("open study: %w", err)
	}
	s := &Study{c: c, key: key, present: make(map[*Participant]int), noticed: make(map[int]int)}
	if s.store, err = openStore(dir, true); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(s.store.dialogues, func(d *Dialogue) bool { return d.End == "" }) { // no message could come while the server was down
		if err := s.store.add(event{At: c.Now(), Restart: true}); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Close closes the files.
func (s *Study) Close() error { return s.store.ledger.Close() }

// Key is the secret of the folder, for tokens of a server.
func (s *Study) Key() string { return s.key }

// Enter returns the participant with a code, nil if there is none.
func (s *Study) Enter(code string) *Participant {
	return s.holder(strings.TrimSpace(code), func(p *Participant) string { return p.code })
}

// Ticket is what the browser of a participant shows instead of the code. It is valid as long as the code is, also after
// a restart.
func (s *Study) Ticket(p *Participant) string {
	mac := hmac.New(sha256.New, []byte(s.key))
	mac.Write([]byte("ticket\x00" + p.Name + "\x00" + p.code))
	return hex.EncodeToString(mac.Sum(nil))
}

// Admit returns the participant with a ticket, nil if there is none.
func (s *Study) Admit(ticket string) *Participant { return s.holder(ticket, s.Ticket) }

// holder returns the participant with a secret, nil if there is none. Its time does not depend on the secrets.
func (s *Study) holder(given string, secret func(*Participant) string) *Participant {
	var found *Participant
	hash := sha256.Sum256([]byte(given))
	for _, p := range s.c.Plan.People {
		if own := sha256.Sum256([]byte(secret(p))); hmac.Equal(own[:], hash[:]) {
			found = p
		}
	}
	return found
}

// Arrive notes that a participant has a page open until leave is called. A dialogue begins when both have.
func (s *Study) Arrive(p *Participant) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.present[p]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.present[p]--
	}
}

// Tick begins the dialogues whose participants have arrived, and ends those that are late. It reports whether a page
// changes.
func (s *Study) Tick(context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, changed := s.c.Now(), false
	for _, d := range s.store.dialogues {
		ended, err := s.expire(d, now)
		if err != nil {
			return changed, err
		}
		if n := d.notices(now); d.End == "" && n > s.noticed[d.Number] {
			s.noticed[d.Number], changed = n, true
		}
		changed = changed || ended
	}
	for _, m := range s.c.Plan.Meetings {
		if !m.at(now) || !s.free(m.Proponent) || !s.free(m.Expert) || s.held(m) {
			continue
		}
		d := &Dialogue{
			Number: len(s.store.dialogues) + 1, Meeting: m.key(), Paper: *s.c.Papers[m.Title],
			Proponent: m.Proponent.Name, Expert: m.Expert.Name, Limits: s.c.Limits, Began: now,
		}
		if err := s.store.add(event{At: now, Begin: d}); err != nil {
			return changed, err
		}
		changed = true
	}
	return changed, nil
}

// free reports whether a participant is present and in no dialogue.
func (s *Study) free(p *Participant) bool { return s.present[p] > 0 && s.running(p) == nil }

// expire ends a dialogue whose deadline has passed.
func (s *Study) expire(d *Dialogue, now time.Time) (bool, error) {
	if d.End != "" || now.Before(d.Deadline()) {
		return false, nil
	}
	return true, s.store.add(event{At: now, Dialogue: d.Number, End: d.late()})
}

func (s *Study) held(m *Meeting) bool {
	return slices.ContainsFunc(s.store.dialogues, func(d *Dialogue) bool { return d.Meeting == m.key() })
}

func (s *Study) running(p *Participant) *Dialogue {
	for _, d := range s.store.dialogues {
		if d.End == "" && d.role(p) != "" {
			return d
		}
	}
	return nil
}

func (d *Dialogue) role(p *Participant) Role { return roleOf(p.Name, d.Proponent, d.Expert) }

// View is what a participant sees now.
type View struct {
	Person string
	Zone   *time.Location
	Now    time.Time
	// Dialogue is a copy: the one that runs, else the last that ended, else nil.
	Dialogue *Dialogue
	Role     Role
	// Waiting is the meeting that has begun, whose dialogue has not; then Dialogue is nil.
	Waiting *Meeting
	// Later are the meetings to come.
	Later []*Meeting
	// Past are copies of the dialogues that ended, the last first.
	Past []*Dialogue
}

// See returns the view of a participant.
func (s *Study) See(p *Participant) View {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := View{Person: p.Name, Zone: p.Zone, Now: s.c.Now()}
	shown := s.running(p)
	for _, m := range s.c.Plan.Meetings {
		switch role := m.role(p); {
		case role == "":
		case m.at(v.Now) && !s.held(m) && shown == nil:
			v.Waiting, v.Role = m, role
		case m.Start.After(v.Now):
			v.Later = append(v.Later, m)
		}
	}
	v.Past = s.past(p)
	switch {
	case shown != nil:
		v.Dialogue = shown.clone()
	case v.Waiting == nil && len(v.Past) > 0:
		v.Dialogue = v.Past[0]
	}
	if v.Dialogue != nil {
		v.Role = v.Dialogue.role(p)
	}
	return v
}

// past returns copies of the dialogues of a participant that ended, the last first.
func (s *Study) past(p *Participant) (list []*Dialogue) {
	for _, d := range slices.Backward(s.store.dialogues) {
		if d.End != "" && d.role(p) != "" {
			list = append(list, d.clone())
		}
	}
	return list
}

// clone returns a copy that later events do not change. Messages are only ever appended.
func (d *Dialogue) clone() *Dialogue {
	c := *d
	c.Labels = maps.Clone(d.Labels)
	return &c
}

// Of returns the messages of a person.
func (d *Dialogue) Of(name string) []Message {
	return slices.DeleteFunc(slices.Clone(d.Messages), func(m Message) bool { return d.names()[m.N%2] != name })
}

// Tag returns the intent of a sentence of a message, "" for none.
func (d *Dialogue) Tag(message, sentence int) string {
	if tags := d.Labels[message]; sentence < len(tags) {
		return tags[sentence]
	}
	return ""
}

// Turn is the number of the turn that the next message belongs to, from 1.
func (d *Dialogue) Turn() int { return len(d.Messages)/2 + 1 }

// RoleOf returns the role of the person of the view in a meeting.
func (v View) RoleOf(m *Meeting) Role { return roleOf(v.Person, m.Proponent.Name, m.Expert.Name) }

// Send stores a message. It is on the disk when Send returns; a [Refusal] stores nothing.
func (s *Study) Send(p *Participant, m Draft) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, role, err := s.of(p, m.Dialogue)
	if err != nil {
		return err
	}
	now := s.c.Now()
	if _, err := s.expire(d, now); err != nil {
		return err
	}
	m.Text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(strings.ReplaceAll(m.Text, "\r\n", "\n"), "\ufffd")))
	slices.Sort(m.Facts)
	if repeated, err := d.accept(role, m); err != nil || repeated {
		return err
	}
	m.At = now
	return s.store.add(event{At: now, Dialogue: d.Number, Message: &m.Message})
}

func (s *Study) of(p *Participant, number int) (*Dialogue, Role, error) {
	if number >= 1 && number <= len(s.store.dialogues) {
		d := s.store.dialogues[number-1]
		if role := d.role(p); role != "" {
			return d, role, nil
		}
	}
	return nil, "", refuse("there is no dialogue %d", number)
}

// Label stores the tags of the sentences of an own message, after the end of the dialogue.
func (s *Study) Label(p *Participant, number, n int, tags []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, role, err := s.of(p, number)
	switch {
	case err != nil:
		return err
	case d.End == "":
		return refuse("intents are chosen after the dialogue")
	case n < 0 || n >= len(d.Messages) || d.Messages[n].Role() != role || len(d.Messages[n].Sentences()) != len(tags):
		return refuse("message %d has other sentences", n)
	}
	for _, tag := range tags {
		if tag != "" && !slices.Contains(argscichat.IntentTags, tag) {
			return refuse("unknown intent %q", tag)
		}
	}
	if slices.Equal(d.Labels[n], tags) {
		return nil
	}
	return s.store.add(event{At: s.c.Now(), Dialogue: number, Labels: &labels{N: n, Tags: tags}})
}

// Names of the files of a study.
const (
	ledgerFile = "dialogues.jsonl"
	keyFile    = "key"
)

const ledgerFormat = 1

// event is a line of the ledger: one of its pointers is set, or none after a restart of the server.
type event struct {
	Format   int       `json:"format"`
	At       time.Time `json:"at"`
	Dialogue int       `json:"dialogue,omitempty"`
	Begin    *Dialogue `json:"begin,omitempty"`
	Message  *Message  `json:"message,omitempty"`
	End      End       `json:"end,omitempty"`
	Labels   *labels   `json:"labels,omitempty"`
	Restart  bool      `json:"restart,omitempty"`
}

type labels struct {
	N    int      `json:"n"`
	Tags []string `json:"tags"`
}

// store has the dialogues of a ledger in memory. They change only when a line is on the disk.
type store struct {
	ledger    *ledger.Ledger[int, struct{}]
	dialogues []*Dialogue
}

// openStore reads the dialogues of a folder, and locks it if they may change.
func openStore(dir string, writing bool) (*store, error) {
	s := new(store)
	path := filepath.Join(dir, ledgerFile)
	if _, err := os.Stat(path); err != nil && !writing {
		return nil, fmt.Errorf("open the dialogues: %w; name the folder that airqa bench collect wrote", err)
	}
	lines := 0
	entry := func(line []byte, _ ledger.Span) (int, struct{}, error) {
		var e event
		if ledger.Strict(line, &e) != nil {
			return 0, struct{}{}, ledger.ErrDamaged
		}
		lines++
		return lines, struct{}{}, s.apply(e)
	}
	l, err := ledger.Open(path, ledger.Config[int, struct{}]{Entry: entry, Exclusive: writing})
	switch {
	case errors.Is(err, ledger.ErrInUse):
		return nil, fmt.Errorf("open %s: %w: is another airqa bench collect running on this folder?", path, err)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s.ledger = l
	if writing { // names and words of people are for the owner of the study
		if err := os.Chmod(path, 0o600); err != nil {
			return nil, errors.Join(fmt.Errorf("open the dialogues: %w", err), l.Close())
		}
	}
	damaged := l.Damaged()
	if len(l.Tail()) > 0 && !writing && damaged > 0 {
		damaged-- // a line that is being written
	}
	if damaged > 0 {
		err := fmt.Errorf("open %s: %s cannot be read; restore the file from a copy", path, terminal.Plural(damaged, "line"))
		return nil, errors.Join(err, l.Close())
	}
	return s, nil
}

func (s *store) apply(e event) error {
	if err := ledger.CheckFormat(e.Format, ledgerFormat, "make a new study with airqa bench collect --out NEW"); err != nil {
		return err
	}
	if e.Restart {
		for _, d := range s.dialogues {
			d.since = e.At
		}
		return nil
	}
	if e.Begin != nil {
		d := *e.Begin
		if d.Number != len(s.dialogues)+1 {
			return fmt.Errorf("dialogue %d follows dialogue %d", d.Number, len(s.dialogues))
		}
		d.since, d.Labels = d.Began, make(map[int][]string)
		s.dialogues = append(s.dialogues, &d)
		return nil
	}
	if e.Dialogue < 1 || e.Dialogue > len(s.dialogues) {
		return fmt.Errorf("there is no dialogue %d", e.Dialogue)
	}
	return s.dialogues[e.Dialogue-1].apply(e)
}

func (d *Dialogue) apply(e event) error {
	switch {
	case e.Message != nil:
		return d.take(*e.Message)
	case e.End != "":
		d.End, d.Ended = e.End, e.At
	case e.Labels != nil && e.Labels.N >= 0 && e.Labels.N < len(d.Messages):
		d.Labels[e.Labels.N] = e.Labels.Tags
	default:
		return fmt.Errorf("dialogue %d: a line without content", e.Dialogue)
	}
	return nil
}

// add stores an event; it is on the disk when add returns.
func (s *store) add(e event) error {
	e.Format = ledgerFormat
	line, err := ledger.Encode(e)
	if err == nil {
		err = s.ledger.Add(line)
	}
	if err != nil {
		return fmt.Errorf("store a line of the dialogues: %w", err)
	}
	return nil
}

// Load returns the dialogues of a folder as they are now, also while a server writes them.
func Load(dir string) ([]*Dialogue, error) {
	s, err := openStore(dir, false)
	if err != nil {
		return nil, err
	}
	return s.dialogues, s.ledger.Close()
}

// secret returns the key of a folder, which outlives the server: a restart must not log anyone out.
func secret(dir string) (string, error) {
	path := filepath.Join(dir, keyFile)
	raw, err := os.ReadFile(path)
	if err == nil && len(strings.TrimSpace(string(raw))) < 20 {
		return "", fmt.Errorf("read %s: it is too short; remove it, and everyone logs in again", path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return strings.TrimSpace(string(raw)), err
	}
	key := rand.Text()
	return key, os.WriteFile(path, []byte(key+"\n"), 0o600)
}
