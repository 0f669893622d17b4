package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

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
		right, known, f, mine := c.store.claim(key)
		switch {
		case known:
			c.meter.knew()
			return Verdict{Right: right}, nil
		case mine:
			return c.fly(ctx, f, key, r)
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return Verdict{}, ctx.Err()
		}
		if f.err != nil && !gaveUp(f.err) {
			return Verdict{}, f.err
		}
	}
}

// gaveUp tells an error of a caller from one of the judge: whoever waited with him asks himself.
func gaveUp(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (c *Cached) fly(ctx context.Context, f *flight, key string, r eval.JudgeRequest) (Verdict, error) {
	free, err := c.store.reserve(ctx, key)
	defer free()
	defer func() {
		c.store.land(f, record{
			Format: StoreFormat, Key: key, Judge: c.id.Name, Kind: string(r.Kind),
			Right: f.verdict.Right, Reply: cut(f.verdict.Reply), Asks: f.verdict.Asks, Usage: f.verdict.Usage,
		})
	}()
	if err != nil {
		f.err = err
		return Verdict{}, err
	}
	if right, known := c.store.lookup(key); known {
		c.meter.knew()
		f.verdict, f.err = Verdict{Right: right}, nil
		return f.verdict, nil
	}
	f.verdict, f.err = c.inner.Decide(ctx, r)
	return f.verdict, f.err
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
