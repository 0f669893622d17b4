package main

import (
	"io"
	"os"

	"airqa/internal/httpclient"
	"airqa/llm"
	"airqa/run/models"
	"airqa/runlog"
	"airqa/train/otlp"
)

// redactor removes keys and the home directory from what is written to disk.
func (a *app) redactor() func([]byte) []byte {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return runlog.Redactor(keys(a.getenv), home)
}

// keys returns the API keys in the environment.
func keys(getenv func(string) string) []string {
	var found []string
	for _, name := range keyVariables() {
		found = append(found, getenv(name))
	}
	for _, name := range models.HeaderVariables() {
		found = append(found, httpclient.Secrets(llm.HeadersOf(getenv(name)))...)
	}
	return append(found, otlp.HeaderValues(getenv)...)
}

// redactingWriter removes keys from standard error: an endpoint's error may repeat them.
type redactingWriter struct {
	to     io.Writer
	redact func([]byte) []byte
}

func newRedactingWriter(to io.Writer, getenv func(string) string) redactingWriter {
	return redactingWriter{to, runlog.Redactor(keys(getenv), "")}
}

// Write redacts p. A key must not be split over two calls; lines are written whole.
func (d redactingWriter) Write(p []byte) (int, error) {
	if _, err := d.to.Write(d.redact(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
