package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"airqa/internal/bpe"
	"airqa/train/preflight"
	"airqa/train/preflight/align"
	"airqa/train/preflight/chattemplate"
	"airqa/train/preflight/table"
	"airqa/train/preflight/template"
)

// Options name a file and its trainer.
type Options struct {
	// Path is a file, or a folder with a dataset_info.json.
	Path    string
	Trainer preflight.Trainer
	// Training is the trainer's own configuration file, empty for its defaults.
	Training string
	// Dataset is an entry of dataset_info.json; empty for the one in the training file, or the only one.
	Dataset string
	// Tokenizer is the model's tokenizer.json; without it, tokens are estimated.
	Tokenizer string
	// CutoffLen and Template override the training file.
	CutoffLen int
	Template  string
	Today     time.Time
	// evaluation is the name of a data set for evaluation.
	evaluation string
}

// Evaluation returns the options of the data sets for evaluation that the training configuration names beside the one to
// train on; none if o names one data set itself.
func Evaluation(o Options) (list []Options, err error) {
	if o.Training = cmp.Or(o.Training, besides(o.Path, o.Trainer)); o.Training == "" || o.Dataset != "" {
		return nil, nil
	}
	if s, err := os.Stat(o.Path); err != nil || !s.IsDir() {
		return nil, err
	}
	t, err := ReadTraining(o.Training, o.Trainer)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(t.Evaluation, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		one := o
		one.evaluation = name
		if one.Dataset = name; o.Trainer == preflight.TRL {
			one.Path = filepath.Join(o.Path, "data", name+".jsonl")
		}
		list = append(list, one)
	}
	return list, nil
}

// Open reads the configuration. Settings that the trainer itself refuses are no error here: they are in the total of
// [Check.Rows].
func Open(o Options) (*Check, error) {
	o.Training = cmp.Or(o.Training, besides(o.Path, o.Trainer))
	c, err := open(o)
	if c != nil {
		c.name = o.evaluation
	}
	return c, err
}

func open(o Options) (*Check, error) {
	t := Training{Config: preflight.Config{Trainer: o.Trainer}}
	if o.Training != "" {
		var err error
		if t, err = ReadTraining(o.Training, o.Trainer); err != nil {
			return nil, err
		}
	}
	t.CutoffLen = cmp.Or(o.CutoffLen, t.CutoffLen)
	t.Template = cmp.Or(o.Template, t.Template)
	t.Date = o.Today.Format("02 Jan 2006")
	if err := setTokenizer(&t.Config, o.Tokenizer); err != nil {
		return nil, err
	}
	if o.Trainer == preflight.LLaMAFactory && t.Template == "" {
		if o.Training != "" {
			return nil, fmt.Errorf("%s has no template: name the one of the model with --template", o.Training)
		}
		t.Template = "qwen"
	}
	if len(t.Unknown) > 0 {
		return &Check{settings: o.Training, failure: fmt.Errorf("ValueError: Some keys are not used by the HfArgumentParser: ['%s']", strings.Join(t.Unknown, "', '"))}, nil
	}
	if o.Trainer == preflight.LLaMAFactory {
		return openLLaMAFactory(o, t)
	}
	return openChat(o, t)
}

// openChat opens a file for a trainer that needs no description of it.
func openChat(o Options, t Training) (*Check, error) {
	path, err := onlyFile(o.Path)
	if err != nil {
		return nil, err
	}
	t.CutoffLen = cmp.Or(t.CutoffLen, 1024)
	c := &Check{path: path, config: t.Config, trainer: openAI{t.Config}, settings: "OpenAI"}
	if o.Trainer == preflight.TRL {
		if !slices.Contains([]string{"", promptCompletion, messagesFormat, preference}, t.Format) {
			return nil, fmt.Errorf("%s: unknown format %q; known: %s, %s, %s", o.Training, t.Format, promptCompletion, messagesFormat, preference)
		}
		chat, err := chattemplate.Find(t.Template)
		if err != nil {
			return nil, err
		}
		c.mixed = true
		c.trainer, c.settings = trl{t.Config, t.Format, chat}, fmt.Sprintf("TRL, template %s, max_length %d", cmp.Or(t.Template, chattemplate.ChatML), t.CutoffLen)
	}
	return c, nil
}

