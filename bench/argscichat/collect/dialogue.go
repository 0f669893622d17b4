// Package collect is a study that collects dialogues about papers as the benchmark ArgSciChat did: who talks to whom
// and when, the rules of a dialogue, what is stored, and the export in the benchmark's format. Start from [ReadPlan],
// [Open] and [Study.Send]; [Load] and [Export] read what was stored, and [NewServer] is the page on which two people talk.
package collect

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// Role is the part of a person in a dialogue.
type Role string

// The roles. The proponent sees the title only and speaks first.
const (
	Proponent Role = "Proponent"
	Expert    Role = "Domain Expert"
)

const (
	// MaxFacts is the maximum number of rationales of a message.
	MaxFacts = 2
	// maxText is the maximum number of characters of a message.
	maxText = 4000
	// lastWord is the minimum time for the expert's message after the proponent has ended.
	lastWord = time.Minute
)

// Limits are the limits of a dialogue, as flags of a command. The defaults are the values of the benchmark.
type Limits struct {
	// The expert's message of turn MaxTurns is the last.
	MinTurns int             `json:"min_turns" default:"7" help:"Minimum turns before the proponent may end the dialogue."`
	MaxTurns int             `json:"max_turns" default:"15" help:"Maximum turns of a dialogue."`
	Message  time.Duration   `json:"message_ns" name:"message-time" default:"4m" placeholder:"TIME" help:"Time limit of each message."`
	Total    time.Duration   `json:"total_ns" name:"total-time" default:"20m" placeholder:"TIME" help:"Time limit of a dialogue."`
	Notices  []time.Duration `json:"notices_ns" default:"15m,19m" placeholder:"TIME" help:"Times into the dialogue at which both people are reminded of the limit."`
}

func (l Limits) check() error {
	switch {
	case l.MinTurns < 0 || l.MaxTurns < 1 || l.MinTurns > l.MaxTurns:
		return fmt.Errorf("turns %d to %d: the maximum must be at least 1 and not below the minimum", l.MinTurns, l.MaxTurns)
	case l.Message <= 0 || l.Total <= 0:
		return fmt.Errorf("times %s and %s: both must be above 0", l.Message, l.Total)
	}
	return nil
}

// Message is what one of the two wrote.
type Message struct {
	// N is its number in the dialogue, from 0; even ones are the proponent's.
	N    int    `json:"n"`
	Text string `json:"text"`
	// Facts are the sentences of the paper that support it, by index.
	Facts []int `json:"facts,omitempty"`
	// Final marks the proponent's last message.
	Final bool      `json:"final,omitempty"`
	At    time.Time `json:"at"`
}

// Role returns the author's role.
func (m Message) Role() Role { return []Role{Proponent, Expert}[m.N%2] }

// Sentences returns the sentences of the text, which intents label.
func (m Message) Sentences() []string { return sentences(m.Text) }

// End is why a dialogue ended.
type End string

// The ends. After Abandoned, the dialogue is incomplete.
const (
	ByProponent End = "proponent"
	ByTurns     End = "turns"
	ByTime      End = "time"
	Abandoned   End = "abandoned"
)

// Dialogue is a dialogue at one moment.
type Dialogue struct {
	// Number counts from 1 in the order of the begin.
	Number int `json:"number"`
	// Meeting is the key of the meeting.
	Meeting   string    `json:"meeting"`
	Paper     Paper     `json:"paper"`
	Proponent string    `json:"proponent"`
	Expert    string    `json:"expert"`
	Limits    Limits    `json:"limits"`
	Began     time.Time `json:"began"`

	Messages []Message `json:"-"`
	// End is empty while the dialogue runs.
	End   End       `json:"-"`
	Ended time.Time `json:"-"`
	// Labels has the tags of the sentences of each message; "" is none.
	Labels map[int][]string `json:"-"`
	// since is when the time for the next message began.
	since time.Time
}

// Complete reports whether the dialogue came to a regular end.
func (d *Dialogue) Complete() bool {
	return len(d.Messages) > 1 && (d.End == ByProponent || d.End == ByTurns || d.End == ByTime)
}

// Next returns the role that writes the next message.
func (d *Dialogue) Next() Role { return Message{N: len(d.Messages)}.Role() }

// MayEnd reports whether the proponent may mark the next message as the last.
func (d *Dialogue) MayEnd() bool {
	return d.Next() == Proponent && len(d.Messages)/2 >= d.Limits.MinTurns
}

// closing reports whether the proponent has ended.
func (d *Dialogue) closing() bool {
	n := len(d.Messages)
	return n > 0 && d.Messages[n-1].Final
}

