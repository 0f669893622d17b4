package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"airqa/internal/settings"
	"airqa/run/runlog"
	"airqa/run/session"
)

// Files in the working directory and in run directories are untrusted. They cannot send a key to another host, and airqa.yaml
// cannot make the program write outside its folder.

// addressFlags name endpoints, which receive keys from the environment.
var addressFlags = []string{"base-url", "embed-base-url", "judge-base-url"}

// outputFlags name files and folders to write.
var outputFlags = []string{"cache", "data", "dir", "figures", "out", "verdicts"}

// missingFlags name lists to write, except that --missing of airqa run is a choice. A choice passes as a name in the folder.
var missingFlags = []string{"missing", "missing-list"}

// checkFileValue refuses a value of airqa.yaml that sends a key to another host or writes outside the folder of the file.
func checkFileValue(key, flag, value string) error {
	switch {
	case slices.Contains(addressFlags, flag) && hasKey(os.Getenv) && !session.KnownAddress(value, os.Getenv):
		return fmt.Errorf("%s: %s is %s; a key from the environment is not sent to a host that only a file names; give --%s on the command line, or set %s",
			settings.File, key, settings.MaskURL(value), flag, settings.Variable(flag))
	case slices.Contains(append(missingFlags, outputFlags...), flag) && !settings.InsideFolder(value):
		return fmt.Errorf("%s: %s is %s, which is outside the folder of the file; give --%s on the command line", settings.File, key, value, flag)
	}
	return nil
}

// checkRecordedAddress refuses the address in a run directory unless the user's own settings name the same host: an untrusted
// run directory must not choose where keys, papers and questions go.
func checkRecordedAddress(dir, address string) error {
	if session.KnownAddress(address, os.Getenv) {
		return nil
	}
	return fmt.Errorf("%s was recorded with endpoint %s (%s); to send requests there, give it with --base-url",
		dir, settings.MaskURL(address), runlog.RunFile)
}

func hasKey(getenv func(string) string) bool {
	return slices.ContainsFunc(keyVariables(), func(name string) bool { return getenv(name) != "" })
}

// noteFileSettings prints the addresses and output paths that airqa.yaml or a run directory sets.
func (a *app) noteFileSettings(ctx *kong.Context) error {
	file, err := layers.ReadFile()
	for _, line := range file.Announced(ctx, append(slices.Clone(addressFlags), append(outputFlags, "vectors")...), runlog.RunFile) {
		a.say("%s", line)
	}
	return err
}
