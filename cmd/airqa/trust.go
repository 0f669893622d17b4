package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/internal/settings"
	"airqa/llm"
	"airqa/run/runlog"
)

// A working directory and a run directory may come from someone else. Their files cannot send a key to another host, and
// airqa.yaml cannot make the program write outside its folder.

// addressFlags are sent requests, and with them keys from the environment.
var addressFlags = []string{"base-url", "embed-base-url", "judge-base-url"}

// outputFlags are written to.
var outputFlags = []string{"cache", "data", "dir", "figures", "out", "verdicts"}

// checkFileValue refuses a value of airqa.yaml that sends a key to another host or writes outside the folder of the file.
func checkFileValue(key, flag, value string) error {
	switch {
	case slices.Contains(addressFlags, flag) && hasKey(os.Getenv) && !knownAddress(value, os.Getenv):
		return fmt.Errorf("%s: %s is %s, and a key from the environment is not sent to a host that only a file names; give --%s on the command line, or set %s",
			settings.File, key, settings.MaskURL(value), flag, settings.Variable(flag))
	case slices.Contains(outputFlags, flag) && !insideFolder(value):
		return fmt.Errorf("%s: %s is %s, which is outside the folder of the file; give --%s on the command line", settings.File, key, value, flag)
	}
	return nil
}

// checkRecordedAddress refuses the address in a run directory unless the user's own settings name its host, too: a run
// directory of someone else must not choose where keys, papers and questions go.
func checkRecordedAddress(dir, address string) error {
	if knownAddress(address, os.Getenv) {
		return nil
	}
	return fmt.Errorf("%s was made with the endpoint %s (%s); to send requests there, repeat it with --base-url",
		dir, settings.MaskURL(address), runlog.RunFile)
}

func hasKey(getenv func(string) string) bool {
	return slices.ContainsFunc(keyVariables(), func(name string) bool { return getenv(name) != "" })
}

// knownAddress reports whether an address is on the loopback, or at the scheme, host and port of a provider or of an address
// in the environment.
func knownAddress(address string, getenv func(string) string) bool {
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

// insideFolder reports whether a path stays in the working directory: it is relative, has no "..", and no link on its way
// leads out.
func insideFolder(path string) bool {
	if path == "" {
		return true
	}
	if path = filepath.Clean(path); !filepath.IsLocal(path) {
		return false
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	walked := ""
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		walked = filepath.Join(walked, part)
		info, err := root.Stat(walked)
		if errors.Is(err, fs.ErrNotExist) {
			// Made by the program, unless a link with no target is in the place.
			_, err = root.Lstat(walked)
			return errors.Is(err, fs.ErrNotExist)
		}
		if err != nil || info == nil {
			return false
		}
	}
	return true
}

// announce prints what files of the working directory or of a run set, of what matters: where requests go and what is written.
func (a *app) announce(ctx *kong.Context) error {
	file, err := layers.ReadFile()
	for _, line := range announced(ctx, file) {
		a.say("%s", line)
	}
	return err
}

// announced names the addresses and places that a command took from files of the working directory or of a run.
func announced(ctx *kong.Context, file settings.Values) []string {
	var fromFile, lines []string
	for _, p := range ctx.Path {
		if p.Flag == nil || !p.Resolved || !slices.Contains(append(slices.Clone(addressFlags), append(outputFlags, "vectors")...), p.Flag.Name) {
			continue
		}
		value := fmt.Sprint(settings.Masked(ctx.FlagValue(p.Flag)))
		source, key, err := file.Source(p.Flag, settings.CommandPath(ctx.Selected()))
		switch {
		case err != nil || value == "":
		case source == settings.File:
			fromFile = append(fromFile, key+" "+value)
		case source == settings.FromDefault && p.Flag.Name == "base-url":
			lines = append(lines, fmt.Sprintf("note: %s of the run sets base-url %s", runlog.RunFile, value))
		}
	}
	if len(fromFile) > 0 {
		slices.Sort(fromFile)
		lines = append(lines, fmt.Sprintf("note: %s sets %s", settings.File, strings.Join(slices.Compact(fromFile), ", ")))
	}
	return lines
}
