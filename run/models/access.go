package models

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"airqa/llm"
	"airqa/llm/catalog"
)

// Environment variables of keys that are not tied to a provider.
const (
	JudgeKey = "AIRQA_JUDGE_API_KEY"
	EmbedKey = "AIRQA_EMBED_API_KEY"
)

// ListedHeaders is the variable with the headers of a list of models while a command runs, for what removes keys.
const ListedHeaders = "AIRQA_LISTED_HEADERS"

// HeaderVariables are the environment variables of headers, see [llm.ParseHeaders].
func HeaderVariables() []string {
	return []string{llm.HeadersVariable, headersWith(JudgeKey), headersWith(EmbedKey), ListedHeaders}
}

// headersWith is the variable of the headers that are sent where the key of a variable is.
func headersWith(key string) string { return strings.TrimSuffix(key, "API_KEY") + "HEADERS" }

// withHeaders adds headers to an access; those of the same name are replaced.
func withHeaders(access llm.Access, lines string) llm.Access {
	if more := llm.HeadersOf(lines); more != nil {
		access.Headers = access.Headers.Clone()
		if access.Headers == nil {
			access.Headers = more
		}
		maps.Copy(access.Headers, more)
	}
	return access
}

// Addresses are the base URLs that the user gives: a key is for one of these, never for an address that only a run or data
// directory names.
type Addresses struct {
	Models, Judges, Embedder string
	// Catalog is the user's list of models; nil if there is none.
	Catalog *catalog.Catalog
}

// Access returns the access to a second model of a command, a judge or an embedder, at an address. Its own key is in a
// variable, [JudgeKey] or [EmbedKey]. The key of its provider is used only at the host that this key is for: that of the
// models' address if one is given, otherwise that of the environment.
func (own Addresses) Access(spec, variable, address string, getenv func(string) string) llm.Access {
	listed := ""
	if own.Catalog != nil {
		known, _ := own.Catalog.Find(spec)
		listed = known.HeaderLines(getenv)
	}
	access := withHeaders(llm.FromEnvironment(spec, getenv).Pair(cmp.Or(own.Models, getenv("AIRQA_BASE_URL"))), listed).At(address)
	given := own.Judges
	if variable == EmbedKey {
		given = own.Embedder
	}
	if address != "" && address != given {
		return access
	}
	if key := getenv(variable); key != "" {
		access.Key, access.Withheld = key, ""
	}
	return withHeaders(withHeaders(access, listed), getenv(headersWith(variable)))
}

// MissingKey is the error for a missing key, or for one of another host. It names the variables that help.
func MissingKey(access llm.Access, variable string) error {
	if access.Withheld != "" {
		return fmt.Errorf("%w for %s: %s is the key for %s. Set %s", llm.ErrNoKey, access.Host(), access.Variable, access.Withheld, variable)
	}
	return fmt.Errorf("%w for %s: set %s or %s", llm.ErrNoKey, access.Host(), variable, access.Variable)
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
