package collect_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"airqa/bench"
	"airqa/bench/argscichat"
	"airqa/bench/argscichat/collect"
	"airqa/internal/testkit/browsertest"
)

// serverFolder is the variable that makes the test binary a server of the study in a folder.
const serverFolder = "AIRQA_TEST_DIALOGUE_SERVER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serverFolder); dir != "" {
		if err := serve(dir, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	participants = "name,code\nAda,ada-secret-1\nBen,ben-secret-2\n"
	paperList    = `[{"title": "Quiet Attention", "abstract": "Heads attend to nothing. We let a head stay quiet.", "introduction": "It saves 18 % of memory. A gate learns it. Gates <b onmouseover=window.hacked=1>open</b>."}]`
)

// study opens the study of a folder that has a file of participants and one of papers.
func study(dir string, now func() time.Time) (*collect.Study, error) {
	plan, err := collect.ReadPlan(filepath.Join(dir, "participants.csv"))
	if err != nil {
		return nil, err
	}
	if plan, err = plan.With("Ada", "Ben", "Quiet Attention"); err != nil {
		return nil, err
	}
	list, err := collect.ReadPapers(filepath.Join(dir, "papers.json"))
	if err != nil {
		return nil, err
	}
	limits := collect.Limits{MinTurns: 2, MaxTurns: 15, Message: 4 * time.Minute, Total: 20 * time.Minute, Notices: []time.Duration{15 * time.Minute, 19 * time.Minute}}
	return collect.Open(filepath.Join(dir, "study"), collect.Config{Plan: plan, Papers: list, Limits: limits, Now: now})
}

func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"participants.csv": participants, "papers.json": paperList} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// serve is the server process. It prints its address.
func serve(dir, listen string) error {
	s, err := study(dir, time.Now)
	if err != nil {
		return err
	}
	on, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", listen)
	if err != nil {
		return err
	}
	fmt.Println(on.Addr())
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	return collect.NewServer(collect.ServerConfig{Study: s, Host: "127.0.0.1", Log: log, Now: time.Now}).Serve(context.Background(), on)
}

// process is a server that can be killed and started again at the same address.
type process struct {
	t       *testing.T
	dir     string
	address string
	cmd     *exec.Cmd
}

func (p *process) start() {
	p.t.Helper()
	listen := p.address
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	p.cmd = exec.CommandContext(p.t.Context(), os.Args[0], listen)
	p.cmd.Env = append(os.Environ(), serverFolder+"="+p.dir)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	p.address = strings.TrimSpace(line)
}

// kill ends the server without a chance to finish anything.
func (p *process) kill() {
	if p.cmd != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		p.cmd = nil
	}
}

// person is a participant with a browser of their own.
type person struct {
	t       *testing.T
	ctx     context.Context
	mu      sync.Mutex
	console []string
}

func sit(t *testing.T) *person {
	t.Helper()
	p := &person{t: t}
	p.ctx = browsertest.Open(t, func(event any) {
		if e, ok := event.(*runtime.EventExceptionThrown); ok {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.console = append(p.console, e.ExceptionDetails.Error())
		}
	})
	return p
}

