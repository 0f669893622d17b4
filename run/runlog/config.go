package runlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"time"

	"airqa/internal/atomicfile"
	"airqa/qa"
)

// Config is run.json: what the run is. Shape holds everything that shapes results, Note what does not (the path of
// the questions as given, the start, the number of workers of the first start).
type Config struct {
	Format  int       `json:"format"`
	Program string    `json:"program"`
	Created time.Time `json:"created"`
	Shape   Shape     `json:"shape"`
	Note    Note      `json:"note"`
}

// Shape is the whole configuration that shapes the results of a run. A run directory belongs to one Shape.
type Shape struct {
	Baseline string `json:"baseline"`
	// Model describes the model: provider, name, endpoint and sampling.
	Model map[string]any `json:"model"`
	// Settings are the numbers of the baseline: window, turns, retrieval limit, cut-offs, row cap, deadline.
	Settings map[string]any `json:"settings"`
	// Prompts and Tools map names to SHA-256 of the texts.
	Prompts map[string]string `json:"prompts"`
	Tools   map[string]string `json:"tools"`
	// Schema is the hash of the database schema as shown to the model.
	Schema string `json:"schema"`
	// Data is the fingerprint of the data directory.
	Data string `json:"data"`
	// Questions is the SHA-256 of the questions as loaded.
	Questions string `json:"questions"`
	// Loop names the form of the episode loop. It changes when the same replies would lead elsewhere.
	Loop string `json:"loop"`
}

// ModelName is the model as it is named on the command line: "provider:name", or the one of both that is known.
func (s Shape) ModelName() string {
	provider, _ := s.Model["provider"].(string)
	name, _ := s.Model["model"].(string)
	if provider == "" || name == "" {
		return provider + name
	}
	return provider + ":" + name
}

// SpecOf is the name of the model that a description describes.
func SpecOf(described map[string]any) string {
	return Shape{Model: described}.ModelName()
}

// ReplyLimit is the maximum number of tokens of a reply; 0 when none is recorded.
func (s Shape) ReplyLimit() int {
	sampling, _ := s.Model["sampling"].(map[string]any)
	limit, _ := sampling["max_tokens"].(float64) // run.json was read
	return int(limit)
}

// Note is what is worth knowing of a run and does not shape its results.
type Note struct {
	QuestionsFile string `json:"questions_file"`
	QuestionCount int    `json:"question_count"`
	DataDir       string `json:"data_dir"`
	// Repeats is how many episodes each question gets by the first invocation; 0 is one.
	Repeats int `json:"repeats,omitempty"`
	// BaseURL is the address of the model's endpoint at the first start. The same model may be served elsewhere later.
	BaseURL string `json:"base_url,omitempty"`
	// Price is that of the model at the first start; nil when it is unknown.
	Price *qa.Price `json:"price,omitempty"`
	// Replay is the run directory whose replies this run shows again, as given; empty for a run that asked a model.
	Replay string `json:"replay,omitempty"`
	// Fork says where this run branched off; nil for one that began by itself.
	Fork *Fork `json:"fork,omitempty"`
	// Missing is nil when the data directory holds everything that the questions need, and in older runs.
	Missing *MissingPapers `json:"missing_papers,omitempty"`
}

// Fork is the point at which a run left the run that it was copied from.
type Fork struct {
	// Run is the directory of that run, relative to this one.
	Run string `json:"run"`
	// Episode is the one that goes on, Step the one with the changed message.
	Episode string `json:"episode"`
	Step    int    `json:"step"`
	// Changed is [ForkReply] or [ForkObservation].
	Changed string `json:"changed"`
	// By is who changed it; empty when nobody said.
	By string `json:"by,omitempty"`
}

// What a [Fork] changed.
const (
	ForkReply       = "reply"
	ForkObservation = "observation"
)

// ErrNoRun is returned for a directory that holds no run.
var ErrNoRun = errors.New("no run here (run.json is missing); airqa run --out DIR makes one")

// NoRun is [ErrNoRun] for a directory. It names the folder below that holds runs.
func NoRun(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w\n  there is no such directory", dir, ErrNoRun)
	}
	for _, below := range []string{"*/", "*/*/"} {
		runs, err := fs.Glob(os.DirFS(dir), below+RunFile)
		if err == nil && len(runs) > 0 {
			run := filepath.Join(dir, filepath.Dir(runs[0]))
			return fmt.Errorf("%s: %w\n  there are runs in %s, such as %s", dir, ErrNoRun, filepath.Dir(run), filepath.Base(run))
		}
	}
	return fmt.Errorf("%s: %w", dir, ErrNoRun)
}

// MismatchError lists how a configuration differs from that of the run directory.
type MismatchError struct {
	Dir  string
	Diff []string
}

// Error implements error: one line a difference.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("run directory %s belongs to another configuration:\n  %s", e.Dir, strings.Join(e.Diff, "\n  "))
}

