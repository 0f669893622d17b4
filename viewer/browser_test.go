package viewer_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"airqa/internal/testkit/browsertest"
	"airqa/internal/testkit/viewertest"
	"airqa/qa"
	"airqa/trace"
	"airqa/viewer"
)

// browser is a tab on a server that follows its runs.
type browser struct {
	t       *testing.T
	ctx     context.Context
	address string
	folder  string
	mu      sync.Mutex
	console []string
}

// browse starts a server and a browser. Without one, the test is skipped.
func browse(t *testing.T) *browser {
	t.Helper()
	b := &browser{t: t}
	b.ctx = browsertest.Open(t, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			b.console = append(b.console, fmt.Sprint(e.Type))
		case *runtime.EventExceptionThrown:
			b.console = append(b.console, e.ExceptionDetails.Error())
		}
	})
	b.folder = viewertest.Folder(t)
	b.serve()
	return b
}

func (b *browser) serve() {
	l, err := trace.Open(b.t.Context(), []string{b.folder}, trace.Choice{})
	if err != nil {
		b.t.Fatal(err)
	}
	on, err := (&net.ListenConfig{}).Listen(b.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	server := viewer.New(viewer.Config{Library: l, Host: "127.0.0.1", Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Author: "someone"})
	ctx, stop := context.WithCancel(context.WithoutCancel(b.t.Context()))
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, on) }()
	b.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			b.t.Error(err)
		}
	})
	b.address = strings.TrimSuffix(server.Address(on.Addr()), "/")
}

func (b *browser) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// holds waits until an expression is true in the page.
func (b *browser) holds(expression string) {
	b.t.Helper()
	ok := false
	for range 1200 {
		if err := chromedp.Run(b.ctx, chromedp.Evaluate("!!("+expression+")", &ok)); err != nil && b.ctx.Err() != nil {
			b.t.Fatal(err)
		}
		if ok {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Errorf("not true: %s", expression)
}

func (b *browser) open(target string) {
	b.t.Helper()
	b.run(chromedp.Navigate(b.address+target), chromedp.WaitReady("main"))
	b.ready()
}

// ready waits until the scripts of the page listen: a key that comes earlier is lost.
func (b *browser) ready() {
	b.t.Helper()
	b.holds(`document.querySelector("#live").dataset.state === "on"`)
}

// queued waits for the next answer of the triage.
func (b *browser) queued(progress string) {
	b.t.Helper()
	b.holds(`document.querySelector("h2#queue").textContent === "Triage: ` + progress + `"`)
	b.ready()
}

// quiet checks that no page wrote to the console and that no text became a script.
func (b *browser) quiet() {
	b.t.Helper()
	b.holds("window.hacked === undefined")
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.console) > 0 {
		b.t.Errorf("console: %v", b.console)
	}
}

var wrongPage = "/episode/alpha/" + url.PathEscape(viewertest.WrongID+"#0")

// Bars, rows and keys lead to questions, a filter changes the address, and nothing runs that a text contains.
func TestBrowser(t *testing.T) {
	b := browse(t)
	b.open("/")
	b.run(chromedp.Click(`#menu-status summary`), chromedp.Click(`#menu-status input[value=wrong]`))
	b.holds(`location.search === "?status=wrong"`)
	b.holds(`document.querySelector("#shown").textContent.includes("3 of 15")`)
	b.run(chromedp.Evaluate(`document.activeElement.blur(); document.body.click()`, nil), chromedp.KeyEvent("j"))
	b.holds(`document.activeElement.closest("table.list")`)
	b.run(chromedp.KeyEvent(kb.Enter))
	b.holds(`location.pathname.startsWith("/episode/alpha/")`)
	b.open(wrongPage)
	b.run(chromedp.KeyEvent("]"))
	b.holds(`document.activeElement.id === "step-1"`)
	b.run(chromedp.KeyEvent("l"))
	b.holds(`document.activeElement.id === "step-2"`)
	b.run(chromedp.KeyEvent("c"))
	b.holds(`document.activeElement.id === "note-text" && document.querySelector("#note-form select").value === "2"`)
	b.run(chromedp.KeyEvent("]?"))
	b.holds(`document.querySelector("#note-text").value.endsWith("]?") && !document.querySelector("#help").open`)
	b.run(chromedp.Evaluate(`document.activeElement.blur()`, nil), chromedp.KeyEvent("?"))
	b.holds(`document.querySelector("#help").open`)
	b.open(wrongPage)
	b.run(chromedp.KeyEvent("d"))
	b.holds(`location.pathname === "/diff" && document.querySelector("h2").textContent.startsWith("A: ")`)
	b.quiet()
}

// A wrong answer is labelled with one key.
func TestBrowserTriage(t *testing.T) {
	b := browse(t)
	b.open("/triage")
	b.run(chromedp.KeyEvent("7"))
	b.queued("1 of 3")
	b.holds(`document.querySelector(".choices .guess")`)
	b.run(chromedp.KeyEvent(kb.Enter))
	b.queued("2 of 3")
	b.run(chromedp.KeyEvent("u"))
	b.queued("1 of 3")
	b.quiet()
}

// A new step appears while the page keeps focus, scroll and open folds.
func TestBrowserLive(t *testing.T) {
	b := browse(t)
	b.open("/episode/alpha/" + url.PathEscape(viewertest.LiveID+"#0"))
	b.run(chromedp.Evaluate(`document.querySelector("#note-text").value = "half a comment"; document.querySelector("#step-1 details").open = true;
		document.querySelector("#note-text").focus(); scrollTo(0, 200); window.same = true`, nil))
	w, e := viewertest.Resume(t, filepath.Join(b.folder, "alpha"), viewertest.LiveID, 0)
	viewertest.Append(t, e, viewertest.Step(2, "[Action]: View(page_number=1)", &qa.Action{Name: "View", Text: "View(page_number=1)"}, &qa.Observation{Status: qa.StatusOK, Text: "the new step"}))
	b.holds(`document.querySelector("#step-2") && document.querySelector("#step-2").textContent.includes("the new step")`)
	b.holds(`window.same && document.activeElement.id === "note-text" && document.activeElement.value === "half a comment"`)
	b.holds(`document.querySelector("#step-1 details").open && scrollY === 200`)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b.quiet()
}

// Pages fit a phone, follow the colours of the system, and print without controls.
func TestBrowserMedia(t *testing.T) {
	b := browse(t)
	b.run(chromedp.EmulateViewport(400, 800))
	for _, target := range []string{"/", "/matrix", "/search?q=above", "/triage", wrongPage} {
		b.open(target)
		b.holds(`document.documentElement.scrollWidth <= 400`)
	}
	b.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	b.holds(`getComputedStyle(document.body).backgroundColor === "rgb(15, 18, 21)"`)
	b.run(chromedp.Click("#theme"))
	b.holds(`getComputedStyle(document.body).backgroundColor === "rgb(245, 246, 248)"`)
	b.run(emulation.SetEmulatedMedia().WithMedia("print"))
	b.holds(`getComputedStyle(document.querySelector("header.site")).display === "none"`)
	b.quiet()
}

// The browser's own search finds each text of an episode.
func TestBrowserFind(t *testing.T) {
	b := browse(t)
	b.open(wrongPage)
	b.run(chromedp.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true`, nil))
	for _, text := range []string{"Be exact", "as above", "I reason", "no such column", "a row of the result", "Page 2 of the paper", "row-1"} {
		b.holds(fmt.Sprintf(`getSelection().removeAllRanges() || window.find(%q)`, text))
	}
	b.quiet()
}
