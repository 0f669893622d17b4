// Package browsertest runs a headless Chromium for tests of web pages: [Open].
package browsertest

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"airqa/internal/testkit"

	"github.com/chromedp/chromedp"
)

// Open starts a browser that ends with the test, and calls listen with its events, from several goroutines. It is a
// long test ([testkit.Long]). Where no Chromium is installed, the test is skipped.
func Open(t *testing.T, listen func(event any)) context.Context {
	t.Helper()
	testkit.Long(t, "a browser")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {})) // events newer than the library
	t.Cleanup(cancel)
	chromedp.ListenTarget(ctx, listen)
	return ctx
}

func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is installed")
	return ""
}
