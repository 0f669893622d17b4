package preflight

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// training is a trainer's own configuration file.
type training struct {
	Config `yaml:",inline"`
	// Dataset is the entry to train on; EvalDataset and TestSplit are the data sets for evaluation of LLaMA-Factory and TRL.
	// LLaMA-Factory takes one name, several joined by commas, or a list.
	Dataset     any    `yaml:"dataset"`
	EvalDataset any    `yaml:"eval_dataset"`
	TestSplit   string `yaml:"dataset_test_split"`
	// Format is TRL's kind of rows: prompt-completion, messages or preference.
	Format    string `yaml:"format"`
	MaxLength int    `yaml:"max_length"`
	// unknown lists keys that the trainer refuses.
	unknown []string
}

//go:embed llamafactory_keys.txt
var llamaFactoryKeys string

// readTraining reads a trainer's configuration file, YAML or JSON.
func readTraining(path string, trainer Trainer) (t training, err error) {
	t.Trainer = trainer
	raw, err := os.ReadFile(path)
	if err != nil {
		return t, err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(raw, &node); err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	if len(node.Content) == 0 {
		return t, nil
	}
	if err := node.Content[0].Decode(&t); err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	t.Packing = t.Packing || t.NeatPacking
	if trainer == LLaMAFactory {
		t.unknown = unknownKeys(node.Content[0])
	} else {
		t.CutoffLen = cmp.Or(t.MaxLength, t.CutoffLen)
	}
	switch t.Stage {
	case "", SFT, RM, KTO, "dpo":
		return t, nil
	}
	return t, fmt.Errorf("%s: stage %s is not checked; known: sft, rm, dpo, kto", path, t.Stage)
}

// evaluation returns the data sets for evaluation, joined by commas.
func (t training) evaluation() string {
	if t.Trainer == TRL {
		return t.TestSplit
	}
	return datasetNames(t.EvalDataset)
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
