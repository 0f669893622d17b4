package collect

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones of participants, on machines without a list of them
	"unicode/utf8"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
)

// minCode is the minimum number of characters of a code: shorter ones can be guessed.
const minCode = 8

// Participant is a person of a study. The code is never printed.
type Participant struct {
	Name string
	// Zone is the participant's, for times that a person reads.
	Zone *time.Location
	code string
}

// Meeting is a session of two participants about a paper.
type Meeting struct {
	// Start and End are its interval, End excluded. A zero Start is a meeting at any time.
	Start, End time.Time
	// Label separates sessions at the same time; it may be empty.
	Label             string
	Proponent, Expert *Participant
	// Title is the paper's.
	Title string
}

func (m *Meeting) at(now time.Time) bool {
	return m.Start.IsZero() || !now.Before(m.Start) && now.Before(m.End)
}

// role returns the role of a participant, "" for another person.
func (m *Meeting) role(p *Participant) Role { return roleOf(p.Name, m.Proponent.Name, m.Expert.Name) }

// roleOf is the role of a name among those of two people.
func roleOf(name, proponent, expert string) Role {
	switch name {
	case proponent:
		return Proponent
	case expert:
		return Expert
	}
	return ""
}

// key identifies a meeting in the ledger.
func (m *Meeting) key() string {
	start := "any time"
	if !m.Start.IsZero() {
		start = m.Start.UTC().Format(time.RFC3339) + "/" + m.End.UTC().Format(time.RFC3339)
	}
	return strings.Join([]string{start, m.Label, m.Proponent.Name, m.Expert.Name, m.Title}, "|")
}

// Plan is the participants of a study and their meetings, in the order of the start.
type Plan struct {
	People   []*Participant
	Meetings []*Meeting
}

// With returns the plan of one meeting at any time, whatever the sessions of the file.
func (p *Plan) With(proponent, expert, title string) (*Plan, error) {
	m := &Meeting{Title: title}
	for _, who := range p.People {
		switch who.Name {
		case proponent:
			m.Proponent = who
		case expert:
			m.Expert = who
		}
	}
	if m.Proponent == nil || m.Expert == nil {
		return nil, fmt.Errorf("pair %s and %s: two names of the participants are needed", proponent, expert)
	}
	return &Plan{p.People, []*Meeting{m}}, nil
}

var columns = []string{"name", "code", "zone", "proponent_sessions", "expert_sessions", "papers"}

// ReadPlan reads the CSV file of the participants, which docs/bench-argscichat.md describes. Each session must have a
// proponent and an expert, and the sessions of a person must not overlap. No error contains a code.
func ReadPlan(path string) (*Plan, error) {
	raw, err := files.ReadText(path)
	if err != nil {
		return nil, fmt.Errorf("read participants: %w", err)
	}
	r := planReader{meetings: make(map[string]*Meeting)}
	if err := r.read(raw); err != nil {
		return nil, fmt.Errorf("read participants: %s: %w", path, err)
	}
	return &r.plan, nil
}

type planReader struct {
	plan     Plan
	meetings map[string]*Meeting // by interval and label
}

