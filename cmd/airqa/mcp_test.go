package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
)

// Both eras of MCP work on one path, and two clients of one address share the episode.
func TestServedMCP(t *testing.T) {
	t.Parallel()
	w := serving(t, "")
	ex := w.plan.Picked[0]
	var opened struct {
		Episode string
		URL     string
		MCP     string `json:"mcp_url"`
	}
	w.get(t, "POST", "/episodes", fmt.Sprintf(`{"question_id":%q}`, ex.UUID), &opened)
	id := opened.Episode
	if opened.URL != w.URL+"/e/"+id {
		t.Errorf("the address is %s", opened.URL)
	}
	for range 2 {
		client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		s, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: opened.MCP}, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkTools(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	var state map[string]any
	w.get(t, "GET", "/e/"+id, "", &state)
	if state["step_count"] != 6.0 {
		t.Errorf("two clients made %v steps", state["step_count"])
	}
	modern := []string{
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream",
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "Answer", "X-Airqa-Episode", id,
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Answer","arguments":%s,"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, answerOf(string(w.gold[ex.UUID])))
	if code, text := w.send(t, "POST", "/mcp", body, modern...); code != http.StatusOK || !strings.Contains(text, `"resultType":"complete"`) {
		t.Errorf("a call without a session: %d %s", code, text)
	}
	var e ended
	w.get(t, "GET", "/episodes/"+id, "", &e)
	if e.End == nil || *e.End.Reward != 1 {
		t.Errorf("%+v", e)
	}
	modern[len(modern)-1] = "none"
	if code, _ := w.send(t, "POST", "/mcp", body, modern...); code == http.StatusOK {
		t.Error("an episode that does not exist was served")
	}
}

// checkTools calls three tools through a client: a query, a page, and a mistake.
func checkTools(t *testing.T, s *sdk.ClientSession) {
	t.Helper()
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 4 {
		t.Fatalf("tools: %v, %v", list, err)
	}
	call := func(name string, args map[string]any) *sdk.CallToolResult {
		t.Helper()
		got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	rows := call("Query", map[string]any{"sql": "SELECT paper_id FROM metadata ORDER BY paper_id LIMIT 1"})
	text := rows.Content[0].(*sdk.TextContent).Text
	page := call("View", map[string]any{"paper_id": between(text, `: "`, `"`), "page_number": 1})
	if im, ok := page.Content[len(page.Content)-1].(*sdk.ImageContent); !ok || !bytes.HasPrefix(im.Data, []byte("\x89PNG")) {
		t.Errorf("View: %v", page.Content)
	}
	if wrong := call("Query", map[string]any{"sql": "SELECT FROM"}); !wrong.IsError {
		t.Errorf("bad SQL: %v", wrong)
	}
	if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "Dance"}); err == nil {
		t.Error("an unknown tool was called")
	}
}

// An assistant starts airqa mcp as its child.
func TestMCP(t *testing.T) {
	t.Parallel()
	data := ingested(t)
	program := exec.CommandContext(t.Context(), os.Args[0], "mcp", "-d", data)
	program.Env = append(os.Environ(), asProgram+"=1")
	client := sdk.NewClient(&sdk.Implementation{Name: "assistant", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: program}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkTools(t, s)
	papers, err := s.ListResources(t.Context(), nil)
	if err != nil || len(papers.Resources) != 6 {
		t.Fatalf("papers: %v, %v", papers, err)
	}
	paper, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: papers.Resources[0].URI})
	if err != nil || len(paper.Contents[0].Text) < 1000 {
		t.Errorf("a paper: %v, %v", paper, err)
	}
	for _, id := range []string{"../../etc/passwd", "nope", "", "00000000-0000-0000-0000-000000000000", strings.ToUpper(filepath.Base(papers.Resources[0].URI)) + "0"} {
		_, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "airqa://paper/" + id})
		if wrong, ok := errors.AsType[*jsonrpc.Error](err); !ok || wrong.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%q was read: %v", id, err)
		}
	}
	prompt, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "airqa"})
	if err != nil || !strings.Contains(prompt.Messages[0].Content.(*sdk.TextContent).Text, "CREATE TABLE") {
		t.Errorf("the prompt: %v, %v", prompt, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Over HTTP, with the tools of another baseline.
func TestMCPListen(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	program, address := startServer(ctx, t, nil, "mcp", "-d", ingested(t), "--listen", "127.0.0.1:0", "--baseline", "agentic-rag", "--call-timeout", "5s")
	defer func() {
		cancel()
		_ = program.Wait() // it was killed
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "assistant", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: address}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 {
		t.Errorf("tools: %v, %v", list, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// One question over standard input and output is an ordinary run.
func TestMCPQuestion(t *testing.T) {
	t.Parallel()
	out, questions := filepath.Join(t.TempDir(), "run"), sampleQuestions(t, 3)
	examples, _, err := dataset.Load(questions)
	if err != nil {
		t.Fatal(err)
	}
	program := exec.CommandContext(t.Context(), os.Args[0], "mcp", "--data", ingested(t), "--questions", questions, "--question", examples[0].UUID[:8], "--out", out, "--judge", "none",
		"--scoring", "fixed", "--max-answer", "9999")
	program.Env = append(os.Environ(), asProgram+"=1")
	s, err := sdk.NewClient(&sdk.Implementation{Name: "assistant", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: program}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkTools(t, s)
	var gold any
	if err := json.Unmarshal(goldAnswers(t)[examples[0].UUID], &gold); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "Answer", Arguments: map[string]any{"answer": gold}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	r, err := runlog.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := r.Episode(examples[0].UUID, 0)
	if err != nil || rec.Outcome != qa.Answered || len(rec.Steps) != 4 {
		t.Errorf("outcome %q with %d steps, %v", rec.Outcome, len(rec.Steps), err)
	}
}
