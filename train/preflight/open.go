package preflight

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
	"airqa/train/preflight/rows"
	"airqa/train/preflight/template"
)

// Options name a file and its trainer.
type Options struct {
	// Path is a file, or a folder with a dataset_info.json.
	Path    string
	Trainer Trainer
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
	if o.Training = cmp.Or(o.Training, configBeside(o.Path, o.Trainer)); o.Training == "" || o.Dataset != "" {
		return nil, nil
	}
	if s, err := os.Stat(o.Path); err != nil || !s.IsDir() {
		return nil, err
	}
	t, err := readTraining(o.Training, o.Trainer)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(t.evaluation(), ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		named := o
		named.evaluation, named.Dataset = name, name
		if o.Trainer == TRL {
			named.Path = filepath.Join(o.Path, "data", name+".jsonl")
		}
		list = append(list, named)
	}
	return list, nil
}

// Open reads the configuration. Settings that the trainer itself refuses are no error here: they are in the total of
// [Dataset.Rows].
func Open(o Options) (*Dataset, error) {
	o.Training = cmp.Or(o.Training, configBeside(o.Path, o.Trainer))
	d, err := openTraining(o)
	if d != nil {
		d.name, d.tokenizer = o.evaluation, tokenizerFile(o.Tokenizer)
	}
	return d, err
}

// ErrNoTemplate is the error of a configuration of LLaMA-Factory without a chat template.
var ErrNoTemplate = errors.New("missing template: name the model's template, such as template: qwen")

func openTraining(o Options) (*Dataset, error) {
	t := training{Config: Config{Trainer: o.Trainer}}
	if o.Training != "" {
		var err error
		if t, err = readTraining(o.Training, o.Trainer); err != nil {
			return nil, err
		}
	}
	t.CutoffLen = cmp.Or(o.CutoffLen, t.CutoffLen)
	t.Template = cmp.Or(o.Template, t.Template)
	t.Date = o.Today.Format("02 Jan 2006")
	if err := setTokenizer(&t.Config, o.Tokenizer); err != nil {
		return nil, err
	}
	if o.Trainer == LLaMAFactory && t.Template == "" {
		if o.Training != "" {
			return nil, fmt.Errorf("%s: %w", o.Training, ErrNoTemplate)
		}
		t.Template = "qwen"
	}
	if len(t.unknown) > 0 {
		failure := fmt.Errorf("ValueError: Some keys are not used by the HfArgumentParser: ['%s']", strings.Join(t.unknown, "', '"))
		return &Dataset{settings: o.Training, failure: failure}, nil
	}
	if o.Trainer == LLaMAFactory {
		return openLLaMAFactory(o, t)
	}
	return openChat(o, t)
}

