package runlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/internal/ledger"
	"airqa/qa"
)

// Config is run.json. Shape is everything that affects results, Note the rest (the path of the questions as given, the
// start time, the first invocation's number of workers).
type Config struct {
	Format  int       `json:"format"`
	Program string    `json:"program"`
	Created time.Time `json:"created"`
	Shape   Shape     `json:"shape"`
	Note    Note      `json:"note"`
}

// Shape is the configuration that affects the results of a run. A run directory belongs to one Shape.
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
	// Loop is the version of the episode loop. It changes if the same replies would lead to different actions.
	Loop string `json:"loop"`
	// Shard is the part of the selected questions that the run answers, such as "3/16", and Selected identifies all
	// selected questions. Both are empty for a run that is not divided.
	Shard    string `json:"shard,omitempty"`
	Selected string `json:"selected,omitempty"`
}

// ModelName is the model as on the command line: "provider:name", or the part that is known.
func (s Shape) ModelName() string {
	provider, _ := s.Model["provider"].(string)
	name, _ := s.Model["model"].(string)
	if provider == "" || name == "" {
		return provider + name
	}
	return provider + ":" + name
}

// ReplyLimit is the maximum number of tokens of a reply; 0 if none is recorded.
func (s Shape) ReplyLimit() int {
	sampling, _ := s.Model["sampling"].(map[string]any)
	limit, _ := sampling["max_tokens"].(float64) // a float after reading run.json
	return int(limit)
}

// Note is information about a run that does not affect its results.
type Note struct {
	QuestionsFile string `json:"questions_file"`
	QuestionCount int    `json:"question_count"`
	// Tools are the names of the tools in the order of the prompt and of the requests.
	Tools   []string `json:"tools,omitempty"`
	DataDir string   `json:"data_dir"`
	// Prompts are the texts of prompts and tools that replace built-in ones, by name. Shape has their hashes.
	Prompts map[string]string `json:"prompts,omitempty"`
	// Repeats is the first invocation's number of episodes per question; 0 means one.
	Repeats int `json:"repeats,omitempty"`
	// BaseURL is the first invocation's endpoint address. The model may be served elsewhere later.
	BaseURL string `json:"base_url,omitempty"`
	// Headers are the names of the headers that the first invocation added to requests.
	Headers []string `json:"headers,omitempty"`
	// Price is the model's price at the first invocation; nil if unknown.
	Price *qa.Price `json:"price,omitempty"`
	// CacheFrom is the run whose replies the first invocation used again, as given; empty for none.
	CacheFrom string `json:"cache_from,omitempty"`
	// Fork is the origin of a forked run; nil for others.
	Fork *Fork `json:"fork,omitempty"`
	// Missing is nil if the data directory has everything that the questions need.
	Missing *MissingPapers `json:"missing_papers,omitempty"`
	// GoldPapers are the papers that a gold answer names by title or id, by the uuid of the question; only for questions
	// that name no paper themselves.
	GoldPapers map[string][]string `json:"gold_papers,omitempty"`
	// OutOfScope are the papers that a question or its gold answer names and that Retrieve cannot reach because of the setting
	// "scope", by the uuid of the question.
	OutOfScope map[string][]string `json:"out_of_scope,omitempty"`
	// Imported is the origin of a run that another program recorded; nil for others.
	Imported *Imported `json:"imported,omitempty"`
	// ShardQuestions are the uuids of a shard's questions, in the order of the file. A shard may have none.
	ShardQuestions []string `json:"shard_questions,omitempty"`
	// AsInPaper describes the first invocation if it asked for the settings of the paper.
	AsInPaper *qa.AsInPaper `json:"as_in_paper,omitempty"`
	// Merged lists the shards that a merged run was made of, if some were missing; nil for others.
	Merged *Merged `json:"merged,omitempty"`
}

// Merged are the shards of an incomplete merge.
type Merged struct {
	// Of is the number of all shards, Shards the numbers of those that were merged.
	Of     int   `json:"of"`
	Shards []int `json:"shards"`
}

// OutOfReach are the papers of a question that no tool of the run reaches: Retrieve does not search them, and there is no Query.
func (c Config) OutOfReach(uuid string) []string {
	if !slices.Contains(c.Note.Tools, "Retrieve") || slices.Contains(c.Note.Tools, "Query") {
		return nil
	}
	return c.Note.OutOfScope[uuid]
}

// ShardText describes the shard of a run, as in "shard 3/16: 35 of 553 questions"; "" if it is not divided.
func (c Config) ShardText() string {
	if c.Shape.Shard == "" {
		return ""
	}
	return fmt.Sprintf("shard %s: %d of %d questions", c.Shape.Shard, len(c.Note.ShardQuestions), c.Note.QuestionCount)
}

// Imported is the file that an imported run was made of.
type Imported struct {
	// File is the name of the file or folder, Format its format, such as "ATIF-v1.7".
	File   string `json:"file"`
	Format string `json:"format"`
	// Program imported it.
	Program string `json:"program"`
	// Run is the id of the run that airqa exported; empty for other programs. The imported run has the same id, so that
	// ids of rows and trajectories are the same.
	Run string `json:"run,omitempty"`
	// Losses counts what the file has and a run has no place for, by description.
	Losses map[string]int `json:"losses,omitempty"`
}

// ErrImported is returned for an imported run where one of airqa's own is needed.
var ErrImported = errors.New("the run was imported from another program's log, so it cannot be resumed, forked or repeated")