func (p *person) run(actions ...chromedp.Action) {
	p.t.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// holds waits until an expression is true in the page.
func (p *person) holds(expression string) {
	p.t.Helper()
	ok := false
	for range 1200 {
		if err := chromedp.Run(p.ctx, chromedp.Evaluate("!!("+expression+")", &ok)); err != nil && p.ctx.Err() != nil {
			p.t.Fatal(err)
		}
		if ok {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	var page string
	_ = chromedp.Run(p.ctx, chromedp.Evaluate("document.body.innerText", &page))
	p.t.Fatalf("not true: %s\n%s", expression, page)
}

func (p *person) enter(address, code string) {
	p.t.Helper()
	p.run(chromedp.Navigate("http://"+address+"/"), chromedp.SendKeys("#code", code), chromedp.Submit("#code"))
	p.holds(`document.querySelector("#live")?.dataset.state === "on"`)
	p.holds(`location.search === "" && document.querySelectorAll("h1").length === 1`)
}

func (p *person) types(text string) {
	p.t.Helper()
	p.run(chromedp.WaitVisible("#text"), chromedp.SendKeys("#text", text))
}

// sends presses the button and waits until the message is on the own page.
func (p *person) sends(n int) {
	p.t.Helper()
	p.run(chromedp.Click("#write button.main"))
	p.sees(n)
}

// sees waits for message n and checks that each message is there once.
func (p *person) sees(n int) {
	p.t.Helper()
	p.holds(fmt.Sprintf(`document.querySelector("#m%d") && document.querySelectorAll("article.said").length === %d`, n, n+1))
}

func (p *person) picks(sentences ...int) {
	p.t.Helper()
	for _, i := range sentences {
		p.run(chromedp.Click(fmt.Sprintf(`.sentence:has([value="%d"])`, i)))
	}
}

// Two people talk in two browsers. Reloads, a killed server, a lost connection and a repeated request lose nothing and
// double nothing.
func TestTwoBrowsers(t *testing.T) {
	ada, ben := sit(t), sit(t)
	server := &process{t: t, dir: folder(t)}
	server.start()
	t.Cleanup(server.kill)

	ada.enter(server.address, "ada-secret-1")
	ada.holds(`document.querySelector("main").textContent.includes("begins when the other person arrives")`)
	ben.enter(server.address, "ben-secret-2")
	ada.holds(`document.querySelector("#write") && !document.querySelector("#paper") && !document.body.textContent.includes("Heads attend")`)
	ben.holds(`document.querySelectorAll("#paper .sentence").length === 5 && !document.querySelector("#write") && document.querySelector("#turn")`)

	ada.types("What is it? <img src=x onerror=window.hacked=1>")
	ada.sends(0)
	ben.sees(0)
	answerOnce(ben)
	ada.sees(1)
	ada.holds(`[...document.querySelectorAll("#m1 blockquote")].map((q) => q.textContent).join("|") === "We let a head stay quiet.|A gate learns it."`)

	// A reload keeps the draft; a server that is killed and started again has every message, and the pages find it.
	ada.types("Half a question")
	ada.run(chromedp.Reload())
	ada.sees(1)
	ada.holds(`document.querySelector("#text").value === "Half a question"`)
	server.kill()
	ada.holds(`document.querySelector("#live").dataset.state === "off"`)
	ada.types(" and the rest?")
	ada.run(chromedp.Click("#write button.main"))
	ada.holds(`document.querySelector("#message").textContent.startsWith("Not connected")`)
	server.start()
	ada.sees(2)
	ben.sees(2)
	ada.holds(`document.querySelector("#m2 .words").textContent === "Half a question and the rest?"`)

	resend(ben)
	ada.sees(3)

	ada.types("Goodbye. Thank you!")
	ada.run(chromedp.Click(`#write input[name=final]`), offline(true), chromedp.Click("#write button.main"))
	ada.holds(`!navigator.onLine && document.querySelector("#message").textContent.startsWith("Not connected")`)
	ada.run(offline(false))
	ada.sees(4)
	ben.sees(4)
	ben.types("Goodbye!")
	ben.run(chromedp.Click("#write button.main"), chromedp.WaitVisible("#bare"), chromedp.Click(`#bare button[value=send]`))
	ben.sees(5)
	ada.sees(5)
	for _, p := range []*person{ada, ben} {
		p.holds(`document.querySelector("#ended") && !document.querySelector("#write") && window.hacked === undefined`)
		p.run(chromedp.Evaluate(`for (const s of document.querySelectorAll(".labels select")) s.value = "Ask_Info"`, nil), chromedp.Click(".labels button"))
		p.holds(`document.querySelector("#message").textContent === "The intents are stored."`)
		if p.mu.Lock(); len(p.console) > 0 {
			t.Errorf("console: %v", p.console)
		}
		p.mu.Unlock()
	}
	server.kill()
	checkStudy(t, filepath.Join(server.dir, "study"))
}

// answerOnce sends an answer with two rationales: one is removed, a third is refused, and a reload keeps them.
func answerOnce(ben *person) {
	ben.t.Helper()
	ben.types("A head that is quiet.")
	ben.picks(0, 1)
	ben.run(chromedp.Click("#chosen li:first-child button"))
	ben.holds(`document.querySelectorAll("#chosen li").length === 1`)
	ben.picks(3, 4)
	ben.holds(`document.querySelector("#message").textContent.startsWith("The maximum is two") && document.querySelectorAll("#chosen li").length === 2`)
	ben.run(chromedp.Reload())
	ben.holds(`document.querySelectorAll("#chosen li").length === 2 && document.querySelector("#text").value === "A head that is quiet."`)
	ben.sends(1)
}

// resend sends an answer whose response is lost: the page repeats it once the connection is back.
func resend(ben *person) {
	ben.t.Helper()
	ben.types("From a gate.")
	ben.picks(3)
	lost := `window.realFetch = window.fetch; window.lost = 0;
		window.fetch = async (...args) => { const reply = await window.realFetch(...args);
			if (args[0] === "/send" && window.lost++ === 0) throw new TypeError("lost"); return reply; }`
	ben.run(chromedp.Evaluate(lost, nil), chromedp.Click("#write button.main"))
	ben.holds(`window.lost === 2`)
	ben.sees(3)
}

// offline takes the connection of a browser, or gives it back.
func offline(off bool) chromedp.Action { return network.EmulateNetworkConditions(off, 0, -1, -1) }

// checkStudy exports what was stored and loads it.
func checkStudy(t *testing.T, dir string) {
	t.Helper()
	dialogues, err := collect.Load(dir)
	if err != nil || len(dialogues) != 1 {
		t.Fatalf("%d dialogues, %v", len(dialogues), err)
	}
	out := t.TempDir()
	if _, err := collect.Export(dialogues, out); err != nil {
		t.Fatal(err)
	}
	c, err := argscichat.Load(out, bench.Choice{})
	if err != nil || len(c.Faults) > 0 || len(c.Items) != 3 {
		t.Fatalf("%v, faults %v", err, c)
	}
	var got []string
	for _, item := range c.Items {
		got = append(got, item.Question, item.Gold.Answers[0].Text, strings.Join(item.Gold.Answers[0].Units, " "))
	}
	want := "What is it? <img src=x onerror=window.hacked=1>|A head that is quiet.|s2 s4|Half a question and the rest?|From a gate.|s4|Goodbye. Thank you!|Goodbye!|"
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("stored %q, want %q", text, want)
	}
	intents, faults, err := argscichat.LoadIntents(filepath.Join(out, "intents.csv"))
	if err != nil || len(faults) > 0 || len(intents) == 0 {
		t.Errorf("intents: %v, %v, %v", intents, faults, err)
	}
}
