package settings

import (
	"net/url"
	"strings"
)

// hidden replaces a secret, like the password in [url.URL.Redacted].
const hidden = "xxxxx"

// MaskURL hides passwords and tokens in an address.
func MaskURL(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return hidden
	}
	query := u.Query()
	for name := range query {
		if low := strings.ToLower(name); strings.Contains(low, "token") || strings.Contains(low, "key") || strings.Contains(low, "pass") {
			query.Set(name, hidden)
		}
	}
	u.RawQuery = query.Encode()
	return u.Redacted()
}