// Fork is the point at which a run was forked from another.
type Fork struct {
	// Run is the directory of the original run, relative to this one.
	Run string `json:"run"`
	// Episode is the forked episode, Step the one with the changed message.
	Episode string `json:"episode"`
	Step    int    `json:"step"`
	// Changed is [ForkReply] or [ForkObservation].
	Changed string `json:"changed"`
	// By is who changed it; may be empty.
	By string `json:"by,omitempty"`
}

// The messages that a [Fork] can change.
const (
	ForkReply       = "reply"
	ForkObservation = "observation"
)

// ErrNoRun is returned for a directory without a run.
var ErrNoRun = errors.New("no run here (run.json is missing); airqa run --out DIR creates one")

// NoRun is [ErrNoRun] for a directory. It suggests a subfolder that has runs.
func NoRun(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return noDirectory(dir)
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

// noDirectory is [ErrNoRun] for a directory that does not exist.
type noDirectory string

func (d noDirectory) Error() string     { return string(d) + ": no such file or directory" }
func (d noDirectory) Is(err error) bool { return err == ErrNoRun }
func (d noDirectory) Unwrap() error {
	return &fs.PathError{Op: "open", Path: string(d), Err: fs.ErrNotExist}
}

// MismatchError lists the differences between a configuration and a run directory's. It is returned in a [qa.UsageError].
type MismatchError struct {
	Dir  string
	Diff []string
}

// Error has one line per difference.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("run directory %s belongs to another configuration:\n  %s", e.Dir, strings.Join(e.Diff, "\n  "))
}

// Create makes a run directory for a configuration with its questions (JSON Lines), or checks that an existing one has
// the same Shape, up to the deadline of a question, which can be changed. A different Shape is a [*MismatchError], and the directory stays unchanged.
func Create(dir string, c Config, questions []byte) error {
	c.Format = Format
	exists, err := Check(dir, c.Shape)
	if err != nil {
		return err
	}
	if exists { // without a log, continuing would repeat the cost of the whole run
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
	if _, err := os.Stat(filepath.Join(dir, LogFile)); err == nil {
		return fmt.Errorf("%s has log.jsonl but no run.json; move it away or choose another directory", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make run directory: %w", err)
	}
	if err := files.WriteFile(filepath.Join(dir, QuestionsFile), questions); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return files.WriteFile(filepath.Join(dir, RunFile), append(raw, '\n'))
}

// Redacted redacts the JSON of the configuration: a name or path may contain a key.
func (c Config) Redacted(redact func([]byte) []byte) (Config, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return c, err
	}
	clean := ledger.RedactStrings(raw, redact)
	if bytes.Equal(clean, raw) {
		return c, nil
	}
	var safe Config
	dec := json.NewDecoder(bytes.NewReader(clean))
	dec.UseNumber() // a seed may have more digits than a float
	return safe, dec.Decode(&safe)
}

// Check reports whether a directory has a run. One with another Shape is a [*MismatchError], as in [Create]. It writes
// nothing.
func Check(dir string, shape Shape) (exists bool, err error) {
	old, err := ReadConfig(dir)
	if errors.Is(err, ErrNoRun) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if old.Note.Imported != nil {
		return true, fmt.Errorf("%s: %w; choose another directory", dir, ErrImported)
	}
	diff := slices.DeleteFunc(Differences(old.Shape, shape), func(line string) bool {
		return strings.HasPrefix(line, "settings.question_deadline_seconds:") // it only limits the wait for the endpoint
	})
	if len(diff) > 0 {
		return true, &qa.UsageError{Err: &MismatchError{Dir: dir, Diff: diff}}
	}
	return true, nil
}

// ReadConfig reads run.json. It rejects other formats and unknown keys.
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
	if err = ledger.CheckFormat(probe.Format, Format, "make the run again with airqa run --out NEW"); err == nil {
		err = ledger.Strict(raw, &c)
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", filepath.Join(dir, RunFile), err)
	}
	return c, nil
}

// Change is a key of run.json with different values in two runs, as JSON; empty where it is not set.
type Change struct {
	Key string `json:"key"`
	Old string `json:"a"`
	New string `json:"b"`
}

// Changes lists the differences between two shapes, ordered by key. It omits the texts shown to the model if the baseline
// or protocol differs, because those select the texts.
func Changes(old, now Shape) []Change {
	a, b := flatten(old), flatten(now)
	otherTexts := a["baseline"] != b["baseline"] || a["settings.protocol"] != b["settings.protocol"]
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	var list []Change
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		isText := strings.HasPrefix(key, "prompts.") || strings.HasPrefix(key, "tools.")
		if a[key] != b[key] && (!isText || !otherTexts) {
			list = append(list, Change{key, a[key], b[key]})
		}
	}
	return list
}

// Differences are the [Changes] in words, one line per key, starting with the key and a colon.
func Differences(old, now Shape) []string {
	var lines []string
	for _, c := range Changes(old, now) {
		lines = append(lines, c.Key+": "+c.Describe("there", "now"))
	}
	return lines
}

var textHash = lazyregexp.New(`^"[0-9a-f]{64}"$`)

// Describe returns both values, each followed by the name of its side. Hashes are only reported as changed.
func (c Change) Describe(before, after string) string {
	switch {
	case textHash.MatchString(c.Old) && textHash.MatchString(c.New):
		return "changed"
	case textHash.MatchString(c.Old) && c.New == "":
		return "only " + before
	case c.Old == "" && textHash.MatchString(c.New):
		return "only " + after
	}
	return cmp.Or(c.Old, "not set") + " " + before + ", " + cmp.Or(c.New, "not set") + " " + after
}

// flatten turns a value into dotted keys and JSON values for comparison.
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