// Deadline is when the next message must be stored.
func (d *Dialogue) Deadline() time.Time {
	message, total := d.since.Add(d.Limits.Message), d.Began.Add(d.Limits.Total)
	if word := d.since.Add(lastWord); d.closing() && word.After(total) {
		total = word
	}
	if message.Before(total) {
		return message
	}
	return total
}

// late returns how the deadline ends the dialogue. It is abandoned if the author of the missing message had the whole
// time for it, also while the server was down.
func (d *Dialogue) late() End {
	last := d.Began
	if n := len(d.Messages); n > 0 {
		last = d.Messages[n-1].At
	}
	switch {
	case d.closing():
		return ByProponent
	case last.Add(d.Limits.Message).Before(d.Began.Add(d.Limits.Total)):
		return Abandoned
	}
	return ByTime
}

// Notice returns the time that is left once a notice is due, 0 before.
func (d *Dialogue) Notice(now time.Time) time.Duration {
	if d.End != "" || d.notices(now) == 0 {
		return 0
	}
	return max(d.Limits.Total-now.Sub(d.Began), 0)
}

func (d *Dialogue) notices(now time.Time) int {
	due := slices.DeleteFunc(slices.Clone(d.Limits.Notices), func(at time.Duration) bool { return now.Sub(d.Began) < at })
	return len(due)
}

func (d *Dialogue) take(m Message) error {
	if m.N != len(d.Messages) || d.End != "" {
		return fmt.Errorf("dialogue %d: message %d is not the next", d.Number, m.N)
	}
	for _, fact := range m.Facts {
		if fact < 0 || fact >= len(d.Paper.Content) {
			return fmt.Errorf("dialogue %d: message %d: the paper has no sentence %d", d.Number, m.N, fact)
		}
	}
	d.Messages, d.since = append(d.Messages, m), m.At
	switch n := len(d.Messages); {
	case n%2 == 1:
	case d.Messages[n-2].Final && n < 2*d.Limits.MaxTurns:
		d.End, d.Ended = ByProponent, m.At
	case n >= 2*d.Limits.MaxTurns:
		d.End, d.Ended = ByTurns, m.At
	}
	return nil
}

// Refusal is a message that the rules do not allow.
type Refusal struct {
	Text string
	// Confirm reports that the message is accepted once its author confirms that it has no rationale.
	Confirm bool
}

func (r *Refusal) Error() string { return r.Text }

func refuse(format string, args ...any) error { return &Refusal{Text: fmt.Sprintf(format, args...)} }

// Draft is a message that its author sends.
type Draft struct {
	// Dialogue and N are the numbers that the author's page showed: the second of two equal drafts is stored once.
	Dialogue int
	Message
	// Bare confirms that the expert chose no rationale.
	Bare bool
}

// accept checks a draft of a role, with its text as it is stored. repeated reports that the message is stored already.
func (d *Dialogue) accept(by Role, m Draft) (repeated bool, err error) {
	if at := slices.IndexFunc(d.Messages, func(sent Message) bool { return sent.N == m.N }); at >= 0 {
		if sent := d.Messages[at]; sent.Role() == by && sent.Text == m.Text && slices.Equal(sent.Facts, m.Facts) {
			return true, nil
		}
		return false, refuse("message %d of this dialogue was sent already, from another page perhaps", m.N+1)
	}
	switch length := utf8.RuneCountInString(m.Text); {
	case d.End != "":
		return false, refuse("the dialogue has ended")
	case by != d.Next() || m.N != len(d.Messages):
		return false, refuse("it is the turn of the %s", d.Next())
	case m.Text == "":
		return false, refuse("the message is empty")
	case length > maxText:
		return false, refuse("the message has %d characters; the maximum is %d", length, maxText)
	case m.Final && !d.MayEnd():
		return false, refuse("the Proponent may end after %d turns", d.Limits.MinTurns)
	}
	return false, d.acceptFacts(by, m)
}

func (d *Dialogue) acceptFacts(by Role, m Draft) error {
	switch n := len(m.Facts); {
	case n > 0 && by != Expert:
		return refuse("only the Domain Expert chooses rationales")
	case n > MaxFacts:
		return refuse("the maximum is %d rationales; remove one first", MaxFacts)
	case n == 2 && m.Facts[0] == m.Facts[1]:
		return refuse("the two rationales are the same sentence")
	case n == 0 && by == Expert && !m.Bare:
		return &Refusal{Text: "no rationale is chosen", Confirm: true}
	}
	for _, fact := range m.Facts {
		if fact < 0 || fact >= len(d.Paper.Content) {
			return refuse("the paper has no sentence %d", fact)
		}
	}
	return nil
}
