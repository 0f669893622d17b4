package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"airqa/env/paperdb/sandbox"
)

const name = "airqa-test-worker"

func TestMain(m *testing.M) {
	sandbox.Main(name, open)
	if os.Getenv(asParent) != "" {
		os.Exit(parent())
	}
	os.Exit(m.Run())
}

// open makes the handler of the test's workers. The first word of a request selects the behaviour.
func open(setup []byte) (sandbox.Handler, error) {
	switch string(setup) {
	case "refuse":
		return nil, errors.New("open it: no such thing")
	case "die":
		os.Exit(7)
	case "hang":
		select {}
	}
	served := 0
	return func(request []byte) ([]byte, bool) {
		served++
		word, rest, _ := strings.Cut(string(request), " ")
		return []byte(do(word, rest, served)), word != "last"
	}, nil
}

func do(word, rest string, served int) string {
	switch word {
	case "echo", "last":
		return rest
	case "served":
		return fmt.Sprint(served)
	case "pid":
		return fmt.Sprint(os.Getpid())
	case "env":
		return strings.Join(os.Environ(), " ")
	case "exit":
		os.Exit(3)
	case "panic":
		panic("on purpose")
	case "huge":
		return strings.Repeat("x", 65<<20)
	case "eat":
		eat()
	case "spin":
		for {
			runtime.Gosched()
		}
	case "chatter":
		_, _ = os.Stdout.WriteString("a line that is no message\n")
	case "create":
		return create()
	}
	return system(word + " " + rest)
}

func create() string {
	f, err := os.CreateTemp("", "airqa-worker-test-")
	if err != nil {
		return err.Error()
	}
	_, err = f.WriteString("x")
	return fmt.Sprint(err, f.Close(), os.Remove(f.Name()))
}

// eat allocates all available memory.
func eat() {
	var eaten [][]byte
	for {
		piece := make([]byte, 64<<20)
		for i := 0; i < len(piece); i += 4096 {
			piece[i] = 1
		}
		eaten = append(eaten, piece)
		if len(eaten) > 1<<10 {
			return // 64 GiB: there was no limit
		}
	}
}

func pool(t *testing.T, cfg sandbox.Config) *sandbox.Pool {
	t.Helper()
	cfg.Name = name
	p := sandbox.New(cfg)
	t.Cleanup(p.Close)
	return p
}

func call(t *testing.T, p *sandbox.Pool, request string) string {
	t.Helper()
	reply, err := p.Call(t.Context(), 30*time.Second, []byte(request))
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	return string(reply)
}
