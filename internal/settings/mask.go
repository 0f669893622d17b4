package settings

import (
	"net/url"
	"strings"
)

// hidden replaces a password.
const hidden = "(set)"

// MaskURL hides passwords and tokens in an address.
func MaskURL(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return hidden
	}
	shown := *u
	shown.User, shown.RawQuery = nil, ""
	out := shown.String()
	if u.User != nil {
		name := u.User.Username()
		if _, has := u.User.Password(); has {
			name += ":" + hidden
		}
		out = strings.Replace(out, "://", "://"+name+"@", 1)
	}
	var query []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if low := strings.ToLower(name); strings.Contains(low, "token") || strings.Contains(low, "key") || strings.Contains(low, "pass") {
			pair = name + "=" + hidden
		}
		query = append(query, pair)
	}
	if u.RawQuery != "" {
		out += "?" + strings.Join(query, "&")
	}
	return out
}
