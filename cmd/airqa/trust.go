package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/env/index"
	"airqa/internal/httpclient"
	"airqa/internal/settings"
	"airqa/llm"
	"airqa/llm/catalog"
	"airqa/qa"
	"airqa/run/models"
	"airqa/runlog"
	"airqa/train/otlp"
)

// Run directories and data directories are untrusted. Through them, the program reads nothing outside of the folder, and sends
// nothing to an address that the user has not named.

// checkRecorded refuses a value in a run directory that leads elsewhere: an untrusted run directory must not choose where
// papers and questions go, or what is read.
func checkRecorded(dir string, f *kong.Flag, value string) error {
	switch f.Name {
	case "base-url":
		return checkRecordedAddress(dir, runlog.RunFile, f.Name, value)
	case "model":
		if _, file, scripted := strings.Cut(value, "scripted:"); scripted && !settings.InsideFolder(file) {
			return qa.Usagef("%s was recorded with model %s (%s), a file outside of this folder; to read it, give it with --%s", dir, value, runlog.RunFile, f.Name)
		}
	}
	return nil
}

// checkRecordedAddress refuses the address in a run directory unless the user's own settings name the same host.
func checkRecordedAddress(dir, file, flag, address string) error {
	if address == "" || models.KnownEndpoint(address, os.Getenv) {
		return nil
	}
	return qa.Usagef("%s was recorded with endpoint %s (%s); to send requests there, give it with --%s", dir, settings.MaskURL(address), file, flag)
}

// checkRecordedStore refuses the vector store in a data directory unless the user's own settings name the same host.
func checkRecordedStore(file, address string) error {
	if address == index.Files || models.KnownAddress(address, os.Getenv, "AIRQA_VECTORS") {
		return nil
	}
	address = settings.MaskURL(address)
	return qa.Usagef("%s names the vector store %s, and nothing is sent to an address that only a file names; give --vectors '%s', or set AIRQA_VECTORS",
		file, address, address)
}

// fromRun are the flags whose values are from a run directory.
func fromRun(ctx *kong.Context, files *settings.Files) (flags []*kong.Flag) {
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Resolved && !files.Has(settings.CommandPath(ctx.Selected()), p.Flag.Name) {
			flags = append(flags, p.Flag)
		}
	}
	return flags
}

// givenAddresses returns the addresses that the command line, the environment or a settings file gives.
func givenAddresses(ctx *kong.Context, files *settings.Files) models.Addresses {
	given := make(map[string]string)
	for _, f := range ctx.Flags() {
		if strings.HasSuffix(f.Name, "base-url") || f.Name == "models" {
			given[f.Name] = f.Target.String()
		}
	}
	for _, f := range fromRun(ctx, files) {
		delete(given, f.Name)
	}
	own := models.Addresses{Models: given["base-url"], Judges: given["judge-base-url"], Embedder: given["embed-base-url"]}
	if path := given["models"]; path != "" {
		own.Catalog, _ = catalog.Open(path) // it was read before, see shareHeaders
	}
	return own
}

// placesOfRun returns notes about the places that are from a run directory: where papers and questions go.
func placesOfRun(ctx *kong.Context, files *settings.Files) (notes []string) {
	for _, f := range fromRun(ctx, files) {
		if isPlace(f) {
			notes = append(notes, fmt.Sprintf("note: %s of the run sets %s %s", runlog.RunFile, f.Name, settings.MaskURL(f.Target.String())))
		}
	}
	return notes
}

// redactor removes keys and the home directory from what is written to disk.
func (a *app) redactor() func([]byte) []byte {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return runlog.Redactor(keys(a.getenv), home)
}

func keys(getenv func(string) string) []string {
	found := qa.Map(keyVariables(), getenv)
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
