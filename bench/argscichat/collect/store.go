package collect

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"airqa/internal/ledger"
	"airqa/internal/terminal"
)

// Names of the files of a study.
const (
	ledgerFile = "dialogues.jsonl"
	keyFile    = "key"
)

// ledgerFormat is the number of the format of the ledger.
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

// labels are the tags of the sentences of a message.
type labels struct {
	N    int      `json:"n"`
	Tags []string `json:"tags"`
}

// store has the dialogues of a ledger in memory. They change only when a line is on the disk.
type store struct {
	ledger    *ledger.Ledger[int, struct{}]
	dialogues []*Dialogue
	lines     int
}

// openStore reads the dialogues of a folder, and locks it if they may change.
func openStore(dir string, writing bool) (*store, error) {
	s := new(store)
	path := filepath.Join(dir, ledgerFile)
	if _, err := os.Stat(path); err != nil && !writing {
		return nil, fmt.Errorf("open the dialogues: %w; name the folder that airqa collect wrote", err)
	}
	l, err := ledger.Open(path, ledger.Config[int, struct{}]{Entry: s.entry, Exclusive: writing})
	switch {
	case errors.Is(err, ledger.ErrInUse):
		return nil, fmt.Errorf("open %s: %w: is another airqa collect running on this folder?", path, err)
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

// entry applies a line.
func (s *store) entry(line []byte, _ ledger.Span) (int, struct{}, error) {
	var e event
	if err := ledger.Strict(line, &e); err != nil {
		return 0, struct{}{}, ledger.ErrDamaged
	}
	s.lines++
	return s.lines, struct{}{}, s.apply(e)
}

func (s *store) apply(e event) error {
	if e.Format != ledgerFormat {
		return fmt.Errorf("format %d is not %d: the file is from another version of airqa", e.Format, ledgerFormat)
	}
	if e.Restart {
		for _, d := range s.dialogues {
			d.since = e.At
		}
		return nil
	}
	if e.Begin != nil {
		return s.begin(*e.Begin)
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

func (s *store) begin(d Dialogue) error {
	if d.Number != len(s.dialogues)+1 {
		return fmt.Errorf("dialogue %d follows dialogue %d", d.Number, len(s.dialogues))
	}
	d.since, d.Labels = d.Began, make(map[int][]string)
	s.dialogues = append(s.dialogues, &d)
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
