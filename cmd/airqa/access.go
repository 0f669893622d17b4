package main

import (
	"fmt"

	"airqa/llm"
)

// Environment variables of keys that belong to no provider.
const (
	judgeKey = "AIRQA_JUDGE_API_KEY"
	embedKey = "AIRQA_EMBED_API_KEY"
)

// secondAccess is the access of what a command asks besides its model, a judge or an embedder. It has a key of its own in a
// variable. Its provider's key is used only at the host that this key belongs to: that of --base-url when there is one,
// else the provider's of the environment.
func (a *app) secondAccess(spec, variable, address string) llm.Access {
	model := a.modelAt
	if model == "" {
		model = a.getenv("AIRQA_BASE_URL")
	}
	access := llm.FromEnvironment(spec, a.getenv).Pair(model).At(address)
	if key := a.getenv(variable); key != "" {
		access.Key, access.Withheld = key, ""
	}
	return access
}

// missingKey says what to do about a key that is missing, or that belongs to another host.
func missingKey(access llm.Access, variable, flag string) error {
	if access.Withheld != "" {
		return fmt.Errorf("%w for %s: %s is the key for %s. Set %s, or give %s",
			llm.ErrNoKey, access.Host(), access.Variable, access.Withheld, variable, flag)
	}
	return fmt.Errorf("%w for %s: set %s or %s, or give %s", llm.ErrNoKey, access.Host(), variable, access.Variable, flag)
}

// keyless describes a request to a host without a key although there is one for another host; empty otherwise.
func keyless(access llm.Access, variable string) string {
	if access.Withheld == "" {
		return ""
	}
	return fmt.Sprintf(", without a key: %s is for %s; set %s", access.Variable, access.Withheld, variable)
}
