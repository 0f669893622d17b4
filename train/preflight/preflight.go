// Package preflight predicts what a trainer does with each row of a file of training data: keep it, drop it or fail to load
// the file; how many tokens it has, which are trained and which are cut. It follows LLaMA-Factory 0.9.5, TRL 1.16 and
// OpenAI's fine-tuning. What it cannot know it calls not checked; [Dataset.RunTrainer] runs the trainer's own loader.
//
// Start from [Open], then [Dataset.Rows] or [Dataset.Spans] for a file, or from [New] and [Checker.Measure] for one
// conversation.
package preflight

import "airqa/train/preflight/template"

// Trainer names a program that trains on a file.
type Trainer string

// Trainers.
const (
	LLaMAFactory Trainer = "llamafactory"
	TRL          Trainer = "trl"
	OpenAI       Trainer = "openai"
)

// Stage is LLaMA-Factory's kind of training.
type Stage string

// Stages that read rows of conversations.
const (
	SFT Stage = "sft"
	RM  Stage = "rm"
	KTO Stage = "kto"
)

// Config is what a trainer does with its data. The zero value of a field is the trainer's own default. The keys are those
// of the trainers' own files.
type Config struct {
	Trainer Trainer `yaml:"-"`
	Stage   Stage   `yaml:"stage"`
	// Template names a template of LLaMA-Factory; of TRL only chatml is known.
	Template string `yaml:"template"`
	// CutoffLen is the maximum number of tokens in a row: cutoff_len of LLaMA-Factory (2,048 by default), max_length of
	// TRL (1,024).
	CutoffLen int `yaml:"cutoff_len"`
	// MaskHistory trains the last assistant turn alone.
	MaskHistory   bool `yaml:"mask_history"`
	TrainOnPrompt bool `yaml:"train_on_prompt"`
	Packing       bool `yaml:"packing"`
	NeatPacking   bool `yaml:"neat_packing"`
	// BatchSize is 1,000 by default.
	BatchSize int `yaml:"preprocessing_batch_size"`
	Workers   int `yaml:"preprocessing_num_workers"`
	// MediaDir is the folder of relative image paths.
	MediaDir string `yaml:"media_dir"`
	// MaxPixels and MinPixels bound the area of images, 768 × 768 and 32 × 32 by default.
	MaxPixels int `yaml:"image_max_pixels"`
	MinPixels int `yaml:"image_min_pixels"`
	// MaxSamples is the number of rows that the trainer reads, 0 for all.
	MaxSamples int `yaml:"max_samples"`
	// ToolFormat replaces the template's format of tools.
	ToolFormat string `yaml:"tool_format"`
	// AssistantOnlyLoss trains the assistant turns of TRL's messages alone.
	AssistantOnlyLoss bool `yaml:"assistant_only_loss"`
	// Thinking is enable_thinking, true by default.
	Thinking         *bool `yaml:"enable_thinking"`
	PreserveThinking bool  `yaml:"preserve_thinking"`
	// DefaultSystem replaces the template's default system prompt if it is not nil.
	DefaultSystem *string `yaml:"default_system"`
	// Tokenizer counts tokens. Without one, counts are estimated.
	Tokenizer Tokenizer `yaml:"-"`
	// EveryDigit estimates a token for each digit, as many tokenizers have it, instead of one for up to three.
	EveryDigit bool `yaml:"-"`
	// BOS and EOS are the tokenizer's first and last token; empty if it has none.
	BOS string `yaml:"-"`
	EOS string `yaml:"-"`
	// Date is today's date as Llama 3's tool prompt shows it, 02 Jan 2006.
	Date string `yaml:"-"`
}

// Tokenizer encodes text, with special tokens recognized and none added. Calls may overlap.
type Tokenizer interface {
	Encode(dst []int32, text string) []int32
	Count(text string) int
	Decode(ids []int32) string
	ID(token string) (id int32, ok bool)
}

// Outcome is the end of a row.
type Outcome string

// Outcomes.
const (
	Kept    Outcome = "kept"
	Dropped Outcome = "dropped" // the trainer warns and continues without the row
	Crash   Outcome = "crash"   // the row stops the trainer
	// NotChecked means that only the trainer itself can tell.
	NotChecked Outcome = "not_checked"
)

// Verdict is the prediction for one row.
type Verdict struct {
	Outcome Outcome  `json:"outcome"`
	Reasons []string `json:"reasons"`
	// Tokens is the number of tokens after cutting, Trained of those with a loss, Cut of those removed.
	Tokens  int `json:"tokens"`
	Trained int `json:"trained"`
	Cut     int `json:"cut"`
	// HeadWhole reports whether the system prompt and the first turn are complete, TargetWhole the last answer.
	HeadWhole   bool `json:"head_whole"`
	TargetWhole bool `json:"target_whole"`
}

// Whole reports whether the trainer sees every token of the row.
func (v Verdict) Whole() bool { return v.Outcome == Kept && v.Cut == 0 }

func (o Outcome) known() bool { return o == Kept || o == Dropped || o == Crash || o == NotChecked }

// State is what becomes of a part of a row.
type State string

// States.
const (
	Trained State = "trained"
	Context State = "context"
	Cut     State = "cut"
)

// Span is a part of a rendered row.
type Span struct {
	Text  string `json:"text"`
	State State  `json:"state"`
}

// Config returns the configuration, with the trainer's defaults.
func (k *Checker) Config() Config { return k.c }

// endUntrained returns why the token that ends a turn is not trained, so that the model would not learn to stop; "" if it
// is. Whether a single row loses it to the limit is in its [Verdict].
func (k *Checker) endUntrained() string {
	t := k.template
	switch {
	case t.EndsTurn():
		return ""
	case !t.EfficientEOS:
		return "the template " + t.Name + " has no token at the end of a turn"
	case !k.c.MaskHistory && k.c.Stage == SFT:
		return "the template " + t.Name + " has an end token after the last turn of a row only, and earlier turns are trained too"
	}
	return ""
}

// Checker predicts verdicts under one configuration. It is safe for concurrent use.
type Checker struct {
	c        Config
	template *template.Template
	counter  *counter
	images   sizes
}

// New checks a configuration.
func New(c Config) (*Checker, error) {
	c = c.withDefaults()
	t, err := template.Find(c.Template)
	if err != nil {
		return nil, err
	}
	if t, err = t.WithTools(c.ToolFormat); err != nil {
		return nil, err
	}
	if err := c.conflict(t); err != nil {
		return nil, err
	}
	return &Checker{c: c, template: t, counter: newCounter(c, t), images: sizes{known: make(map[string]int)}}, nil
}
