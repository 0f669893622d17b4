package annotate

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
)

// Files of a directory of annotations.
const (
	LogFile      = "annotations.jsonl"
	settingsFile = "annotate.json"
)

const format = 1

type line struct {
	Format   int    `json:"format"`
	Aspect   string `json:"aspect_id"`
	Abstract int    `json:"abstract_id"`
	// Prompt identifies the question without the note of a later try. The reply to another text does not count.
	Prompt string `json:"prompt"`
	// Try counts the replies to a question from 1.
	Try    int    `json:"try"`
	Reply  string `json:"reply"`
	Finish string `json:"finish,omitempty"`
	// Failed is the reason of a request without a reply.
	Failed string   `json:"failed,omitempty"`
	Usage  qa.Usage `json:"usage"`
}

// kept is what memory has of the last reply about a pair.
type kept struct {
	aspect, prompt string
	abstract, try  int
	score          Score
	at             ledger.Span
}

type annotations struct {
	*ledger.Ledger[string, kept]
	// spent sums all requests, failed ones included.
	spent qa.Usage
	// replied are the pairs with a reply.
	replied map[string]bool
}

// openLog opens the log in a directory; exclusive makes and locks it.
func openLog(dir string, rule Rule, exclusive bool, redact func([]byte) []byte) (*annotations, error) {
	path := filepath.Join(dir, LogFile)
	if _, err := os.Stat(path); err != nil && !exclusive {
		return nil, fmt.Errorf("open annotations: %w; airqa bench annotate --out DIR creates a directory of annotations", err)
	}
	a := &annotations{replied: make(map[string]bool)}
	// Failed requests have keys of their own, so that they never hide a reply.
	entry := func(raw []byte, at ledger.Span) (string, kept, error) {
		var l line
		if json.Unmarshal(raw, &l) != nil || l.Aspect == "" {
			return "", kept{}, ledger.ErrDamaged
		}
		if err := ledger.CheckFormat(l.Format, format, "make it again with airqa bench annotate --out NEW"); err != nil {
			return "", kept{}, err
		}
		a.spent = a.spent.Add(l.Usage)
		k := kept{aspect: l.Aspect, abstract: l.Abstract, prompt: l.Prompt, try: l.Try, at: at}
		if l.Failed != "" {
			return "failed " + nameOf(l.Aspect, l.Abstract), k, nil
		}
		k.score = Parse(l.Reply, l.Finish, rule)
		name := nameOf(l.Aspect, l.Abstract)
		a.replied[name] = true
		return name, k, nil
	}
	var err error
	a.Ledger, err = ledger.Open(path, ledger.Config[string, kept]{Entry: entry, Redact: redact, Exclusive: exclusive})
	if errors.Is(err, ledger.ErrInUse) {
		return nil, fmt.Errorf("%s is in use by another airqa; wait for it or stop it", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return a, nil
}

// settings are what all replies of a directory have in common.
type settings struct {
	Format int            `json:"format"`
	Model  map[string]any `json:"model"`
	// Template is the hash of the question's text, Prompts the texts that replace built-in ones, by name.
	Template string            `json:"template"`
	Prompts  map[string]string `json:"prompts,omitempty"`
}

// settle records the settings of a new directory, and rejects others for one with replies.
func (s settings) settle(dir string) error {
	path := filepath.Join(dir, settingsFile)
	want, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	want = append(want, '\n')
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return files.WriteFile(path, want)
	case err != nil:
		return err
	case string(raw) == string(want):
		return nil
	}
	var old settings
	if err := json.Unmarshal(raw, &old); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	what := "another model, or other settings of it"
	if old.Template != s.Template {
		what = "another template"
	}
	return qa.Usagef("%s has annotations of %s (%s); choose another directory, or repeat the first command", dir, what, path)
}

// ExportConfig configures [Export], as flags of a command. Unparsed must be set.
type ExportConfig struct {
	// Dir is the directory of the replies.
	Dir string
	// Out is the file to write: a list like Annotation of the benchmark's file. Replies without a verdict are in Unparsed,
	// if there are any.
	Out, Unparsed string
	Rule          Rule
}

// Exported counts what [Export] wrote.
type Exported struct {
	Annotations int `json:"annotations"`
	Unparsed    int `json:"unparsed"`
	// Damaged counts lines of the log that cannot be read.
	Damaged int `json:"damaged"`
}

// row is an annotation in the benchmark's form; an unparsed one has no score.
type row struct {
	Aspect   string `json:"aspect_id"`
	Abstract int    `json:"abstract_id"`
	Reply    string `json:"gpt_response"`
	Score    *Score `json:"score,omitempty"`
}

// Export writes the last reply to each pair as a list like the benchmark's Annotation, sorted by pair. The rule is applied
// to the recorded replies, so that no call is made.
func Export(c ExportConfig) (e Exported, err error) {
	log, err := openLog(c.Dir, c.Rule, false, nil)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	var parsed, rest []kept
	for name := range log.replied {
		if k, _ := log.Get(name); k.score == Unparsed {
			rest = append(rest, k)
		} else {
			parsed = append(parsed, k)
		}
	}
	e = Exported{len(parsed), len(rest), log.Damaged()}
	if len(log.replied) == 0 {
		return e, fmt.Errorf("%s has no replies; airqa bench annotate --out %s asks for them", filepath.Join(c.Dir, LogFile), c.Dir)
	}
	if err := write(c.Out, log, parsed); err != nil || len(rest) == 0 {
		return e, err
	}
	return e, write(c.Unparsed, log, rest)
}

// write writes replies, sorted by pair. Numbers of aspects sort as numbers.
func write(path string, log *annotations, list []kept) error {
	slices.SortFunc(list, func(a, b kept) int {
		x, errX := strconv.Atoi(a.aspect)
		y, errY := strconv.Atoi(b.aspect)
		if errX != nil || errY != nil {
			x, y = 0, 0
		}
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.aspect, b.aspect), cmp.Compare(a.abstract, b.abstract))
	})
	return files.Write(path, func(out io.Writer) error {
		w := bufio.NewWriter(out)
		mark := "["
		for _, k := range list {
			raw, err := log.Line(k.at)
			if err != nil {
				return err
			}
			var l line
			if err := json.Unmarshal(raw, &l); err != nil {
				return err
			}
			r := row{Aspect: l.Aspect, Abstract: l.Abstract, Reply: l.Reply}
			if k.score != Unparsed {
				r.Score = &k.score
			}
			text, err := ledger.Encode(r)
			if err != nil {
				return err
			}
			_, _ = w.WriteString(mark + "\n")
			_, _ = w.Write(text[:len(text)-1]) // without its newline
			mark = ","
		}
		_, _ = w.WriteString("\n]\n")
		return w.Flush()
	})
}
