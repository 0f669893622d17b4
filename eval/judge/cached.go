package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"airqa/eval"
	texts "airqa/prompts/judge"
)

// keyLen is the length of a key in hexadecimal digits: 128 bits of a SHA-256.
const keyLen = 32

// Identity says whose verdicts they are.
type Identity struct {
	// Name is that of the judge, such as "openai:gpt-4o-mini-2024-07-18".
	Name string
	// Settings is whatever else shapes its verdicts, such as its endpoint and its temperature, in any form that is the same
	// every time.
	Settings string
}

// Cached is an [eval.Judge] that remembers the verdicts of another by content: the identity of the judge and the
// whole text that it is shown, the prediction and all prompts included. Requests that are the same at the same time are
// asked once, also by several processes with one file. Failures are not remembered. Calls may overlap if those of the judge may.
type Cached struct {
	store *Store
	id    Identity
	inner Source
	meter *Meter
}

// NewCached returns a judge that asks inner for what the store does not hold. Judges may share a store. The meter counts
// the verdicts that were known and may be nil.
func NewCached(store *Store, id Identity, inner Source, meter *Meter) *Cached {
	return &Cached{store, id, inner, meter}
}

// Judge implements [eval.Judge].
func (c *Cached) Judge(ctx context.Context, r eval.JudgeRequest) (bool, error) {
	v, err := c.Decide(ctx, r)
	return v.Right, err
}

// Decide implements [Source].
func (c *Cached) Decide(ctx context.Context, r eval.JudgeRequest) (Verdict, error) {
	key, err := c.key(r)
	if err != nil {
		return Verdict{}, err
	}
	for {
		if right, known := c.store.verdicts.Get(key); known {
			c.meter.knew()
			return Verdict{Right: right}, nil
		}
		v, shared, err := c.store.flights.Do(ctx, key, func() (Verdict, error) { return c.ask(ctx, key, r) })
		switch {
		case !shared:
			return v, err
		case err != nil && !gaveUp(err):
			return Verdict{}, err
		}
	}
}

// gaveUp reports whether an error is that of a caller and not of the judge: who waited for that caller asks again.
func gaveUp(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// ask asks the judge, unless another process has done so meanwhile.
func (c *Cached) ask(ctx context.Context, key string, r eval.JudgeRequest) (Verdict, error) {
	place, err := strconv.ParseUint(key[:keyLen/2], 16, 64)
	if err != nil {
		return Verdict{}, err
	}
	free, err := c.store.verdicts.Reserve(ctx, int64(place>>2)) // systems refuse the largest offsets
	defer free()
	if err != nil {
		return Verdict{}, err
	}
	if right, known := c.store.verdicts.Get(key); known {
		c.meter.knew()
		return Verdict{Right: right}, nil
	}
	v, err := c.inner.Decide(ctx, r)
	if err == nil {
		c.store.keep(record{
			Format: StoreFormat, Key: key, Judge: c.id.Name, Kind: string(r.Kind),
			Right: v.Right, Reply: cut(v.Reply), Asks: v.Asks, Usage: v.Usage,
		})
	}
	return v, err
}

// key is made from everything that shapes a verdict.
func (c *Cached) key(r eval.JudgeRequest) (string, error) {
	system, user, err := Prompt(r)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, text := range []string{c.id.Name, c.id.Settings, string(r.Kind), system, user, texts.Again()} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(text), text) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:keyLen/2]), nil
}
