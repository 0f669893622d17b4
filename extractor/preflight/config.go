package preflight

import (
	"cmp"
	"errors"
)

func (c Config) withDefaults() Config {
	c.Trainer = cmp.Or(c.Trainer, LLaMAFactory)
	c.Stage = cmp.Or(c.Stage, SFT)
	c.Template = cmp.Or(c.Template, "qwen")
	limit := 2048
	if c.Trainer == TRL {
		limit = 1024
	}
	c.CutoffLen = cmp.Or(c.CutoffLen, limit)
	return c
}

// Errors of settings that the trainer refuses at its start.
var (
	ErrBothMasks = errors.New("ValueError: `mask_history` is incompatible with `train_on_prompt`")
	ErrMaskStage = errors.New("ValueError: `train_on_prompt` or `mask_history` cannot be set as True except SFT")
)

// conflict returns the error with which the trainer refuses its settings.
func (c Config) conflict() error {
	switch {
	case c.MaskHistory && c.TrainOnPrompt:
		return ErrBothMasks
	case c.Stage != SFT && (c.MaskHistory || c.TrainOnPrompt):
		return ErrMaskStage
	}
	return nil
}

// limit is the number of tokens that a row may have.
func (c Config) limit() int {
	if c.Packing {
		return c.CutoffLen - 1
	}
	return c.CutoffLen
}
