package preflight

import (
	"cmp"
	"errors"

	"airqa/train/preflight/template"
)

func (c Config) withDefaults() Config {
	c.Trainer = cmp.Or(c.Trainer, LLaMAFactory)
	c.Stage = cmp.Or(c.Stage, SFT)
	if c.Stage == "dpo" {
		c.Stage = RM
	}
	c.MaxPixels, c.MinPixels = cmp.Or(c.MaxPixels, maxPixels), cmp.Or(c.MinPixels, minPixels)
	c.Template = cmp.Or(c.Template, "qwen")
	c.BatchSize = cmp.Or(c.BatchSize, 1000)
	limit := 2048
	if c.Trainer == TRL {
		limit = 1024
	}
	c.CutoffLen = cmp.Or(c.CutoffLen, limit)
	return c
}

// ErrRefused is the error of settings that the trainer refuses at its start.
var ErrRefused = errors.New("ValueError")

// refused is an error of settings in the trainer's words.
type refused string

func (r refused) Error() string { return "ValueError: " + string(r) }

func (refused) Is(target error) bool { return target == ErrRefused }

// Settings that the trainer refuses.
const (
	bothMasks = refused("`mask_history` is incompatible with `train_on_prompt`")
	maskStage = refused("`train_on_prompt` or `mask_history` cannot be set as True except SFT")
	packStage = refused("`neat_packing` cannot be set as True except SFT")
	noPrompt  = refused("Current template does not support `train_on_prompt`")
)

// conflict returns the error with which the trainer refuses its settings.
func (c Config) conflict(t *template.Template) error {
	switch {
	case c.MaskHistory && c.TrainOnPrompt:
		return bothMasks
	case c.Stage != SFT && (c.MaskHistory || c.TrainOnPrompt):
		return maskStage
	case c.Stage != SFT && c.NeatPacking:
		return packStage
	case c.TrainOnPrompt && t.EfficientEOS:
		return noPrompt
	}
	return nil
}

// Limit is the number of tokens that a row may have.
func (c Config) Limit() int {
	if c.Packing {
		return c.CutoffLen - 1
	}
	return c.CutoffLen
}
