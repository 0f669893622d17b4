package collect

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"airqa/internal/files"
	"airqa/internal/ledger"
)

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
		name := fmt.Sprintf("%02d-%s.ics", i+1, plain(who.Name))
		text := folded("BEGIN:VCALENDAR") + folded("VERSION:2.0") + folded("PRODID:-//airqa//collect//EN") + events + folded("END:VCALENDAR")
		if err := files.WriteFile(filepath.Join(dir, name), []byte(text)); err != nil {
			return names, fmt.Errorf("write calendars: %w", err)
		}
		names = append(names, name)
	}
	return names, nil
}

// entry is one event with its reminder.
func entry(m *Meeting, role Role, who *Participant, now time.Time) string {
	const utc = "20060102T150405Z"
	summary := escaped("Dialogue as " + string(role) + ": " + m.Title)
	var b strings.Builder
	for _, line := range []string{
		"BEGIN:VEVENT", "UID:" + ledger.Hash(m.key() + "|" + who.Name)[:32] + "@airqa", "DTSTAMP:" + now.UTC().Format(utc),
		"DTSTART:" + m.Start.UTC().Format(utc), "DTEND:" + m.End.UTC().Format(utc), "SUMMARY:" + summary,
		"BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT10M", "DESCRIPTION:" + summary, "END:VALARM", "END:VEVENT",
	} {
		b.WriteString(folded(line))
	}
	return b.String()
}

// escaped is a value of the type TEXT.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`).Replace(text)
}

// folded is a content line of at most 75 octets, with continuation lines.
func folded(line string) string {
	const most = 75
	var b strings.Builder
	for room := most; len(line) > room; room = most - 1 {
		cut := room
		for !utf8.RuneStart(line[cut]) {
			cut--
		}
		b.WriteString(line[:cut] + "\r\n ")
		line = line[cut:]
	}
	return b.String() + line + "\r\n"
}

// plain is a name as part of a file name.
func plain(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name), "-")
}
