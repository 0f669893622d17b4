package session

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
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
	access := llm.FromEnvironment(spec, s.Getenv).Pair(cmp.Or(s.Given["base-url"], s.Getenv("AIRQA_BASE_URL"))).At(address)
	flag := map[string]string{JudgeKey: "judge-base-url", EmbedKey: "embed-base-url"}[variable]
	if key := s.Getenv(variable); key != "" && (address == "" || address == s.Given[flag]) {
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

// KnownEndpoint reports whether an address has the scheme, host and port of a provider, or of an address of models in the
// environment. On this machine, only the environment counts: another user may listen there.
func KnownEndpoint(address string, getenv func(string) string) bool {
	if KnownAddress(address, getenv, "AIRQA_BASE_URL", "AIRQA_JUDGE_BASE_URL", "AIRQA_EMBED_BASE_URL") {
		return true
	}
	u, err := url.Parse(address)
	environments := []func(string) string{getenv, func(string) string { return "" }}
	if err != nil || IsLoopback(u.Hostname()) {
		environments = environments[:1]
	}
	for _, provider := range llm.Vendors() {
		for i, environment := range environments {
			own := llm.FromEnvironment(provider+":any", environment)
			own.Key = "probe"
			if named := own.BaseURL != "" || i > 0; named && own.At(address).Key != "" {
				return true
			}
		}
	}
	return false
}

// KnownAddress reports whether an address has the scheme, host and port of one in these variables.
func KnownAddress(address string, getenv func(string) string, variables ...string) bool {
	return slices.ContainsFunc(variables, func(name string) bool {
		own := getenv(name)
		return own != "" && origin(own) == origin(address)
	})
}

// origin is the scheme, host and port of an address, or what is no URL as it is.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	port := cmp.Or(u.Port(), map[string]string{"https": "443", "http": "80", "milvus": "19530"}[u.Scheme])
	return u.Scheme + "://" + strings.ToLower(net.JoinHostPort(u.Hostname(), port))
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && net.IP(ip.AsSlice()).IsLoopback()
}
