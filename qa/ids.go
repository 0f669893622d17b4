package qa

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/google/uuid"
)

// Uncategorized is the venue-year of a paper whose venue is unknown.
const Uncategorized = "uncategorized"

// PaperUUID returns the id of a paper: UUIDv5 in the DNS namespace of the title, lower-cased and stripped of everything
// but a-z and 0-9, a hyphen, and the lower-case venue-year such as "neurips2017". An empty venueYear means
// [Uncategorized]. The rule reproduces the ids of every released AirQA paper. It would strip almost everything from a
// title in another script, so such a title is replaced by the hash of all its letters and digits.
func PaperUUID(title, venueYear string) string {
	if venueYear == "" {
		venueYear = Uncategorized
	}
	key := keep(strings.ToLower(title))
	lost := 0
	for _, r := range title {
		if (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Latin, r) && r > unicode.MaxASCII {
			lost++
		}
	}
	if lost > len(key) || key == "" && strings.TrimSpace(title) != "" {
		key = fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(foldTitle(title))))
	}
	return v5(key + "-" + strings.ToLower(venueYear))
}

var (
	notInTitles = regexp.MustCompile(`[^\p{L}\p{M}\p{Nd}]+`)
	notInIDs    = regexp.MustCompile(`[^a-z0-9]+`)
)

// foldTitle reduces a title to its letters and digits in lower case, in any script. A title without any remains
// unchanged.
func foldTitle(title string) string {
	folded := strings.ToLower(notInTitles.ReplaceAllString(title, ""))
	if folded == "" {
		return strings.TrimSpace(title)
	}
	return folded
}

// SameTitle reports whether two titles differ only in case, spaces and punctuation.
func SameTitle(a, b string) bool { return foldTitle(a) == foldTitle(b) }

// CopyUUID returns the id of another file with the title and venue of a paper; sha256 is the hash of the file's
// content.
func CopyUUID(paper, sha256 string) string { return v5(paper + "_file_" + sha256) }

// VenueYear joins a conference's abbreviation and a year for the id rule: "NeurIPS", 2017 yields "neurips2017". It
// drops everything but letters and digits; an empty abbreviation yields [Uncategorized].
func VenueYear(abbreviation string, year int) string {
	venue := keep(strings.ToLower(abbreviation))
	if venue == "" {
		return Uncategorized
	}
	if year == 0 {
		return venue
	}
	return fmt.Sprintf("%s%d", venue, year)
}

// QuestionUUID returns an id for a question without one: the same text has the same id.
func QuestionUUID(question string) string { return v5("question_" + question) }

// PageUUID returns the id of page n of a paper, n from 1.
func PageUUID(paper string, n int) string { return v5(fmt.Sprintf("%s_page_%d", paper, n)) }

// PartUUID returns the id of the k-th (from 1) part of a page; kind is "chunk", "table", "image" or "equation".
func PartUUID(paper string, page int, kind string, k int) string {
	return v5(fmt.Sprintf("%s_page_%d_%s_%d", paper, page, kind, k))
}

// SectionUUID returns the id of section i of a paper, i from 0.
func SectionUUID(paper string, i int) string { return v5(fmt.Sprintf("%s_section_%d", paper, i)) }

// ReferenceUUID returns the id of bibliography entry i of a paper, i from 1.
func ReferenceUUID(paper string, i int) string { return v5(fmt.Sprintf("%s_reference_%d", paper, i)) }

// IsUUID reports whether s is a hyphenated UUID. Check ids with it before building paths from them.
func IsUUID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && strings.EqualFold(id.String(), s)
}

func v5(name string) string { return uuid.NewSHA1(uuid.NameSpaceDNS, []byte(name)).String() }

// keep drops every byte but a-z and 0-9.
func keep(s string) string { return notInIDs.ReplaceAllString(s, "") }