// openChat opens a file for a trainer that needs no description of it.
func openChat(o Options, t training) (*Dataset, error) {
	path, err := onlyFile(o.Path)
	if err != nil {
		return nil, err
	}
	t.CutoffLen = cmp.Or(t.CutoffLen, 1024)
	d := &Dataset{path: path, config: t.Config, trainer: openAI{t.Config}, settings: "OpenAI"}
	if o.Trainer != TRL {
		return d, nil
	}
	if !slices.Contains([]string{"", promptCompletion, messagesFormat, preference}, t.Format) {
		return nil, fmt.Errorf("%s: unknown format %q; known: %s, %s, %s", o.Training, t.Format, promptCompletion, messagesFormat, preference)
	}
	name := cmp.Or(t.Template, chatML)
	d.trainer, d.settings = trl{t.Config, t.Format}, fmt.Sprintf("TRL, template %s, max_length %d", name, t.CutoffLen)
	if name != chatML {
		d.failure = rows.NotChecked(fmt.Sprintf("the chat template %s is the tokenizer's own; of TRL only %s is known here", name, chatML))
	}
	if ext := filepath.Ext(path); ext != ".json" && ext != ".jsonl" {
		d.failure = rows.NotChecked(fmt.Sprintf("%s: only .json and .jsonl are checked", filepath.Base(path)))
	}
	return d, nil
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

// configBeside returns the configuration that an export writes beside its rows.
func configBeside(path string, trainer Trainer) string {
	name := map[Trainer]string{LLaMAFactory: "llamafactory.yaml", TRL: "trl.yaml"}[trainer]
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
func describe(c Config, file string) string {
	parts := []string{"LLaMA-Factory", "stage " + string(c.Stage), "template " + c.Template, fmt.Sprintf("cutoff_len %d", c.CutoffLen)}
	for _, s := range []struct {
		on   bool
		name string
	}{
		{c.MaskHistory, "mask_history"},
		{c.TrainOnPrompt, "train_on_prompt"},
		{c.Packing, "packing"},
		{c.Workers > 1, fmt.Sprintf("%d workers", c.Workers)},
	} {
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
func openLLaMAFactory(o Options, t training) (*Dataset, error) {
	d := &Dataset{settings: o.Training}
	dir, err := d.findEntry(o.Path, cmp.Or(o.Dataset, datasetNames(t.Dataset)))
	if unknown := rows.NotChecked(""); errors.Is(err, rows.ErrEntry) || errors.As(err, &unknown) {
		d.failure = err
		return d, nil
	} else if err != nil {
		return nil, err
	}
	if t.MediaDir == "" {
		t.MediaDir = dir
	}
	d.path, d.config = filepath.Join(dir, d.entry.File), t.withDefaults()
	d.settings = describe(d.config, o.Training)
	k, err := New(t.Config)
	switch {
	case errors.Is(err, ErrRefused):
		d.settings, d.failure = o.Training, err
	case errors.Is(err, template.ErrUnknown) && !template.Exists(t.Template):
		d.settings, d.failure = o.Training, fmt.Errorf("ValueError: Template %s does not exist: %w", t.Template, err)
	case errors.Is(err, template.ErrUnknown):
		d.failure = rows.NotChecked(err.Error())
	case err != nil:
		return nil, err
	default:
		d.trainer = llamaFactory{k, d.entry}
	}
	return d, nil
}

// findEntry finds the entry of a data set and returns its folder. A file without an entry gets one that fits its columns.
func (d *Dataset) findEntry(path, name string) (dir string, err error) {
	s, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if s.IsDir() {
		d.entry, err = rows.ReadInfo(path, name)
		return path, err
	}
	dir = filepath.Dir(path)
	if name == "" {
		name, err = rows.EntryOf(dir, filepath.Base(path))
	}
	if name != "" && err == nil {
		d.entry, err = rows.ReadInfo(dir, name)
		return dir, err
	}
	if !errors.Is(err, fs.ErrNotExist) && err != nil {
		return "", err
	}
	schema := &rows.Type{}
	if f, err := rows.Open(path); err == nil {
		d.file, schema = f, f.Schema
	}
	d.entry = rows.ShareGPT(filepath.Base(path), func(column string) bool {
		_, ok := schema.Field(column)
		return ok
	})
	return dir, nil
}

// tokenizerFile returns the tokenizer.json of a model.
func tokenizerFile(path string) string {
	if s, err := os.Stat(path); err == nil && s.IsDir() {
		return filepath.Join(path, "tokenizer.json")
	}
	return path
}

// setTokenizer opens tokenizer.json and what its neighbour tokenizer_config.json says of it.
func setTokenizer(c *Config, path string) error {
	if path == "" {
		return nil
	}
	path = tokenizerFile(path)
	t, err := bpe.Open(path)
	if err != nil {
		return fmt.Errorf("tokenizer %s: %w", path, err)
	}
	c.Tokenizer = t
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(path), "tokenizer_config.json"))
	if errors.Is(err, fs.ErrNotExist) {
		c.BOS = firstKnown(t, "<|begin_of_text|>", "<s>", "<bos>")
		c.EOS = firstKnown(t, "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "</s>", "<eos>")
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

// firstKnown returns the first of the tokens that the vocabulary has.
func firstKnown(t *bpe.Tokenizer, tokens ...string) string {
	for _, token := range tokens {
		if _, ok := t.ID(token); ok {
			return token
		}
	}
	return ""
}
