package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"airqa/eval"
	"airqa/prompts"
)

// keyLen is the length of a key in hexadecimal digits: 128 bits of a SHA-256.
const keyLen = 32

// Identity identifies the judge behind a verdict.
type Identity struct {
	// Name is the judge's name, such as "openai:gpt-4o-mini-2024-07-18".
	Name string
	// Settings is everything else that affects its verdicts, such as endpoint and temperature, in a deterministic form.
	Settings string
	// Prompts are the texts that it is asked with.
	Prompts prompts.Set
}

// Cached is an [eval.Judge] that caches the verdicts of another by content: the judge's identity and the whole text it
// is shown, including the prediction and all prompts. Concurrent identical requests are asked once, even across
// processes that share a file. Failures are not cached. Calls may overlap if the inner judge's may.
type Cached struct {
	store *Store
	id    Identity
	inner Source
	meter *Meter
}

// NewCached returns a judge that asks inner on a cache miss. Judges may share a store. The meter, which may be nil,
// counts the cache hits.
func NewCached(store *Store, id Identity, inner Source, meter *Meter) *Cached {
	return &Cached{store, id, inner, meter}
}

// Judge is [Cached.Decide] without the cost.
func (c *Cached) Judge(ctx context.Context, r eval.JudgeRequest) (bool, error) {
	v, err := c.Decide(ctx, r)
	return v.Right, err
}

// Decide returns the cached verdict or asks the judge.
func (c *Cached) Decide(ctx context.Context, r eval.JudgeRequest) (Verdict, error) {
	key, err := c.key(r)
	if err != nil {
		return Verdict{}, err
	}
	for { // again if the caller that asked for all gave up
		if right, known := c.store.verdicts.Get(key); known {
			c.meter.add(Spent{Known: 1})
			return Verdict{Right: right}, nil
		}
		v, shared, err := c.store.flights.Do(ctx, key, func() (Verdict, error) { return c.ask(ctx, key, r) })
		switch {
		case !shared:
			return v, err
		case err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
			return Verdict{}, err
		}
	}
}

// ask asks the judge, unless another process has done so in the meantime.
func (c *Cached) ask(ctx context.Context, key string, r eval.JudgeRequest) (Verdict, error) {
	place, err := strconv.ParseUint(key[:keyLen/2], 16, 64)
	if err != nil {
		return Verdict{}, err
	}
	release, err := c.store.verdicts.Reserve(ctx, int64(place>>2)) // systems reject the largest offsets
	defer release()
	if err != nil {
		return Verdict{}, err
	}
	if right, known := c.store.verdicts.Get(key); known {
		c.meter.add(Spent{Known: 1})
		return Verdict{Right: right}, nil
	}
	v, err := c.inner.Decide(ctx, r)
	if err == nil {
		c.store.verdicts.Set(key, v.Right) // even if it cannot be written
		kept := v
		kept.Reply = strings.ToValidUTF8(v.Reply[:min(len(v.Reply), maxReply)], "")
		c.store.verdicts.Put(json.Marshal(record{Format: StoreFormat, Key: key, Judge: c.id.Name, Kind: string(r.Kind), Verdict: kept}))
	}
	return v, err
}

// key hashes everything that affects a verdict.
func (c *Cached) key(r eval.JudgeRequest) (string, error) {
	system, user, err := Prompt(c.id.Prompts, r)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, text := range []string{c.id.Name, c.id.Settings, string(r.Kind), system, user, c.id.Prompts.JudgeAgain(), strconv.FormatBool(r.Fixed)} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(text), text) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:keyLen/2]), nil
}
