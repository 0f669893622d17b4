package redact

import (
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	textwords "airqa/internal/words"
)

// shape is a vendor's form of keys: a prefix and at least least more characters of a key.
type shape struct {
	prefix string
	least  int
}

// shapes are the keys that can be recognised by their beginning. Others are found by [random].
var shapes = []shape{
	{"sk-", 16},
	{"sk_live_", 10},
	{"sk_test_", 10},
	{"rk_live_", 10},
	{"rk_test_", 10},
	{"whsec_", 16},
	{"ghp_", 20},
	{"gho_", 20},
	{"ghu_", 20},
	{"ghs_", 20},
	{"ghr_", 20},
	{"github_pat_", 20},
	{"glpat-", 16},
	{"gldt-", 16},
	{"glrt-", 16},
	{"glptt-", 16},
	{"ATATT3", 20},
	{"ATBB", 24},
	{"ATCTT3", 20},
	{"hf_", 20},
	{"api_org_", 20},
	{"gsk_", 20},
	{"xai-", 20},
	{"r8_", 20},
	{"pplx-", 20},
	{"nvapi-", 20},
	{"tgp_v1_", 16},
	{"fw_", 20},
	{"csk-", 20},
	{"jina_", 20},
	{"pa-", 30},
	{"tvly-", 16},
	{"pcsk_", 20},
	{"lsv2_", 20},
	{"lsv2_pt_", 20},
	{"AKIA", 16},
	{"ASIA", 16},
	{"ABIA", 16},
	{"ACCA", 16},
	{"AIza", 30},
	{"ya29.", 20},
	{"GOCSPX-", 20},
	{"1//0", 24},
	{"xoxb-", 10},
	{"xoxp-", 10},
	{"xoxa-", 10},
	{"xoxs-", 10},
	{"xoxr-", 10},
	{"xapp-", 10},
	{"xoxe.", 10},
	{"npm_", 30},
	{"pypi-", 30},
	{"dckr_pat_", 16},
	{"rubygems_", 30},
	{"SG.", 30},
	{"key-", 32},
	{"sq0atp-", 16},
	{"sq0csp-", 16},
	{"shpat_", 20},
	{"shpss_", 20},
	{"shpca_", 20},
	{"shppa_", 20},
	{"dop_v1_", 30},
	{"doo_v1_", 30},
	{"dor_v1_", 30},
	{"lin_api_", 20},
	{"ntn_", 20},
	{"figd_", 20},
	{"dapi", 32},
	{"PMAK-", 20},
	{"NRAK-", 20},
	{"glc_", 20},
	{"glsa_", 20},
	{"hvs.", 20},
	{"hvb.", 20},
	{"AGE-SECRET-KEY-1", 30},
	{"eyJ", 30},
	{"SK", 32},
	{"AC", 32},
	{"pul-", 20},
	{"sntrys_", 20},
	{"phc_", 20},
	{"phx_", 20},
	{"dp.pt.", 20},
	{"sbp_", 20},
	{"oy2", 40},
	{"CFPAT-", 20},
	{"LTAI", 16},
	{"AKID", 20},
}

// byFirst has the shapes by their first byte.
var byFirst = func() (index [256][]shape) {
	for _, s := range shapes {
		index[s.prefix[0]] = append(index[s.prefix[0]], s)
	}
	return index
}()

// leastKey is the number of characters of the shortest key that no name announces.
const leastKey = 12

// span is a piece of private text and its kind.
type span struct {
	start, end int
	kind       Kind
}

// secrets finds keys by their form, by the name before them, and by their randomness.
func secrets(text string) []span {
	var list []span
	for i := 0; i < len(text); {
		if !keyByte(text[i]) {
			i++
			continue
		}
		start := afterEscape(text, i)
		for i < len(text) && keyByte(text[i]) {
			i++
		}
		if i-start >= leastKey {
			list = append(list, inRun(text, start, i)...)
		}
	}
	for _, pattern := range []*lazyregexp.Regexp{privateKey, userInfo, bot, webhook} {
		if strings.Contains(text, mark[pattern]) {
			for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
				list = append(list, span{m[2], m[3], Secret})
			}
		}
	}
	return append(list, named(text)...)
}

