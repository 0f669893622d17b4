package llm

import (
	"cmp"
	"net/http"
	"strings"
)

// Access is the address of an endpoint and its API key. A key belongs to one address: [Access.At] drops it for another
// host, with the headers, and only [Access.Pair] rebinds it. The zero value has neither.
type Access struct {
	// Key is empty if there is none for the address.
	Key string
	// Headers are sent to the same address as the key, see [HeadersOf]. Their values are secrets.
	Headers http.Header
	// BaseURL is empty for the provider's own address.
	BaseURL string
	// Variable is the environment variable of the key, set or not, for messages.
	Variable string
	// Withheld is the host of a key dropped by At, or empty.
	Withheld string
	vendor   vendor
}

// FromEnvironment reads the key of a spec's provider and the key's address: the provider's own variable
// (OPENAI_BASE_URL for OPENAI_API_KEY), else the default; and the headers in [HeadersVariable]. It is empty for providers that are not built in.
func FromEnvironment(spec string, getenv func(string) string) Access {
	name, _ := SplitSpec(spec)
	v, ok := findVendor(name)
	if !ok {
		return Access{}
	}
	base := firstSet(v.bases, getenv)
	if name == "ollama" && base != "" {
		base = ollamaAddress(base)
	}
	headers := HeadersOf(getenv(HeadersVariable))
	return Access{Key: firstSet(v.keys, getenv), BaseURL: base, Headers: headers, Variable: v.keys[0], vendor: v}
}

// Pair binds the key to an address that its owner gave explicitly, such as with --base-url; an empty address changes
// nothing.
func (a Access) Pair(baseURL string) Access {
	if baseURL != "" {
		a.BaseURL = baseURL
	}
	return a
}

// At returns the access to another address, where empty is the provider's default. It keeps the key only if scheme,
// host and port are the same.
func (a Access) At(baseURL string) Access {
	if own, other := a.vendor.origin(a.BaseURL), a.vendor.origin(baseURL); own == "" || own != other {
		if a.Key != "" {
			a.Withheld = a.Host()
		}
		a.Key, a.Headers = "", nil
	}
	a.BaseURL = baseURL
	return a
}

// Host is the host of the address with any port; empty if the address is not a URL.
func (a Access) Host() string {
	base, err := a.vendor.parseBaseURL(a.BaseURL)
	if err != nil {
		return ""
	}
	return base.Host
}

// origin is the scheme, host and port of an address; empty if it is not a URL.
func (v vendor) origin(address string) string {
	base, err := v.parseBaseURL(address)
	if err != nil {
		return ""
	}
	port := cmp.Or(base.Port(), map[string]string{"https": "443", "http": "80"}[base.Scheme])
	return strings.ToLower(base.Scheme + "://" + base.Hostname() + ":" + port)
}