func (r *planReader) read(raw []byte) error {
	in := csv.NewReader(bytes.NewReader(raw))
	in.TrimLeadingSpace = true
	head, err := in.Read()
	if err != nil {
		return fmt.Errorf("read the first line, which names the columns: %w", err)
	}
	for _, name := range head {
		if !slices.Contains(columns, name) {
			return fmt.Errorf("unknown column %q: the columns are %s", name, strings.Join(columns, ", "))
		}
	}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		row := make(map[string]string)
		for i, name := range head {
			row[name] = strings.TrimSpace(record[i])
		}
		if err := r.row(row); err != nil {
			line, _ := in.FieldPos(0)
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return r.check()
}

// row adds a participant, whose name and code must be unique.
func (r *planReader) row(row map[string]string) error {
	zone, err := time.LoadLocation(row["zone"])
	who := &Participant{Name: row["name"], Zone: zone, code: row["code"]}
	switch {
	case err != nil:
		return fmt.Errorf("column zone: %w; an example is Europe/Rome, and empty is UTC", err)
	case who.Name == "":
		return fmt.Errorf("column name is empty")
	case len([]rune(who.code)) < minCode:
		return fmt.Errorf("the code of %s is shorter than %d characters", who.Name, minCode)
	}
	for _, other := range r.plan.People {
		switch {
		case other.Name == who.Name:
			return fmt.Errorf("another line has the name %s", who.Name)
		case other.code == who.code:
			return fmt.Errorf("%s and %s have the same code", other.Name, who.Name)
		}
	}
	r.plan.People = append(r.plan.People, who)
	return r.sessions(who, row)
}

// sessions adds a participant to the meetings of a row.
func (r *planReader) sessions(who *Participant, row map[string]string) error {
	experts, proponents := list(row["expert_sessions"], ";"), list(row["proponent_sessions"], ";")
	titles := list(row["papers"], "|")
	if len(titles) == 1 {
		titles = slices.Repeat(titles, len(experts))
	}
	if len(titles) != len(experts) && len(experts) > 0 {
		return fmt.Errorf("%s has %d expert sessions and %d papers: give one paper for all, or one for each, separated by |",
			who.Name, len(experts), len(titles))
	}
	for i, text := range experts {
		if err := r.join(who, text, titles[i]); err != nil {
			return err
		}
	}
	for _, text := range proponents {
		if err := r.join(who, text, ""); err != nil {
			return err
		}
	}
	return nil
}

// list splits a cell and drops empty parts.
func list(cell, separator string) []string {
	var parts []string
	for part := range strings.SplitSeq(cell, separator) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// join adds a participant to the meeting of a session: as the expert of a paper, or as the proponent without a title.
func (r *planReader) join(who *Participant, text, title string) error {
	session, label, _ := strings.Cut(text, "#")
	start, end, err := interval(strings.TrimSpace(session), who.Zone)
	if err != nil {
		return err
	}
	key := fmt.Sprint(start.Unix(), "-", end.Unix(), "#", strings.TrimSpace(label))
	m := r.meetings[key]
	if m == nil {
		m = &Meeting{Start: start, End: end, Label: strings.TrimSpace(label)}
		r.meetings[key] = m
		r.plan.Meetings = append(r.plan.Meetings, m)
	}
	seat := &m.Proponent
	if title != "" {
		seat, m.Title = &m.Expert, title
	}
	if *seat != nil {
		return fmt.Errorf("session %q: %s has this role already; mark parallel sessions with a label, such as %q",
			text, (*seat).Name, session+"#2")
	}
	*seat = who
	return nil
}

// layouts are the forms of a day in a session: the one of this program, and the one of the benchmark's tool.
var layouts = []string{"2006-01-02 15:04", "02/01/2006_15:04"}

// interval parses a session such as "2027-03-01 09:00-09:20". An end before the start is on the next day.
func interval(text string, zone *time.Location) (start, end time.Time, err error) {
	wrong := fmt.Errorf("session %q: the form is 2027-03-01 09:00-09:20", text)
	cut := strings.LastIndex(text, "-")
	if cut < 0 {
		return start, end, wrong
	}
	for _, layout := range layouts {
		if start, err = time.ParseInLocation(layout, text[:cut], zone); err != nil {
			continue
		}
		if start.Format(layout) != text[:cut] {
			return start, end, fmt.Errorf("session %q: this hour does not exist in %s, where clocks change", text, zone)
		}
		day := layout[:len(layout)-len("15:04")]
		if end, err = time.ParseInLocation(layout, start.Format(day)+strings.TrimSpace(text[cut+1:]), zone); err != nil {
			return start, end, wrong
		}
		if !end.After(start) {
			end = end.AddDate(0, 0, 1)
		}
		return start, end, nil
	}
	return start, end, wrong
}

// check sorts the meetings and refuses half ones and overlaps.
func (r *planReader) check() error {
	slices.SortStableFunc(r.plan.Meetings, func(a, b *Meeting) int { return a.Start.Compare(b.Start) })
	last := make(map[*Participant]*Meeting)
	for _, m := range r.plan.Meetings {
		when := m.Start.Format("2006-01-02 15:04 MST")
		switch {
		case m.Expert == nil:
			return fmt.Errorf("the session of %s at %s has no expert: intervals and labels must be equal", m.Proponent.Name, when)
		case m.Proponent == nil:
			return fmt.Errorf("the session of %s at %s has no proponent: intervals and labels must be equal", m.Expert.Name, when)
		case m.Proponent == m.Expert:
			return fmt.Errorf("the session of %s at %s has one person in both roles", m.Expert.Name, when)
		}
		for _, who := range []*Participant{m.Proponent, m.Expert} {
			if before := last[who]; before != nil && before.End.After(m.Start) {
				return fmt.Errorf("two sessions of %s overlap at %s", who.Name, when)
			}
			last[who] = m
		}
	}
	return nil
}

// Calendar writes an iCalendar file (RFC 5545) with the meetings of each participant who has any, and returns the
// names of the files. A reminder is due ten minutes before. No file has a code.
func Calendar(p *Plan, dir string, now time.Time) ([]string, error) {
	var names []string
	for i, who := range p.People {
		events := ""
		for _, m := range p.Meetings {
			if role := m.role(who); role != "" {
				events += entry(m, role, who, now)
			}
		}
		if events == "" {
			continue
		}
		plain := strings.Trim(noPlain.ReplaceAllString(who.Name, "-"), "-")
		name := fmt.Sprintf("%02d-%s.ics", i+1, plain)
		text := "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//airqa//collect//EN\r\n" + events + "END:VCALENDAR\r\n"
		if err := files.WriteFile(filepath.Join(dir, name), []byte(text)); err != nil {
			return names, fmt.Errorf("write calendars: %w", err)
		}
		names = append(names, name)
	}
	return names, nil
}

// entry is one event with its reminder.
func entry(m *Meeting, role Role, who *Participant, now time.Time) string {
	const utc, longest = "20060102T150405Z", 75 // octets of a content line; continuation lines begin with a space
	summary := escapes.Replace("Dialogue as " + string(role) + ": " + m.Title)
	var b strings.Builder
	for _, line := range []string{
		"BEGIN:VEVENT", "UID:" + files.Hash(m.key() + "|" + who.Name)[:32] + "@airqa", "DTSTAMP:" + now.UTC().Format(utc),
		"DTSTART:" + m.Start.UTC().Format(utc), "DTEND:" + m.End.UTC().Format(utc), "SUMMARY:" + summary,
		"BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT10M", "DESCRIPTION:" + summary, "END:VALARM", "END:VEVENT",
	} {
		for room := longest; len(line) > room; room = longest - 1 {
			cut := room
			for !utf8.RuneStart(line[cut]) {
				cut--
			}
			b.WriteString(line[:cut] + "\r\n ")
			line = line[cut:]
		}
		b.WriteString(line + "\r\n")
	}
	return b.String()
}

// escapes are what RFC 5545 writes for these characters in a value of type TEXT.
var escapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`)

// noPlain are the characters that a file name has not.
var noPlain = lazyregexp.New(`[^a-zA-Z0-9]`)
