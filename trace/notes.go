package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/runlog"
	"airqa/trace/cause"
)

// NotesFileName is the name of the file in a run directory.
const NotesFileName = "notes.jsonl"

// Note is a comment on an episode, a decision, or the removal of another note.
type Note struct {
	// ID is a hash of the other fields.
	ID      string `json:"id"`
	Episode string `json:"episode"`
	// Step and Field are the anchor: the step from 1, or 0 for the whole episode, and a path in the JSON of `airqa trace`,
	// such as "observation.text". First and End are a byte range of the field, Quote its text; all may be empty.
	Step  int    `json:"step,omitempty"`
	Field string `json:"field,omitempty"`
	First int    `json:"first,omitempty"`
	End   int    `json:"end,omitempty"`
	Quote string `json:"quote,omitempty"`

	Text string `json:"text,omitempty"`
	// Cause makes the note a decision; the newest of an episode counts.
	Cause cause.Code `json:"cause,omitempty"`
	// Removes is the id of a note that no longer counts.
	Removes string    `json:"removes,omitempty"`
	Author  string    `json:"author"`
	Time    time.Time `json:"time"`
}

// Stale reports whether the anchor no longer fits the text of its field, for example after an import.
func (n Note) Stale(field string) bool {
	return n.Quote != "" && (n.First < 0 || n.End > len(field) || n.First > n.End || field[n.First:n.End] != n.Quote)
}

