package session

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"airqa/llm"
)

// Environment variables of keys that are not tied to a provider.
const (
	JudgeKey = "AIRQA_JUDGE_API_KEY"
	EmbedKey = "AIRQA_EMBED_API_KEY"
)

// Access returns the access to a second model of a command, a judge or an embedder, at an address. Its own key is in a
// variable. The key of its provider is used only at the host that this key is for: that of --base-url if the command
// has it, otherwise that of the environment.
func (s Session) Access(spec, variable, address string) llm.Access {
	access := llm.FromEnvironment(spec, s.Getenv).Pair(cmp.Or(s.BaseURL, s.Getenv("AIRQA_BASE_URL"))).At(address)
	if key := s.Getenv(variable); key != "" {
		access.Key, access.Withheld = key, ""
	}
	return access
}

// MissingKey is the error for a missing key, or for one of another host; it names the variable and the flag that help.
func MissingKey(access llm.Access, variable, flag string) error {
	if access.Withheld != "" {
		return fmt.Errorf("%w for %s: %s is the key for %s. Set %s, or give %s",
			llm.ErrNoKey, access.Host(), access.Variable, access.Withheld, variable, flag)
	}
	return fmt.Errorf("%w for %s: set %s or %s, or give %s", llm.ErrNoKey, access.Host(), variable, access.Variable, flag)
}

// Keyless describes a request sent without a key although there is one for another host; otherwise empty.
func Keyless(access llm.Access, variable string) string {
	if access.Withheld == "" {
		return ""
	}
	return fmt.Sprintf(", without a key: %s is for %s; set %s", access.Variable, access.Withheld, variable)
}

// KnownAddress reports whether an address is on the loopback, or has the scheme, host and port of a provider or of an
// address in the environment.
func KnownAddress(address string, getenv func(string) string) bool {
	if u, err := url.Parse(address); err == nil && isLoopback(u.Hostname()) {
		return true
	}
	none := func(string) string { return "" }
	for _, provider := range []string{"openai", "anthropic", "google", "ollama"} {
		for _, environment := range []func(string) string{getenv, none} {
			own := llm.FromEnvironment(provider+":any", environment)
			own.Key = "probe"
			if own.At(address).Withheld == "" && own.At(address).Key != "" {
				return true
			}
		}
	}
	return false
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && net.IP(ip.AsSlice()).IsLoopback()
}
