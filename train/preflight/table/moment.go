package table

import "time"

// isTime reports whether a text is what Arrow reads as a timestamp in seconds: a date, or a date with hours, minutes and
// seconds and a zone.
func isTime(b []byte) bool {
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return false
	}
	if _, err := time.Parse(time.DateOnly, string(b[:10])); err != nil {
		return false
	}
	if len(b) == 10 {
		return true
	}
	if b[10] != ' ' && b[10] != 'T' {
		return false
	}
	return isClock(withoutZone(string(b[11:])))
}

// withoutZone cuts Z, +hh, +hhmm or +hh:mm.
func withoutZone(s string) string {
	if n := len(s); n > 0 && s[n-1] == 'Z' {
		return s[:n-1]
	}
	for _, zone := range []struct {
		size   int
		layout string
	}{{3, "15"}, {5, "1504"}, {6, "15:04"}} {
		at := len(s) - zone.size
		if at < 2 || s[at] != '+' && s[at] != '-' {
			continue
		}
		if _, err := time.Parse(zone.layout, s[at+1:]); err == nil {
			return s[:at]
		}
	}
	return s
}

func isClock(s string) bool {
	for _, layout := range []string{"15", "15:04", "15:04:05"} {
		if len(s) == len(layout) {
			_, err := time.Parse(layout, s)
			return err == nil
		}
	}
	return false
}
