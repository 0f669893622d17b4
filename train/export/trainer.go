package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Names of the files for trainers.
const (
	datasetInfoFile = "dataset_info.json"
	trainFile       = "llamafactory.yaml"
	trlFile         = "trl.yaml"
)

// writeTrainer writes what trainers need besides the rows: for LLaMA-Factory the description of the files, and for it and
// TRL a configuration with the values of the paper (Appendix C.3, Table 9).
func (p *plan) writeTrainer() error {
	if list := encoders(p.Format); list[0].form == TRL {
		// TRL cannot load a folder named ".". The folder data has a card of its own with the same columns.
		b := bytes.NewBufferString("---\n")
		p.describe(b, list[:1], dataDir+"/")
		b.WriteString("---\n")
		err := errors.Join(p.folder.WriteFile(trlFile, []byte(p.trlConfig())), p.folder.WriteFile(dataDir+"/"+CardFile, b.Bytes()))
		if err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(encoders(p.Format), func(e encoder) bool { return e.form == ShareGPT }) {
		return nil
	}
	info, err := indented(datasetInfo{p.datasetFile(Train), p.datasetFile(Validation), p.datasetFile(Test)})
	if err != nil {
		return err
	}
	if err := p.folder.WriteFile(datasetInfoFile, info); err != nil {
		return err
	}
	return p.folder.WriteFile(trainFile, []byte(p.trainConfig()))
}

type datasetInfo struct {
	Train      *datasetFile `json:"airqa_agent,omitempty"`
	Validation *datasetFile `json:"airqa_agent_validation,omitempty"`
	Test       *datasetFile `json:"airqa_agent_test,omitempty"`
}

type datasetFile struct {
	File       string `json:"file_name"`
	Formatting string `json:"formatting"`
	Ranking    bool   `json:"ranking,omitempty"`
	Columns    struct {
		Messages string `json:"messages"`
		System   string `json:"system"`
		Tools    string `json:"tools,omitempty"`
		Images   string `json:"images,omitempty"`
		Chosen   string `json:"chosen,omitempty"`
		Rejected string `json:"rejected,omitempty"`
		Label    string `json:"kto_tag,omitempty"`
	} `json:"columns"`
	Tags json.RawMessage `json:"tags"`
}

// shareGPTTags are all seven tags: one that is missing would be unknown to the trainer.
const shareGPTTags = `{"role_tag":"from","content_tag":"value","user_tag":"human","assistant_tag":"gpt",` +
	`"observation_tag":"observation","function_tag":"function_call","system_tag":"system"}`

// datasetFile describes the file of a split; nil if it has no rows.
func (p *plan) datasetFile(split Split) *datasetFile {
	if p.division.Rows[string(split)] == 0 {
		return nil
	}
	d := &datasetFile{File: dataDir + "/" + string(split) + ".jsonl", Formatting: "sharegpt", Tags: json.RawMessage(shareGPTTags)}
	d.Columns.Messages, d.Columns.System = "conversations", "system"
	if p.shape.Tools {
		d.Columns.Tools = "tools"
	}
	if p.shape.Images {
		d.Columns.Images = "images"
	}
	if p.Format != ShareGPT {
		d.File = shareGPTDir + "/" + string(split) + ".jsonl"
	}
	switch p.Format {
	case DPO:
		d.Ranking = true
		d.Columns.Chosen, d.Columns.Rejected = "chosen", "rejected"
	case KTO:
		d.Columns.Label = "kto_tag"
	}
	return d
}

func (p *plan) trainConfig() string {
	template := p.template(p.shape.Images)
	stage := "stage: sft\nmask_history: true               # train the last turn of a row alone: each turn is the last one of one row"
	right, wrong := p.labelWeights()
	if p.Whole {
		stage = "stage: sft                       # every turn of a row is trained: a row is a whole episode"
	}
	switch p.Format {
	case DPO:
		stage = "stage: dpo\npref_beta: 0.1                   # not in the paper"
	case KTO:
		stage = fmt.Sprintf("stage: kto\npref_beta: 0.1                   # not in the paper, nor are the weights\n"+
			"kto_chosen_weight: %s\nkto_rejected_weight: %-12s# right and wrong rows have the same part in the loss", right, wrong)
	}
	var evaluation string
	if p.division.Rows[string(Validation)] > 0 {
		evaluation = "eval_dataset: " + "airqa_agent_validation\n"
	}
	return strings.TrimLeft(fmt.Sprintf(trainConfig, stage, template, evaluation, cmp.Or(p.CutoffLen, paperCutoff)), "\n")
}

func (p *plan) trlConfig() string {
	method, extra, batch := "sft", "completion_only_loss: true       # the prompt is not trained\n", 1
	if p.Whole {
		extra = "assistant_only_loss: true        # every turn of a row is trained; the chat template must mark them\n"
	}
	right, wrong := p.labelWeights()
	switch p.Format {
	case DPO:
		method, extra = "dpo", "beta: 0.1                        # not in the paper\n"
	case KTO: // which compares a row with another one of the batch
		method, batch = "kto", 2
		extra = fmt.Sprintf("beta: 0.1                        # not in the paper, nor are the weights\n"+
			"desirable_weight: %s\nundesirable_weight: %-13s# right and wrong rows have the same part in the loss\n", right, wrong)
	}
	if p.division.Rows[string(Validation)] > 0 {
		extra += "dataset_test_split: validation\neval_strategy: epoch\n"
	}
	return strings.TrimLeft(fmt.Sprintf(trlConfig, method, extra, cmp.Or(p.CutoffLen, paperCutoff), batch), "\n")
}

const trlConfig = `
# TRL 1.16, with the values of the AirQA paper (Table 9). Fill in the model, and start in this folder:
#   trl %s --config trl.yaml
model_name_or_path: FILL_IN      # such as Qwen/Qwen2.5-7B-Instruct
output_dir: trained

dataset_name: data
dataset_train_split: train
%smax_length: %d                 # TRL's default of 1024 drops or cuts most rows

use_peft: true
lora_target_modules: all-linear
lora_r: 16
lora_alpha: 16
lora_dropout: 0.05

per_device_train_batch_size: %d   # not in the paper
gradient_accumulation_steps: 16
learning_rate: 1.0e-4
num_train_epochs: 1.0
lr_scheduler_type: cosine
`

const trainConfig = `
# LLaMA-Factory 0.9.5, with the values of the AirQA paper (Table 9). Fill in the model, and start in this folder:
#   llamafactory-cli train llamafactory.yaml
model_name_or_path: FILL_IN      # such as Qwen/Qwen2.5-7B-Instruct
output_dir: trained

%s
do_train: true
finetuning_type: lora
lora_target: all
lora_rank: 16
lora_alpha: 16
lora_dropout: 0.05

template: %s
dataset_dir: .
dataset: airqa_agent
%scutoff_len: %d

per_device_train_batch_size: 1   # not in the paper; the trainer's default is 8
gradient_accumulation_steps: 16
learning_rate: 1.0e-4
num_train_epochs: 1.0
lr_scheduler_type: cosine
warmup_ratio: 0.1
`
