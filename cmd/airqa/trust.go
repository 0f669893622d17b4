package main

import (
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/env/index"
	"airqa/internal/settings"
	"airqa/qa"
	"airqa/run/models"
	"airqa/runlog"
)

// Files in the working directory, in run directories and in data directories are untrusted. Through them, the program reads
// and writes nothing outside of the folder, and sends nothing to an address that the user has not named. What a flag names
// is declared with the flag: see settings.Names.

// checkFileValue refuses a value of airqa.yaml that leads out of its folder, or to an address that the user has not named.
func checkFileValue(key string, f *kong.Flag, value string) error {
	var why string
	switch kind := settings.Names(f); kind {
	case settings.Input, settings.Output, settings.Model:
		path := value
		if kind == settings.Model {
			_, path, _ = strings.Cut(value, "scripted:")
		}
		// --id takes @FILE.
		if !settings.InsideFolder(path) || !settings.InsideFolder(strings.TrimPrefix(path, "@")) {
			why = "which is outside the folder of the file"
		}
	case settings.Endpoint, settings.Store, settings.Telemetry:
		if !knownAddress(kind, value) {
			why = "and nothing is sent to an address that only a file names"
		}
	case settings.Listen:
		if host, _, err := net.SplitHostPort(value); err != nil || !models.IsLoopback(host) {
			why = "which other machines can reach"
		}
	case settings.Source:
		why = "and only you can choose that"
	}
	if why == "" {
		return nil
	}
	return fmt.Errorf("%s: %s is %s, %s; %s", settings.File, key, settings.MaskURL(value), why, toAllow(f))
}

// toAllow returns the way to set a flag that a file may not set.
func toAllow(f *kong.Flag) string {
	text := "give --" + f.Name + " on the command line"
	if len(f.Envs) > 0 {
		text += ", or set " + f.Envs[len(f.Envs)-1]
	}
	return text
}

// knownAddress reports whether the environment, or a provider, names the host of an address of some kind.
func knownAddress(kind, address string) bool {
	switch kind {
	case settings.Store:
		return address == index.Files || models.KnownAddress(address, os.Getenv, "AIRQA_VECTORS")
	case settings.Telemetry:
		return models.KnownAddress(address, os.Getenv, "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	}
	return models.KnownEndpoint(address, os.Getenv)
}

// checkRecorded refuses a value in a run directory that leads elsewhere: an untrusted run directory must not choose where
// papers and questions go, or what is read.
func checkRecorded(dir string, f *kong.Flag, value string) error {
	switch settings.Names(f) {
	case settings.Endpoint:
		return checkRecordedAddress(dir, runlog.RunFile, f.Name, value)
	case settings.Model:
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
	if knownAddress(settings.Store, address) {
		return nil
	}
	address = settings.MaskURL(address)
	return qa.Usagef("%s names the vector store %s, and nothing is sent to an address that only a file names; give --vectors '%s', or set AIRQA_VECTORS",
		file, address, address)
}

// givenAddresses returns the addresses that the command line, the environment or the user's own settings file gives.
func givenAddresses(ctx *kong.Context, files *settings.Files) models.Addresses {
	given := make(map[string]string)
	for _, f := range ctx.Flags() {
		if settings.Names(f) == settings.Endpoint {
			given[f.Name] = f.Target.String()
		}
	}
	for _, p := range ctx.Path {
		// Resolved by airqa.yaml or a run directory.
		if p.Flag != nil && p.Resolved && !files.Trusts(settings.CommandPath(ctx.Selected()), p.Flag.Name) {
			delete(given, p.Flag.Name)
		}
	}
	return models.Addresses{Models: given["base-url"], Judges: given["judge-base-url"], Embedder: given["embed-base-url"]}
}
