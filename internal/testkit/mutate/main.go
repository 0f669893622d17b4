// Mutate measures whether tests detect wrong code: it changes one place of a package, runs the package's tests, and
// counts the changes that make them fail. Run it from the root of the module:
//
//	go run ./internal/testkit/mutate -n 20 -seed 1 ./agent ./run
//
// Seed and package determine the sample, so two runs of one tree try the same changes. Files are not modified: a change
// is passed to go test as an overlay. Changes that do not compile are replaced by the next in the sample. The exit code
// is 1 if fewer than -min percent of all changes are detected.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// config is the command line.
type config struct {
	n       int
	seed    uint64
	least   float64
	timeout time.Duration
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var c config
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.IntVar(&c.n, "n", 20, "changes per package")
	flags.Uint64Var(&c.seed, "seed", 1, "seed of the sample")
	flags.Float64Var(&c.least, "min", 85, "percentage of changes that tests must notice")
	flags.DurationVar(&c.timeout, "timeout", time.Minute, "least time limit of one package's tests; a change that exceeds it counts as noticed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	killed, tried := 0, 0
	for _, dir := range flags.Args() {
		k, n, err := c.measure(ctx, dir, out)
		if err != nil {
			return err
		}
		killed, tried = killed+k, tried+n
	}
	if tried == 0 {
		return fmt.Errorf("no change was tried; name packages as folders, such as ./agent")
	}
	percent := 100 * float64(killed) / float64(tried)
	if _, err := fmt.Fprintf(out, "all packages: %d of %d noticed (%.1f%%)\n", killed, tried, percent); err != nil {
		return err
	}
	if percent < c.least {
		return fmt.Errorf("%.1f%% is below the required %.1f%%", percent, c.least)
	}
	return nil
}

// measure tries the sample of one package and prints the undetected changes.
func (c config) measure(ctx context.Context, dir string, out io.Writer) (killed, tried int, err error) {
	sites, err := sitesIn(dir)
	if err != nil {
		return 0, 0, err
	}
	whole, start := c, time.Now()
	whole.timeout *= 10
	if outcome, err := whole.try(ctx, dir, nil); err != nil || outcome != survived {
		return 0, 0, fmt.Errorf("%s: the tests fail without any change (%w)", dir, err)
	}
	c.timeout = max(c.timeout, 3*time.Since(start)) // a slow machine must not count as detection
	for _, s := range shuffled(sites, c.seed, dir) {
		if tried == c.n {
			break
		}
		outcome, err := c.try(ctx, dir, &s)
		if err != nil {
			return killed, tried, err
		}
		switch outcome {
		case noticed:
			killed, tried = killed+1, tried+1
		case survived:
			tried++
			if _, err := fmt.Fprintf(out, "  survived %s\n", s); err != nil {
				return killed, tried, err
			}
		}
	}
	_, err = fmt.Fprintf(out, "%s: %d of %d noticed\n", dir, killed, tried)
	return killed, tried, err
}