// Create makes a run directory for a configuration with its questions (JSON Lines), or checks that the one that
// is there has the same Shape. A different Shape is a [*MismatchError]; the directory stays as it was.
func Create(dir string, c Config, questions []byte) error {
	c.Format = Format
	old, err := ReadConfig(dir)
	switch {
	case err == nil:
		if err := match(dir, old.Shape, c.Shape); err != nil {
			return err
		}
		return checkLog(dir)
	case !errors.Is(err, ErrNoRun):
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, LogFile)); err == nil {
		return fmt.Errorf("%s holds a log and no run.json, so nobody can tell whose it is; move it away or choose another directory", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make run directory: %w", err)
	}
	if err := atomicfile.WriteFile(filepath.Join(dir, QuestionsFile), questions); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(filepath.Join(dir, RunFile), append(raw, '\n'))
}

// checkLog refuses a run directory that was scored or indexed and whose log is missing or empty: running again would cost as
// much as the whole run did.
func checkLog(dir string) error {
	if info, err := os.Lstat(filepath.Join(dir, LogFile)); err == nil && info.Size() > 0 {
		return nil
	}
	for _, trace := range []string{scoresDir, indexFile, "verdicts.jsonl"} {
		if _, err := os.Lstat(filepath.Join(dir, trace)); err == nil {
			return fmt.Errorf("%s has %s but no events in %s, so all questions would run again at full cost; restore %[3]s, or choose another directory",
				dir, trace, LogFile)
		}
	}
	return nil
}

// Redacted returns the configuration as redact leaves its JSON: a key may stand in a name or a path.
func (c Config) Redacted(redact func([]byte) []byte) (Config, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return c, err
	}
	clean := redact(raw)
	if bytes.Equal(clean, raw) {
		return c, nil
	}
	var safe Config
	dec := json.NewDecoder(bytes.NewReader(clean))
	dec.UseNumber() // a seed may have more digits than a float
	return safe, dec.Decode(&safe)
}

// Check tells whether there is a run in a directory. One of another Shape is a [*MismatchError], as for [Create]; nothing is
// made.
func Check(dir string, shape Shape) (exists bool, err error) {
	old, err := ReadConfig(dir)
	if errors.Is(err, ErrNoRun) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, match(dir, old.Shape, shape)
}

// ReadConfig reads run.json. It refuses another format, and keys that it does not know.
func ReadConfig(dir string) (Config, error) {
	var c Config
	if err := checkEntries(dir); err != nil {
		return c, err
	}
	raw, err := readIn(dir, RunFile)
	if errors.Is(err, fs.ErrNotExist) {
		return c, NoRun(dir)
	}
	if err != nil {
		return c, fmt.Errorf("read run directory: %w", err)
	}
	var probe struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(raw, &probe); err != nil {
		return c, fmt.Errorf("%s: %w", filepath.Join(dir, RunFile), err)
	}
	if probe.Format != Format {
		return c, fmt.Errorf("%s has format %d; this program reads format %d", filepath.Join(dir, RunFile), probe.Format, Format)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, fmt.Errorf("%s: %w", filepath.Join(dir, RunFile), err)
	}
	return c, nil
}

func match(dir string, old, now Shape) error {
	if diff := Differences(old, now); len(diff) > 0 {
		return &MismatchError{Dir: dir, Diff: diff}
	}
	return nil
}

// Differences lists how two shapes differ, one line a key, in order; each line begins with the key and a colon. The texts
// shown to the model are left out where the baseline or the protocol differs, since those choose the texts.
func Differences(old, now Shape) []string {
	a, b := flatten(old), flatten(now)
	otherTexts := a["baseline"] != b["baseline"] || a["settings.protocol"] != b["settings.protocol"]
	var diff []string
	for key := range union(a, b) {
		isText := strings.HasPrefix(key, "prompts.") || strings.HasPrefix(key, "tools.")
		if a[key] != b[key] && (!isText || !otherTexts) {
			diff = append(diff, key+": "+change(a[key], b[key]))
		}
	}
	sort.Strings(diff)
	return diff
}

var textHash = regexp.MustCompile(`^"[0-9a-f]{64}"$`)

// change is how a value differs. Of two hashes only that they differ means something to a person.
func change(old, now string) string {
	switch {
	case textHash.MatchString(old) && textHash.MatchString(now):
		return "changed"
	case textHash.MatchString(old) && now == "":
		return "only there"
	case old == "" && textHash.MatchString(now):
		return "only now"
	}
	return cmp.Or(old, "not set") + " there, " + cmp.Or(now, "not set") + " now"
}

func union(a, b map[string]string) map[string]bool {
	keys := make(map[string]bool)
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return keys
}

// flatten turns a value into dotted keys and JSON values, so that two of them can be compared.
func flatten(v any) map[string]string {
	raw, err := json.Marshal(v)
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	var tree any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return map[string]string{"error": err.Error()}
	}
	flat := make(map[string]string)
	flattenInto(flat, "", tree)
	return flat
}

func flattenInto(flat map[string]string, at string, v any) {
	if m, ok := v.(map[string]any); ok {
		for k, child := range m {
			flattenInto(flat, strings.TrimPrefix(at+"."+k, "."), child)
		}
		return
	}
	raw, err := json.Marshal(v)
	if err == nil && string(raw) != "null" {
		flat[at] = string(raw)
	}
}
