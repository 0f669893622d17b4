package shard_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"airqa/internal/terminal"
	"airqa/run/shard"

	"github.com/google/go-cmp/cmp"
)

// modelServer has the test program be a model server on the port of its last argument: it is ready after its value, and
// ends at once if that is no duration.
const modelServer = "AIRQA_TEST_MODEL_SERVER"

func TestMain(m *testing.M) {
	text := os.Getenv(modelServer)
	if text == "" {
		os.Exit(m.Run())
	}
	startup, err := time.ParseDuration(text)
	if err != nil {
		fmt.Println("CUDA out of memory")
		os.Exit(1)
	}
	ready := time.Now().Add(startup)
	http.HandleFunc("/health", func(w http.ResponseWriter, _ *http.Request) {
		if time.Now().Before(ready) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	fmt.Println("listening")
	server := http.Server{Addr: "127.0.0.1:" + os.Args[len(os.Args)-1], ReadHeaderTimeout: time.Second}
	fmt.Println(server.ListenAndServe())
}

// task is a job script with programs beside it.
type task struct {
	t   *testing.T
	dir string
}

// newTask has an airqa of sh lines; scontrol notes its calls.
func newTask(t *testing.T, s shard.Slurm, airqa string) task {
	t.Helper()
	script, err := s.Script()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"job.sh": script, "airqa": "#!/bin/bash\necho \"$@\" >> airqa.calls\n" + airqa + "\n", "scontrol": "#!/bin/sh\necho \"$@\" >> scontrol.calls\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	return task{t, dir}
}

// start starts the task in a process group of its own, as one start of an array task.
func (k task) start(restart int, env ...string) (*exec.Cmd, *strings.Builder) {
	k.t.Helper()
	c := exec.CommandContext(k.t.Context(), "bash", filepath.Join(k.dir, "job.sh"))
	log := &strings.Builder{}
	c.Dir, c.Stdout, c.Stderr, c.SysProcAttr = k.dir, log, log, &syscall.SysProcAttr{Setpgid: true}
	c.Env = append([]string{
		"PATH=" + k.dir + ":" + os.Getenv("PATH"), "HOME=" + k.dir, "SLURM_ARRAY_TASK_ID=3", "SLURM_ARRAY_JOB_ID=77", "SLURM_JOB_ID=77",
		"SLURM_JOB_NAME=airqa", "SLURMD_NODENAME=node7", fmt.Sprint("SLURM_RESTART_COUNT=", restart),
	}, env...)
	if err := c.Start(); err != nil {
		k.t.Fatal(err)
	}
	return c, log
}

// text is a file of the task, "" without it.
func (k task) text(name string) string {
	raw, _ := os.ReadFile(filepath.Join(k.dir, name))
	return string(raw)
}

// await waits for a file that a program writes.
func (k task) await(name string) {
	k.t.Helper()
	for range 500 {
		if k.text(name) != "" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	k.t.Fatalf("no %s", name)
}

// Each start of a task ends with an exit code. It is queued again unless that does not help, and the log says why not.
func TestSlurmRestarts(t *testing.T) {
	tests := []struct {
		name     string
		command  shard.Command
		restarts int
		exits    []int // of airqa, a start each
		codes    []int // of the task
		requeued int
		log      string
	}{
		{"done", shard.Run, 20, []int{0}, []int{0}, 0, ""},
		{"wrong use", shard.Run, 20, []int{2}, []int{2}, 0, "node7: failed: exit code 2"},
		{"budget", shard.Run, 20, []int{4}, []int{4}, 0, "failed: exit code 4"},
		{"no program", shard.Run, 20, []int{127}, []int{127}, 0, "failed: exit code 127"},
		{"no permission", shard.Ingest, 20, []int{126}, []int{126}, 0, "failed: exit code 126"},
		{"failed questions", shard.Run, 20, []int{3, 3}, []int{3, 3}, 1, "node7: gave up: exit code 3, failure 2"},
		{"failed questions, then done", shard.Run, 20, []int{3, 0}, []int{3, 0}, 1, "queued again"},
		{"bad papers", shard.Ingest, 20, []int{3}, []int{0}, 0, "papers listed above"},
		{"killed, then done", shard.Run, 20, []int{137, 1, 0}, []int{137, 1, 0}, 2, ""},
		{"too often", shard.Run, 2, []int{1, 137, 130}, []int{1, 137, 1}, 2, "node7: gave up: exit code 130, failure 3 with 2 restarts allowed"},
		{"never again", shard.Import, 0, []int{1}, []int{1}, 0, "gave up"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := slurm()
			s.Command, s.Restarts = tt.command, tt.restarts
			k := newTask(t, s, `exit "$(cat exit)"`)
			var log string
			for i, exit := range tt.exits {
				if err := os.WriteFile(filepath.Join(k.dir, "exit"), fmt.Append(nil, exit), 0o600); err != nil {
					t.Fatal(err)
				}
				c, text := k.start(30 + i) // earlier restarts were preemptions
				_ = c.Wait()
				if code := c.ProcessState.ExitCode(); code != tt.codes[i] {
					t.Errorf("start %d: exit code %d, want %d\n%s", i, code, tt.codes[i], text)
				}
				log += text.String()
			}
			if got, want := k.text("scontrol.calls"), strings.Repeat("requeue 77_3\n", tt.requeued); got != want || !strings.Contains(log, tt.log) {
				t.Errorf("scontrol got %q, want %q; want %q in\n%s", got, want, tt.log, log)
			}
		})
	}
}

// Arguments arrive as given.
func TestSlurmArguments(t *testing.T) {
	k := newTask(t, slurm(), `printf '%s\n' "$@" > args`)
	c, log := k.start(0)
	if err := c.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	want := slices.Concat([]string{"run"}, odd, []string{"--shard", "3/16", "--out", "runs/the run's-shards/3-of-16"})
	if diff := cmp.Diff(want, strings.Split(strings.TrimSuffix(k.text("args"), "\n"), "\n")); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

// Without a place for the count of failures, the restarts are counted.
func TestSlurmCountOnFullDisk(t *testing.T) {
	s := slurm()
	s.Out = "taken/run" // a file where the folder should be
	k := newTask(t, s, "exit 1")
	if err := os.WriteFile(filepath.Join(k.dir, "taken"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, restart := range []int{0, 19, 20} {
		c, log := k.start(restart)
		_ = c.Wait()
		if n := strings.Count(k.text("scontrol.calls"), "requeue 77_3\n"); n != min(restart, 1)+1 {
			t.Errorf("restart %d: queued again %d times\n%s", restart, n, log)
		}
	}
}

// The time limit is announced to the script, which passes it on, once; the other signals come from Slurm to all processes.
func TestSlurmSignals(t *testing.T) {
	const usr1, term, hup, interrupt = syscall.SIGUSR1, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT
	tests := []struct {
		name     string
		script   []syscall.Signal // to the script alone
		group    []syscall.Signal // to all
		want     string           // what airqa gets
		requeued bool
	}{
		{"time limit", []syscall.Signal{usr1}, nil, "usr1", true},
		{"time limit, twice", []syscall.Signal{usr1, usr1}, nil, "usr1", true},
		{"cancelled", nil, []syscall.Signal{term}, "term", false},
		{"cancelled in the notice", []syscall.Signal{usr1}, []syscall.Signal{term}, "usr1 term", false},
		{"the time limit itself", append([]syscall.Signal{usr1}, make([]syscall.Signal, 21)...), []syscall.Signal{term}, "usr1 term", true},
		{"only the script receives it", []syscall.Signal{term}, nil, "", false},
		{"hung up", []syscall.Signal{hup}, nil, "", false},
		{"interrupted", []syscall.Signal{interrupt}, nil, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newTask(t, slurm(), `trap 'echo term >> signals; end=1' TERM
trap 'echo usr1 >> signals; end=1' USR1
echo > started
for _ in {1..60}; do sleep 0.05; done
exit "${end:+130}"`)
			script := strings.Replace(k.text("job.sh"), "-ge 300", "-ge 2", 1) // seconds from the notice to the limit
			if err := os.WriteFile(filepath.Join(k.dir, "job.sh"), []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			c, log := k.start(0)
			k.await("started")
			for _, s := range tt.script {
				_ = c.Process.Signal(s)
				time.Sleep(100 * time.Millisecond)
			}
			for _, s := range tt.group {
				_ = syscall.Kill(-c.Process.Pid, s)
			}
			_ = c.Wait()
			if got := strings.Join(strings.Fields(k.text("signals")), " "); got != tt.want || (k.text("scontrol.calls") != "") != tt.requeued {
				t.Errorf("airqa got %q, want %q; scontrol got %q\n%s", got, tt.want, k.text("scontrol.calls"), log)
			}
			if counted := k.text("runs/the run's-shards/.3-of-16.failures") != ""; counted != (tt.name == "the time limit itself") {
				t.Errorf("counted as a failure: %t\n%s", counted, log)
			}
		})
	}
}

// Values of the key file arrive as they are written; what is no line of it is refused without its text.
func TestSlurmKeys(t *testing.T) {
	const value = `sk-a$HOME&b|c;"d" 'e'  \f=g?h#i *  `
	tests := []struct {
		name, file string
		code       int
	}{
		{"as written", "# keys\r\n\nOPENAI_API_KEY=" + value + "\nAIRQA_VECTORS=milvus://u:p@h:1/d?a=b_&c=2m", 0},
		{"end of line of Windows", "OPENAI_API_KEY=" + value + "\r\nAIRQA_VECTORS=milvus://u:p@h:1/d?a=b_&c=2m\r\n", 0},
		{"export", "export OPENAI_API_KEY=sk-secret\n", 2},
		{"spaces", "OPENAI_API_KEY =sk-secret\n", 2},
		{"a command", "touch harm\n", 2},
		{"an expansion", "A$(touch harm)=sk-secret\n", 2},
		{"an index", "a[$(touch harm)]=sk-secret\n", 2},
		{"a digit", "1A=sk-secret\n", 2},
		{"a constant of bash", "UID=sk-secret\n", 2},
		{"no file", "", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := slurm()
			s.Keys = "my keys' $file.env"
			k := newTask(t, s, `printf '%s|%s' "$OPENAI_API_KEY" "$AIRQA_VECTORS" > got`)
			if tt.file != "" {
				if err := os.WriteFile(filepath.Join(k.dir, s.Keys), []byte(tt.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c, log := k.start(0)
			_ = c.Wait()
			want := ""
			if tt.code == 0 {
				want = value + "|milvus://u:p@h:1/d?a=b_&c=2m"
			}
			if c.ProcessState.ExitCode() != tt.code || k.text("got") != want {
				t.Errorf("exit code %d, %q, want %q\n%s", c.ProcessState.ExitCode(), k.text("got"), want, log)
			}
			if _, err := os.Stat(filepath.Join(k.dir, "harm")); err == nil || strings.Contains(log.String(), "sk-secret") {
				t.Errorf("a command was run, or a key printed:\n%s", log)
			}
		})
	}
}

// The set-up lines run first, in the shell of the program.
func TestSlurmSetup(t *testing.T) {
	for name, c := range map[string]struct {
		setup []string
		code  int
		calls bool
	}{
		"used":          {[]string{"export COLOUR='dark red'", "shade() { echo x; } # a function"}, 0, true},
		"fails":         {[]string{"false"}, 1, false},
		"not installed": {[]string{"modul load cuda"}, 127, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := slurm()
			s.Setup, s.Restarts = c.setup, 0
			k := newTask(t, s, `[ "$COLOUR" = "dark red" ]`)
			p, log := k.start(0)
			_ = p.Wait()
			if p.ProcessState.ExitCode() != c.code || (k.text("airqa.calls") != "") != c.calls {
				t.Errorf("exit code %d, want %d\n%s", p.ProcessState.ExitCode(), c.code, log)
			}
		})
	}
}

// The model server is awaited, used and stopped, however the task ends.
func TestSlurmServer(t *testing.T) {
	const work = `trap 'exit 130' TERM USR1
for arg; do case $arg in http://*) (exec 3<> "/dev/tcp/127.0.0.1/$(sed 's/.*:\([0-9]*\).*/\1/' <<< "$arg")") && echo up > up;; esac; done
echo "$$" > started
for _ in $(seq "$(cat length)"); do sleep 0.05; done`
	tests := []struct {
		name, startup string
		args          []string
		limit         time.Duration
		length        int // of the work, in 50 ms
		signal        syscall.Signal
		early         bool // the signal comes before the server is ready
		code          int
		up            bool
		requeued      bool
		log           string
	}{
		{"slow to start", "2s", nil, time.Minute, 1, 0, false, 0, true, false, "starting the model server"},
		{"a place for the port", "10ms", []string{"--base-url", "http://127.0.0.1:{port}/other"}, time.Minute, 1, 0, false, 0, true, false, ""},
		{"never ready", "1h", nil, time.Second, 1, 0, false, 1, false, true, "not ready after 1 s; the end of its log:\nlistening"},
		{"ends", "broken", nil, time.Minute, 1, 0, false, 1, false, true, "the model server ended; the end of its log:\nCUDA out of memory"},
		{"time limit", "10ms", nil, time.Minute, 1000, syscall.SIGUSR1, false, 130, true, true, "queued again"},
		{"cancelled", "10ms", nil, time.Minute, 20, syscall.SIGTERM, false, 0, true, false, "stopped by a signal"},
		{"cancelled early", "1h", nil, time.Minute, 1, syscall.SIGTERM, true, 1, false, false, "stopped by a signal"},
		{"time limit early", "1h", nil, time.Minute, 1, syscall.SIGUSR1, true, 1, false, true, "queued again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := slurm()
			s.Args, s.Startup, s.Serve = tt.args, tt.limit, terminal.ShellWord(os.Args[0])+` "a b" {port}`
			k := newTask(t, s, work)
			if err := os.WriteFile(filepath.Join(k.dir, "length"), fmt.Append(nil, tt.length), 0o600); err != nil {
				t.Fatal(err)
			}
			c, log := k.start(0, modelServer+"="+tt.startup)
			if tt.signal != 0 {
				k.await(map[bool]string{true: "airqa-77_3.server.log", false: "started"}[tt.early])
				_ = c.Process.Signal(tt.signal)
			}
			_ = c.Wait()
			if code := c.ProcessState.ExitCode(); code != tt.code || (k.text("up") != "") != tt.up || (k.text("scontrol.calls") != "") != tt.requeued ||
				!strings.Contains(log.String(), tt.log) {
				t.Errorf("exit code %d, want %d; up %q; scontrol got %q\n%s", code, tt.code, k.text("up"), k.text("scontrol.calls"), log)
			}
			if tt.args != nil && !strings.Contains(k.text("airqa.calls"), "/other") || tt.up && !strings.Contains(k.text("airqa.calls"), "http://127.0.0.1:2") &&
				!strings.Contains(k.text("airqa.calls"), "http://127.0.0.1:3") {
				t.Error(k.text("airqa.calls"))
			}
			port := between(log.String(), "on port ", ";")
			if out, _ := exec.CommandContext(t.Context(), "bash", "-c", "exec 3<> /dev/tcp/127.0.0.1/"+port).CombinedOutput(); !strings.Contains(string(out), "refused") {
				t.Errorf("the server still listens on %s: %s", port, out)
			}
		})
	}
}

func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}
