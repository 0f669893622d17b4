package main

import (
	"io"
	"os"

	"airqa/run/runlog"
)

// redactor keeps keys and the home directory out of what is written.
func (a *app) redactor() func([]byte) []byte {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return runlog.Redactor(keys(a.getenv), home)
}

// keys are those in the environment.
func keys(getenv func(string) string) []string {
	var found []string
	for _, name := range keyVariables() {
		found = append(found, getenv(name))
	}
	return found
}

// discreet is standard error without keys: an endpoint's error may repeat those of others.
type discreet struct {
	to     io.Writer
	redact func([]byte) []byte
}

func newDiscreet(to io.Writer, getenv func(string) string) discreet {
	return discreet{to, runlog.Redactor(keys(getenv), "")}
}

// Write implements io.Writer. What is written at once must hold a key whole, as lines do.
func (d discreet) Write(p []byte) (int, error) {
	if _, err := d.to.Write(d.redact(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