// onlyFile returns the training file of a folder.
func onlyFile(path string) (string, error) {
	if s, err := os.Stat(path); err != nil || !s.IsDir() {
		return path, err
	}
	var found []string
	for _, pattern := range []string{"data/train.json*", "*.jsonl", "*.json", "data/*.json*"} {
		files, err := filepath.Glob(filepath.Join(path, pattern))
		if found = files; err != nil || len(found) == 1 {
			break
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%s: name one file of the folder", path)
	}
	return found[0], nil
}

// besides returns the configuration that an export writes beside its rows.
func besides(path string, trainer preflight.Trainer) string {
	name := map[preflight.Trainer]string{preflight.LLaMAFactory: "llamafactory.yaml", preflight.TRL: "trl.yaml"}[trainer]
	if s, err := os.Stat(path); name == "" || err != nil || !s.IsDir() {
		return ""
	}
	file := filepath.Join(path, name)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// describe prints the settings that matter.
func describe(c preflight.Config, file string) string {
	parts := []string{"LLaMA-Factory", "stage " + string(c.Stage), "template " + c.Template, fmt.Sprintf("cutoff_len %d", c.CutoffLen)}
	for _, s := range []struct {
		on   bool
		name string
	}{{c.MaskHistory, "mask_history"}, {c.TrainOnPrompt, "train_on_prompt"}, {c.Packing, "packing"}, {c.Workers > 1, fmt.Sprintf("%d workers", c.Workers)}} {
		if s.on {
			parts = append(parts, s.name)
		}
	}
	text := strings.Join(parts, ", ")
	if file != "" {
		text += " (" + file + ")"
	}
	return text
}

// openLLaMAFactory finds the data set and its entry in dataset_info.json.
func openLLaMAFactory(o Options, t Training) (*Check, error) {
	dir, info, err := dataset(o.Path, cmp.Or(o.Dataset, t.Dataset))
	if errors.Is(err, align.ErrEntry) {
		return &Check{settings: o.Training, failure: err}, nil
	} else if err != nil {
		return nil, err
	}
	if t.MediaDir == "" {
		t.MediaDir = dir
	}
	k, err := preflight.New(t.Config)
	switch {
	case errors.Is(err, preflight.ErrRefused):
		return &Check{settings: o.Training, failure: err}, nil
	case errors.Is(err, template.ErrUnknown) && !template.Exists(t.Template):
		return &Check{settings: o.Training, failure: fmt.Errorf("ValueError: Template %s does not exist: %w", t.Template, err)}, nil
	case err != nil:
		return nil, err
	}
	switch ext := filepath.Ext(info.File); ext {
	case ".csv", ".parquet", ".arrow", ".txt":
		return nil, fmt.Errorf("%s: %w", info.File, errFormat)
	}
	return &Check{trainer: llamaFactory{k, info}, path: filepath.Join(dir, info.File), config: k.Config(), settings: describe(k.Config(), o.Training)}, nil
}

// dataset returns the folder of a data set and its entry. A file without an entry gets one that fits its columns.
func dataset(path, name string) (dir string, info align.Info, err error) {
	s, err := os.Stat(path)
	if err != nil {
		return "", info, err
	}
	if s.IsDir() {
		info, err = align.ReadInfo(path, name)
		return path, info, err
	}
	dir = filepath.Dir(path)
	if name == "" {
		name, err = align.EntryOf(dir, filepath.Base(path))
	}
	if name != "" && err == nil {
		info, err = align.ReadInfo(dir, name)
		return dir, info, err
	}
	if !errors.Is(err, fs.ErrNotExist) && err != nil {
		return "", info, err
	}
	f, err := table.Open(path, false)
	if err != nil {
		return dir, align.ShareGPT(filepath.Base(path), func(string) bool { return false }), nil
	}
	return dir, align.ShareGPT(filepath.Base(path), func(column string) bool {
		_, ok := f.Schema.Field(column)
		return ok
	}), nil
}

// setTokenizer opens tokenizer.json and what its neighbour tokenizer_config.json says of it.
func setTokenizer(c *preflight.Config, path string) error {
	if path == "" {
		return nil
	}
	if s, err := os.Stat(path); err == nil && s.IsDir() {
		path = filepath.Join(path, "tokenizer.json")
	}
	t, err := bpe.Open(path)
	if err != nil {
		return fmt.Errorf("--tokenizer: %w", err)
	}
	c.Tokenizer = t
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(path), "tokenizer_config.json"))
	if errors.Is(err, fs.ErrNotExist) {
		c.BOS, c.EOS = guess(t, "<|begin_of_text|>", "<s>", "<bos>"), guess(t, "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "</s>", "<eos>")
		return nil
	} else if err != nil {
		return err
	}
	var config struct{ BOS, EOS token }
	if err := json.Unmarshal(raw, &struct {
		BOS *token `json:"bos_token"`
		EOS *token `json:"eos_token"`
	}{&config.BOS, &config.EOS}); err != nil {
		return fmt.Errorf("tokenizer_config.json: %w", err)
	}
	c.BOS, c.EOS = string(config.BOS), string(config.EOS)
	return nil
}

// token is a token as a text, or as an object with its content.
type token string

// UnmarshalJSON reads both forms.
func (t *token) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*t = token(text)
		return nil
	}
	var object struct {
		Content string `json:"content"`
	}
	err := json.Unmarshal(raw, &object)
	*t = token(object.Content)
	return err
}

// guess returns the first of the tokens that the vocabulary has.
func guess(t *bpe.Tokenizer, tokens ...string) string {
	for _, token := range tokens {
		if _, ok := t.ID(token); ok {
			return token
		}
	}
	return ""
}
