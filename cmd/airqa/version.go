package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

type versionCmd struct {
	jsonFlag
}

// build is the output of airqa version.
type build struct {
	Version string `json:"version"`
	// Commit is "unknown" in a build without version control.
	Commit string `json:"commit"`
	// Modified reports whether files differed from the commit.
	Modified bool `json:"modified"`
	// Date is the time of the commit, in RFC 3339; "" if that is unknown.
	Date     string `json:"date"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// commit and date are set by -ldflags in releases, and where the sources come without version control, as in
// docker/Dockerfile.
var commit, date string

// buildOf reads the commit from the build information, which may be nil.
func buildOf(info *debug.BuildInfo) build {
	b := build{Version: version, Commit: cmp.Or(commit, "unknown"), Date: date, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "vcs.time":
			b.Date = s.Value
		}
	}
	return b
}

// String is the build on one line.
func (b build) String() string {
	commit := b.Commit
	if b.Modified {
		commit += " (modified)"
	}
	if day, _, _ := strings.Cut(b.Date, "T"); day != "" {
		commit += " of " + day
	}
	return fmt.Sprintf("%s, commit %s, %s %s", program, commit, b.Go, b.Platform)
}

func (c versionCmd) Run(a *app) error {
	info, _ := debug.ReadBuildInfo()
	b := buildOf(info)
	if c.JSON {
		return a.printJSON(b)
	}
	return a.print(b.String())
}