// Other forms; the secret is the first group.
var (
	privateKey = lazyregexp.New(`(-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-[^-])*-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|(?:[A-Za-z0-9+/=\s]|\\[nr])*))`)
	userInfo   = lazyregexp.New(`[a-z][a-z0-9+.-]*://([^/\s:@"']+:[^/\s@"']+)@`)
	bot        = lazyregexp.New(`\b([0-9]{8,10}:AA[A-Za-z0-9_-]{33})\b`)
	webhook    = lazyregexp.New(`https://(?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks)/([A-Za-z0-9/_-]{20,})`)
	mark       = map[*lazyregexp.Regexp]string{privateKey: "-----BEGIN ", userInfo: "@", bot: ":AA", webhook: "hooks"}
)

// afterEscape returns the position after the escape sequence, such as \n, that a word at i begins with.
func afterEscape(text string, i int) int {
	switch {
	case i == 0 || i == len(text) || text[i-1] != '\\':
		return i
	case strings.IndexByte("bfnrt", text[i]) >= 0:
		return i + 1
	case text[i] == 'u':
		return min(i+5, len(text))
	}
	return i
}

// keyByte reports whether a byte may be part of a key.
func keyByte(b byte) bool {
	return alphanumeric(b) || b == '_' || b == '-' || b == '+' || b == '/' || b == '=' || b == '.'
}

func alphanumeric(b byte) bool { return isDigit(b) || isLetter(b) }
func isDigit(b byte) bool      { return b >= '0' && b <= '9' }
func isLetter(b byte) bool     { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// inRun finds keys in a run of key bytes.
func inRun(text string, start, end int) []span {
	for strings.IndexByte("./-", text[end-1]) >= 0 && end > start+1 {
		end--
	}
	for at := start; at < end; at++ {
		if at > start && alphanumeric(text[at-1]) {
			continue
		}
		for _, s := range byFirst[text[at]] {
			if strings.HasPrefix(text[at:end], s.prefix) && s.fits(text[at+len(s.prefix):end]) {
				return []span{{at, end, Secret}}
			}
		}
	}
	if value := strings.LastIndexByte(strings.TrimRight(text[start:end], "="), '='); value >= 0 {
		start += value + 1
	}
	parts := split(text[start:end], start, "/")
	list := randomParts(text, parts)
	if len(list) == 0 && random(text[start:end]) {
		list = []span{{start, end, Secret}}
	}
	return list
}

// randomParts joins random parts of a path with their neighbours that are no words: Base64 has slashes.
func randomParts(text string, parts []span) []span {
	var list []span
	next := 0
	for i, p := range parts {
		if i < next || !slices.ContainsFunc(split(text[p.start:p.end], 0, "."),
			func(q span) bool { return random(text[p.start+q.start : p.start+q.end]) }) {
			continue
		}
		first, last := i, i
		for first > next && noWord(text, parts[first-1]) {
			first--
		}
		for last+1 < len(parts) && noWord(text, parts[last+1]) {
			last++
		}
		list = append(list, span{parts[first].start, parts[last].end, Secret})
		next = last + 1
	}
	return list
}

// noWord reports whether a part of a path is unlike a word.
func noWord(text string, p span) bool {
	part := text[p.start:p.end]
	return strings.IndexByte(part, '.') < 0 && (len(part) < 4 || surprise(part) > 0)
}

// fits reports whether the rest of a word is long enough and no plain word.
func (s shape) fits(rest string) bool {
	n, digits, upper := 0, 0, 0
	for n < len(rest) && (alphanumeric(rest[n]) || strings.IndexByte("_-.", rest[n]) >= 0) {
		switch {
		case isDigit(rest[n]):
			digits++
		case rest[n] >= 'A' && rest[n] <= 'Z':
			upper++
		}
		n++
	}
	return n >= s.least && (digits > 0 || upper > 2) && !textwords.Hyphenated(rest[:n])
}

// split returns the parts of a text between separators. offset is the text's own position.
func split(text string, offset int, separators string) []span {
	var list []span
	start := 0
	for i := 0; i <= len(text); i++ {
		if i == len(text) || strings.IndexByte(separators, text[i]) >= 0 {
			if i > start {
				list = append(list, span{offset + start, offset + i, Secret})
			}
			start = i + 1
		}
	}
	return list
}
