// Command gotest runs "go test" with its arguments, prints its output, and then lists and counts the skipped tests with
// their reasons. With -allow FILE, a skip that no line of FILE allows is a failure:
//
//	go run ./internal/testkit/gotest -allow .ci/skips.txt -race ./...
//
// A line of FILE is a regular expression for "PACKAGE TEST: REASON"; lines that begin with # are comments. -allow may be
// given several times, before all other arguments. After these, -benchmarks also runs each benchmark once, on small data,
// with the test binary that is already built: go test -bench would run one package at a time.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(2)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	if len(args) > 1 && args[0] == benchmarksToo {
		return runBinary(args[1], args[2:])
	}
	allowed, args, err := allowedSkips(args)
	if err != nil {
		return 0, err
	}
	args, err = withBenchmarks(args)
	if err != nil {
		return 0, err
	}
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...) //nolint:gosec,noctx // a developer's own arguments; it ends with the tests
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	skips, readErr := follow(out, os.Stdout)
	var exit *exec.ExitError
	switch err := cmd.Wait(); {
	case errors.As(err, &exit):
		code = 1
	case err != nil:
		return 0, err
	}
	if forbidden := summarize(os.Stdout, skips, allowed); forbidden > 0 && len(allowed) > 0 {
		code = 1
	}
	return code, readErr
}

// allowedSkips reads the files of -allow at the beginning of args, and returns the other arguments.
func allowedSkips(args []string) (allowed []*regexp.Regexp, rest []string, err error) {
	for len(args) > 1 && args[0] == "-allow" {
		list, err := readAllowed(args[1])
		if err != nil {
			return nil, nil, err
		}
		allowed, args = append(allowed, list...), args[2:]
	}
	return allowed, args, nil
}

// readAllowed reads the lines of a file as regular expressions.
func readAllowed(path string) ([]*regexp.Regexp, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []*regexp.Regexp
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		expr, err := regexp.Compile(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, expr)
	}
	return list, nil
}

// withBenchmarks makes go test start this program in place of test binaries if args begin with -benchmarks.
func withBenchmarks(args []string) ([]string, error) {
	if len(args) == 0 || args[0] != "-benchmarks" {
		return args, nil
	}
	self, err := os.Executable()
	return append([]string{"-exec", self + " " + benchmarksToo}, args[1:]...), err
}

// benchmarksToo is the first argument if go test starts this program in place of a test binary.
const benchmarksToo = "-benchmarks-too"

// runBinary runs a test binary, and then its benchmarks. These print only if they fail.
func runBinary(binary string, args []string) (code int, err error) {
	tests := exec.Command(binary, args...) //nolint:gosec,noctx // built by go test, which ends it
	tests.Stdout, tests.Stderr = os.Stdout, os.Stderr
	if err := tests.Run(); err != nil {
		return exitCode(err)
	}
	if found, err := hasBenchmarks("."); err != nil || !found {
		return 0, err
	}
	once := []string{"-test.run=^$", "-test.bench=.", "-test.benchtime=1x", "-test.short", "-test.paniconexit0"}
	for _, arg := range args {
		if strings.HasPrefix(arg, "-test.timeout=") {
			once = append(once, arg)
		}
	}
	benchmarks := exec.Command(binary, once...)                                                            //nolint:gosec,noctx // like the tests
	benchmarks.Env = append(os.Environ(), "AIRQA_TEST_LONG=", "AIRQA_TEST_PDFS=", "AIRQA_TEST_HARD_PDFS=") // small data
	out, err := benchmarks.CombinedOutput()
	if err != nil {
		_, _ = fmt.Printf("%s", out)
	}
	return exitCode(err)
}

// exitCode is the exit code of a command that returned err.
func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return 1, nil
	}
	return 0, err
}

// hasBenchmarks reports whether a test file in dir declares a benchmark.
func hasBenchmarks(dir string) (bool, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return false, err
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			return false, err
		}
		if bytes.Contains(raw, []byte("\nfunc Benchmark")) {
			return true, nil
		}
	}
	return false, nil
}

// event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
}

// skip is a skipped test.
type skip struct{ test, reason string }

func (s skip) String() string { return s.test + ": " + s.reason }

// follow prints the output of packages and of failed tests, like go test without -v, and returns the skipped tests.
func follow(events io.Reader, out io.Writer) ([]skip, error) {
	var skips []skip
	output := make(map[string][]string) // of tests that have not ended
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return skips, nil
		}
		if err != nil {
			return skips, err
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			_, _ = out.Write(line) // go test prints some errors as plain text
			continue
		}
		if s := e.apply(output, out); s != nil {
			skips = append(skips, *s)
		}
	}
}

// apply prints or stores the output of an event.
func (e event) apply(output map[string][]string, out io.Writer) *skip {
	name := e.Package + " " + e.Test
	switch {
	case e.Action == "build-output" || e.Action == "output" && e.Test == "":
		if e.Output != "PASS\n" {
			show(out, e.Output)
		}
	case e.Action == "output":
		output[name] = append(output[name], e.Output)
	case e.Test == "":
	case e.Action == "fail":
		show(out, output[name]...)
		delete(output, name)
	case e.Action == "skip":
		defer delete(output, name)
		return &skip{name, reason(output[name])}
	case e.Action == "pass":
		delete(output, name)
	}
	return nil
}

// show prints lines except those that announce a test.
func show(out io.Writer, lines ...string) {
	for _, line := range lines {
		if !strings.HasPrefix(line, "=== ") {
			_, _ = io.WriteString(out, line)
		}
	}
}

// reason is the output of a skipped test.
func reason(lines []string) string {
	var said []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			said = append(said, line)
		}
	}
	return strings.Join(said, " ")
}

// summarize lists the skipped tests and counts those that are not allowed.
func summarize(out io.Writer, skips []skip, allowed []*regexp.Regexp) (forbidden int) {
	_, _ = fmt.Fprintf(out, "%d tests skipped\n", len(skips))
	for _, s := range skips {
		mark := ""
		if len(allowed) > 0 && !slices.ContainsFunc(allowed, func(r *regexp.Regexp) bool { return r.MatchString(s.String()) }) {
			mark = "  <- not in the list of allowed skips"
			forbidden++
		}
		_, _ = fmt.Fprintf(out, "  %s%s\n", s, mark)
	}
	return forbidden
}
