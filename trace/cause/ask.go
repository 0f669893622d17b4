package cause

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"airqa/agent/action"
	"airqa/eval/judge"
	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/prompts"
	"airqa/qa"
	"airqa/runlog"
)

// FileName is the name of the file with the replies, in a run directory.
const FileName = "causes.jsonl"

// Asking describes what to ask.
type Asking struct {
	// Dir is the run directory, Model the name under which replies are kept, with everything that affects them.
	Dir   string
	Model judge.Identity
	judge.Asker
	// Workers is the number of concurrent requests.
	Workers int
	// Redact is applied to what is written; may be nil.
	Redact func([]byte) []byte
}

// Answer is a wrong answer to ask about.
type Answer struct {
	Row     Row
	Episode runlog.Recorded
}

// Asked is the outcome of [Asking.Ask].
type Asked struct {
	// Opinions are in the order of the answers.
	Opinions []Opinion
	// Calls and Usage are those of this invocation; Known counts the replies that were there. Failed are the errors of
	// requests without a reply.
	Calls, Known int
	Failed       []error
	Usage        qa.Usage
}

// savedReply is a line of the file.
type savedReply struct {
	Key     string   `json:"key"`
	Episode string   `json:"episode"`
	Model   string   `json:"model"`
	Reply   string   `json:"reply"`
	Usage   qa.Usage `json:"usage"`
}

// Ask asks about each answer that has no reply yet. A failed request is that answer's failure; a cancelled context ends
// all, and what was answered is kept.
func (a Asking) Ask(ctx context.Context, answers []Answer) (asked Asked, err error) {
	file, err := ledger.Open(filepath.Join(a.Dir, FileName), ledger.Config[string, savedReply]{Entry: readReply, Redact: a.Redact, Exclusive: true})
	if err != nil {
		return Asked{}, fmt.Errorf("open %s: %w", filepath.Join(a.Dir, FileName), err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	asked.Opinions = make([]Opinion, len(answers))
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, a.Workers))
	for i, answer := range answers {
		group.Go(func() error {
			k, fresh, err := a.reply(ctx, file, answer)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			mu.Lock()
			defer mu.Unlock()
			asked.Opinions[i] = a.opinion(k, err)
			switch {
			case fresh && err == nil:
				asked.Calls, asked.Usage = asked.Calls+1, asked.Usage.Add(k.Usage)
			case err == nil:
				asked.Known++
			default:
				asked.Failed = append(asked.Failed, err)
				if len(asked.Failed) >= maxFailed && asked.Calls == 0 {
					return fmt.Errorf("the first %d requests failed: %w", maxFailed, err)
				}
			}
			return nil
		})
	}
	return asked, group.Wait()
}

// Run asks about the wrong answers of a run and sets their opinions.
func (a Asking) Run(ctx context.Context, log *runlog.Run, r *Run) (Asked, error) {
	answers := make([]Answer, len(r.Rows))
	for i, row := range r.Rows {
		rec, err := log.Episode(row.UUID, row.Repeat)
		if err != nil {
			return Asked{}, err
		}
		answers[i] = Answer{Row: row, Episode: rec}
	}
	asked, err := a.Ask(ctx, answers)
	for i := range asked.Opinions {
		r.Rows[i].Opinion = &asked.Opinions[i]
	}
	return asked, err
}

// maxFailed is the number of failed requests, none answered, after which no more are made.
const maxFailed = 10

func readReply(line []byte, _ ledger.Span) (string, savedReply, error) {
	var k savedReply
	if json.Unmarshal(line, &k) != nil || k.Key == "" {
		return "", savedReply{}, ledger.ErrDamaged
	}
	return k.Key, k, nil
}

// reply returns the reply about an answer, asking for it unless it is there.
func (a Asking) reply(ctx context.Context, file *ledger.Ledger[string, savedReply], answer Answer) (k savedReply, fresh bool, err error) {
	system, user, err := prompt(answer)
	if err != nil {
		return savedReply{}, false, err
	}
	key := files.Hash(a.Model.Name + "\x00" + a.Model.Settings + "\x00" + system + "\x00" + user)
	if k, ok := file.Get(key); ok {
		return k, false, nil
	}
	if err := ctx.Err(); err != nil {
		return savedReply{}, false, err
	}
	r, err := a.Asker.Ask(ctx, system, user)
	if err != nil {
		return savedReply{}, true, err
	}
	k = savedReply{Key: key, Episode: answer.Episode.Episode, Model: a.Model.Name, Reply: r.Text, Usage: r.Usage}
	line, err := ledger.Encode(k)
	if err != nil {
		return savedReply{}, true, err
	}
	return k, true, file.Add(line)
}

// opinion reads a reply.
func (a Asking) opinion(k savedReply, err error) Opinion {
	o := Opinion{Model: a.Model.Name}
	if err != nil {
		o.Failed = err.Error()
		return o
	}
	fields, err := action.Fields(k.Reply, "cause", "reason")
	if err != nil {
		o.Failed = "the reply cannot be read: " + err.Error()
		return o
	}
	code := Code(strings.ToLower(strings.Trim(fields["cause"], " .`\"'")))
	if !slices.Contains(Codes(), code) {
		o.Failed = fmt.Sprintf("%q is not one of the causes", fields["cause"])
		return o
	}
	o.Cause, o.Why = code, action.OneLine(fields["reason"])
	return o
}

// Limits of what a model is shown, in bytes: the steps together, and one result.
const (
	maxSteps  = 24_000
	maxResult = 1_500
)

// prompt renders the question about an answer.
func prompt(a Answer) (system, user string, err error) {
	steps := stepsText(a.Episode)
	return prompts.Judge("cause", prompts.Data{
		"mark": "=====" + files.Hash(a.Row.Answer + steps)[:12] + "=====", "question": a.Row.Question, "gold": a.Row.Gold,
		"answer": a.Row.Answer, "steps": steps,
	})
}

// stepsText is what an agent did: actions, and the beginnings of their results.
func stepsText(rec runlog.Recorded) string {
	var b strings.Builder
	for _, s := range rec.Steps {
		fmt.Fprintf(&b, "Step %d\n", s.N)
		switch {
		case s.Action != nil:
			fmt.Fprintf(&b, "Action: %s\n", head(s.Action.Text, maxResult))
		case s.Reply != nil:
			fmt.Fprintf(&b, "Reply without an action: %s\n", head(s.Reply.Text, maxResult))
		}
		if o := s.Observation; o != nil {
			fmt.Fprintf(&b, "Result (%s): %s\n", o.Status, head(o.Text, maxResult))
			for _, im := range o.Images {
				fmt.Fprintf(&b, "Image of page %d of paper %s\n", im.Page, im.PaperID)
			}
		}
	}
	return head(b.String(), maxSteps)
}

// head is the beginning of a text, with the number of bytes that are left out.
func head(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return fmt.Sprintf("%s … (%d more bytes)", strings.ToValidUTF8(text[:limit], ""), len(text)-limit)
}
