package preflight

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// training is a trainer's own configuration file.
type training struct {
	Config
	// Dataset names the data, empty if the file does not.
	Dataset string
	// Evaluation is the data set for evaluation: entries of LLaMA-Factory, joined by commas, or a split of TRL.
	Evaluation string
	// Format is TRL's kind of rows: prompt-completion, messages or preference.
	Format string
	// Unknown lists keys that the trainer refuses.
	Unknown []string
}

// trainingFile is what the check reads of a training file.
type trainingFile struct {
	Stage             Stage   `yaml:"stage"`
	DatasetDir        string  `yaml:"dataset_dir"`
	MediaDir          string  `yaml:"media_dir"`
	Dataset           any     `yaml:"dataset"`
	EvalDataset       any     `yaml:"eval_dataset"`
	TestSplit         string  `yaml:"dataset_test_split"`
	Template          string  `yaml:"template"`
	CutoffLen         int     `yaml:"cutoff_len"`
	MaskHistory       bool    `yaml:"mask_history"`
	TrainOnPrompt     bool    `yaml:"train_on_prompt"`
	Packing           *bool   `yaml:"packing"`
	NeatPacking       bool    `yaml:"neat_packing"`
	BatchSize         int     `yaml:"preprocessing_batch_size"`
	Workers           int     `yaml:"preprocessing_num_workers"`
	EnableThinking    *bool   `yaml:"enable_thinking"`
	PreserveThinking  bool    `yaml:"preserve_thinking"`
	DefaultSystem     *string `yaml:"default_system"`
	ToolFormat        string  `yaml:"tool_format"`
	MaxSamples        int     `yaml:"max_samples"`
	ImageMaxPixels    int     `yaml:"image_max_pixels"`
	ImageMinPixels    int     `yaml:"image_min_pixels"`
	Format            string  `yaml:"format"`
	MaxLength         *int    `yaml:"max_length"`
	AssistantOnlyLoss bool    `yaml:"assistant_only_loss"`
}

//go:embed llamafactory_keys.txt
var llamaFactoryKeys string

// readTraining reads a trainer's configuration file, YAML or JSON.
func readTraining(path string, trainer Trainer) (training, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return training{}, err
	}
	var f trainingFile
	var node yaml.Node
	if err := yaml.Unmarshal(raw, &node); err != nil {
		return training{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(node.Content) == 0 {
		return training{Config: Config{Trainer: trainer}}, nil
	}
	if err := node.Content[0].Decode(&f); err != nil {
		return training{}, fmt.Errorf("%s: %w", path, err)
	}
	t := f.settings(trainer)
	if trainer == LLaMAFactory {
		t.Unknown = unknownKeys(node.Content[0])
	}
	switch f.Stage {
	case "", SFT, RM, KTO, "dpo":
		return t, nil
	}
	return t, fmt.Errorf("%s: stage %s is not checked; known: sft, rm, dpo, kto", path, f.Stage)
}

func unknownKeys(mapping *yaml.Node) (unknown []string) {
	known := strings.Fields(llamaFactoryKeys)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key := mapping.Content[i].Value; !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	return unknown
}

func (f trainingFile) settings(trainer Trainer) training {
	c := Config{
		Trainer: trainer, Stage: f.Stage, Template: f.Template, CutoffLen: f.CutoffLen, MaskHistory: f.MaskHistory,
		TrainOnPrompt: f.TrainOnPrompt, Packing: f.NeatPacking || f.Packing != nil && *f.Packing, NeatPacking: f.NeatPacking,
		BatchSize: f.BatchSize, Workers: f.Workers, NoThinking: f.EnableThinking != nil && !*f.EnableThinking,
		PreserveThinking: f.PreserveThinking, DefaultSystem: f.DefaultSystem, ToolFormat: f.ToolFormat, MaxSamples: f.MaxSamples,
		MaxPixels: f.ImageMaxPixels, MinPixels: f.ImageMinPixels, MediaDir: f.MediaDir, AssistantOnlyLoss: f.AssistantOnlyLoss,
	}
	if trainer == TRL && f.MaxLength != nil {
		c.CutoffLen = *f.MaxLength
	}
	t := training{Config: c, Format: f.Format, Dataset: datasetNames(f.Dataset), Evaluation: datasetNames(f.EvalDataset)}
	if trainer == TRL {
		t.Evaluation = f.TestSplit
	}
	return t
}

// datasetNames joins the names of data sets, of which a trainer takes one or a list.
func datasetNames(v any) string {
	switch d := v.(type) {
	case string:
		return d
	case []any:
		list := make([]string, len(d))
		for i, v := range d {
			list[i] = fmt.Sprint(v)
		}
		return strings.Join(list, ",")
	}
	return ""
}