// NoteConfig has the parts of [OpenNotes] that tests change.
type NoteConfig struct {
	// Author signs new notes.
	Author string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// NoteFile is what people write about the episodes of one run directory: comments with an anchor in the log, and decisions on
// the cause of a wrong answer. They are lines of notes.jsonl, apart from the log. The file is append-only, so that two
// people's files merge: a removed note stays, with a line that removes it. Its methods may overlap, also with other processes.
type NoteFile struct {
	config NoteConfig
	lines  *ledger.Ledger[string, struct{}]

	mu    sync.Mutex
	notes []Note // lines may repeat one
}

// OpenNotes reads the notes of a run directory. The file is made by the first note.
func OpenNotes(dir string, c NoteConfig) (*NoteFile, error) {
	if _, err := runlog.ReadConfig(dir); err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	f := &NoteFile{config: c}
	path := filepath.Join(dir, NotesFileName)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	lines, err := ledger.Open(path, ledger.Config[string, struct{}]{Entry: f.read})
	if err != nil {
		return nil, fmt.Errorf("open notes: %w", err)
	}
	f.lines = lines
	return f, nil
}

// Close closes the file.
func (f *NoteFile) Close() error { return f.lines.Close() }

// read takes one line, of this process or another.
func (f *NoteFile) read(line []byte, _ ledger.Span) (string, struct{}, error) {
	var n Note
	if ledger.Strict(line, &n) != nil || n.ID == "" || n.Episode == "" {
		return "", struct{}{}, ledger.ErrDamaged
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notes = append(f.notes, n)
	return n.ID, struct{}{}, nil
}

// Damaged is the number of lines that could not be read.
func (f *NoteFile) Damaged() int { return f.lines.Damaged() }

// Add adds a note to an episode, signs it, and returns it as it is kept.
func (f *NoteFile) Add(n Note) (Note, error) {
	n.Author, n.Time = cmp.Or(n.Author, f.config.Author), f.config.Now().UTC()
	n.ID = ""
	raw, err := ledger.Encode(n)
	if err != nil {
		return Note{}, err
	}
	const short = 16 // hex digits, enough for the notes of one run
	n.ID = runlog.Hash(string(raw))[:short]
	return n, f.append(n)
}

func (f *NoteFile) append(n Note) error {
	raw, err := ledger.Encode(n)
	if err != nil {
		return err
	}
	if err := f.lines.Add(raw); err != nil {
		return fmt.Errorf("write note: %w", err)
	}
	return nil
}

// Remove removes a note.
func (f *NoteFile) Remove(id string) error {
	for _, n := range f.All() {
		if n.ID == id {
			_, err := f.Add(Note{Episode: n.Episode, Removes: id})
			return err
		}
	}
	return fmt.Errorf("no note %s", id)
}

// Decide records the cause of an answer.
func (f *NoteFile) Decide(episode string, c cause.Code) error {
	if !slices.Contains(cause.Codes(), c) {
		return fmt.Errorf("cause %q: must be one of %v", c, cause.Codes())
	}
	_, err := f.Add(Note{Episode: episode, Cause: c})
	return err
}

// Undecide removes the decision that counts, so that the one before it counts again.
func (f *NoteFile) Undecide(episode string) error { return f.Remove(f.Decisions()[episode].ID) }

// All returns the notes of all episodes, the oldest first, without those that were removed.
func (f *NoteFile) All() []Note {
	f.lines.Get("") // reads what other processes added
	f.mu.Lock()
	defer f.mu.Unlock()
	done := make(map[string]bool) // removed, or in the list
	for _, n := range f.notes {
		done[n.Removes] = true
	}
	var list []Note
	for _, n := range f.notes {
		if n.Removes == "" && !done[n.ID] {
			list = append(list, n)
			done[n.ID] = true
		}
	}
	slices.SortStableFunc(list, func(a, b Note) int { return a.Time.Compare(b.Time) })
	return list
}

// Of returns the notes of an episode, the oldest first.
func (f *NoteFile) Of(episode string) []Note {
	return slices.DeleteFunc(f.All(), func(n Note) bool { return n.Episode != episode })
}

// Decisions returns the decision that counts on each episode that has one.
func (f *NoteFile) Decisions() map[string]Note {
	decided := make(map[string]Note)
	for _, n := range f.All() {
		if n.Cause != "" {
			decided[n.Episode] = n
		}
	}
	return decided
}

// Merge adds the notes of another file that are not here yet, and returns their number. Removals count, too.
func (f *NoteFile) Merge(path string) (added int, err error) {
	raw, err := files.ReadText(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s: no such file; name the %s of another copy of the run", path, NotesFileName)
	}
	if err != nil {
		return 0, err
	}
	number := 0
	for line := range bytes.Lines(raw) {
		number++
		var n Note
		if err := ledger.Strict(line, &n); err != nil || n.ID == "" || n.Episode == "" {
			return added, fmt.Errorf("%s:%d: not a note", path, number)
		}
		if _, known := f.lines.Get(n.ID); known {
			continue
		}
		if err := f.append(n); err != nil {
			return added, err
		}
		added++
	}
	return added, nil
}

// String is the note on one line: author, time, anchor and text.
func (n Note) String() string {
	where := ""
	if n.Step > 0 {
		where = fmt.Sprintf(" on step %d", n.Step)
	}
	if n.Field != "" {
		where += " " + n.Field
	}
	text := n.Text
	if n.Cause != "" {
		text = strings.TrimSpace("cause: " + string(n.Cause) + " " + text)
	}
	if n.Quote != "" {
		text = fmt.Sprintf("%q: %s", n.Quote, text)
	}
	return fmt.Sprintf("%s, %s%s: %s", cmp.Or(n.Author, "unknown"), n.Time.Format("2006-01-02 15:04"), where, text)
}

// NoteFiles are the notes of several runs. Each file is opened when it is needed. Its methods may overlap.
type NoteFiles struct {
	Config NoteConfig

	mu   sync.Mutex
	open map[string]*NoteFile
}

// Open returns the notes of a run by its directory.
func (n *NoteFiles) Open(run string) (*NoteFile, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if f := n.open[run]; f != nil {
		return f, nil
	}
	f, err := OpenNotes(run, n.Config)
	if err != nil {
		return nil, err
	}
	if n.open == nil {
		n.open = make(map[string]*NoteFile)
	}
	n.open[run] = f
	return f, nil
}

// Close closes all files.
func (n *NoteFiles) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var errs []error
	for _, f := range n.open {
		errs = append(errs, f.Close())
	}
	clear(n.open)
	return errors.Join(errs...)
}

// Decisions returns the decisions that count on some episodes, also those of other people and of earlier visits. open opens
// the notes of a run.
func Decisions(episodes []Key, open func(run string) (*NoteFile, error)) (map[Key]Note, error) {
	decided := make(map[Key]Note)
	runs := make(map[string]map[string]Note)
	for _, e := range episodes {
		if runs[e.Run] == nil {
			f, err := open(e.Run)
			if err != nil {
				return nil, fmt.Errorf("notes of %s: %w", e.Run, err)
			}
			runs[e.Run] = f.Decisions()
		}
		if note, ok := runs[e.Run][e.Episode]; ok {
			decided[e] = note
		}
	}
	return decided, nil
}
