package export

import (
	"cmp"
	"fmt"
	"strings"
)

// Names of the files for trainers.
const (
	datasetInfoFile = "dataset_info.json"
	trainFile       = "llamafactory.yaml"
	trlFile         = "trl.yaml"
	datasetName     = "airqa_agent"
)

// writeTrainer writes what trainers need besides the rows: for LLaMA-Factory the description of the files, and for it and
// TRL a configuration with the values of the paper (Appendix C.3, Table 9).
func (w *writer) writeTrainer() error {
	if w.Format == TRL || w.Format == DPO {
		if err := w.folder.write(trlFile, []byte(w.trlConfig())); err != nil {
			return err
		}
	}
	if w.Format != ShareGPT && w.Format != DPO {
		return nil
	}
	if err := w.folder.write(datasetInfoFile, w.datasetInfo()); err != nil {
		return err
	}
	return w.folder.write(trainFile, []byte(w.trainConfig()))
}

// datasetInfo describes each split. All seven tags are given: one that is missing would be unknown to the trainer.
func (w *writer) datasetInfo() []byte {
	o := begin(nil)
	for _, split := range splitNames {
		if w.plan.division.Rows[string(split)] == 0 {
			continue
		}
		o.key(datasetOf(split))
		o.dst = w.entry(o.dst, split)
	}
	raw, err := indented(rawJSON(o.end()))
	if err != nil {
		panic("export: dataset_info.json: " + err.Error()) // its text is ours
	}
	return raw
}

func datasetOf(split Split) string {
	if split == Train {
		return datasetName
	}
	return datasetName + "_" + string(split)
}

func (w *writer) entry(dst []byte, split Split) []byte {
	dir := dataDir
	if w.Format == DPO {
		dir = shareGPTDir
	}
	o := begin(dst)
	o.text("file_name", dir+"/"+string(split)+".jsonl")
	o.text("formatting", "sharegpt")
	if w.Format == DPO {
		o.raw("ranking", []byte("true"))
	}
	o.key("columns")
	columns := begin(o.dst)
	columns.text("messages", "conversations")
	columns.text("system", "system")
	if w.plan.shape.tools {
		columns.text("tools", "tools")
	}
	if w.plan.shape.images {
		columns.text("images", "images")
	}
	if w.Format == DPO {
		columns.text("chosen", "chosen")
		columns.text("rejected", "rejected")
	}
	o.dst = columns.end()
	o.raw("tags", []byte(`{"role_tag":"from","content_tag":"value","user_tag":"human","assistant_tag":"gpt",`+
		`"observation_tag":"observation","function_tag":"function_call","system_tag":"system"}`))
	return o.end()
}

// trainConfig is the configuration of LLaMA-Factory.
func (w *writer) trainConfig() string {
	template := w.template(w.plan.shape.images)
	stage := "stage: sft\nmask_history: true               # train the last turn of a row alone: each turn is the last one of one row"
	if w.Format == DPO {
		stage = "stage: dpo\npref_beta: 0.1                   # not in the paper"
	}
	var evaluation string
	if w.plan.division.Rows[string(Validation)] > 0 {
		evaluation = "eval_dataset: " + datasetOf(Validation) + "\n"
	}
	return strings.TrimLeft(fmt.Sprintf(trainConfig, stage, template, evaluation, cmp.Or(w.CutoffLen, paperCutoff)), "\n")
}

// trlConfig is the configuration of TRL's command line.
func (w *writer) trlConfig() string {
	method, extra := "sft", "completion_only_loss: true       # the prompt is not trained\n"
	if w.Format == DPO {
		method, extra = "dpo", "beta: 0.1                        # not in the paper\n"
	}
	if w.plan.division.Rows[string(Validation)] > 0 {
		extra += "dataset_test_split: validation\neval_strategy: epoch\n"
	}
	return strings.TrimLeft(fmt.Sprintf(trlConfig, method, extra, cmp.Or(w.CutoffLen, paperCutoff)), "\n")
}

const trlConfig = `
# TRL 1.16, with the values of the AirQA paper (Table 9). Fill in the model, and start in this folder:
#   trl %s --config trl.yaml
model_name_or_path: FILL_IN      # such as Qwen/Qwen2.5-7B-Instruct
output_dir: trained

dataset_name: .
dataset_train_split: train
%smax_length: %d                 # TRL's default of 1024 drops or cuts most rows

use_peft: true
lora_target_modules: all-linear
lora_r: 16
lora_alpha: 16
lora_dropout: 0.05

per_device_train_batch_size: 1   # not in the paper
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
