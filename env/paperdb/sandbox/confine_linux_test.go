package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"airqa/env/paperdb/sandbox"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// system answers requests that only Linux supports.
func system(request string) string {
	word, rest, _ := strings.Cut(request, " ")
	switch word {
	case "read":
		_, err := os.ReadFile(rest)
		return fmt.Sprint(err)
	case "run":
		return fmt.Sprint(exec.CommandContext(context.Background(), rest).Run())
	case "dial":
		_, err := new(net.Dialer).DialContext(context.Background(), "tcp", rest)
		return fmt.Sprint(err)
	case "threads":
		return fmt.Sprint(noNewPrivs())
	case "files":
		return openFiles()
	case "limits":
		return limits()
	case "group":
		return fmt.Sprint(syscall.Getpgrp() == os.Getpid())
	}
	return "unknown request " + word
}

// noNewPrivs returns the minimum of the flag over several threads.
func noNewPrivs() int {
	least := 1
	var threads sync.WaitGroup
	for range 8 {
		threads.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			value, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
			if err != nil || value == 0 {
				least = 0
			}
		})
	}
	threads.Wait()
	return least
}

// openFiles names the open files other than the pipes and the runtime's own.
func openFiles() string {
	var names []string
	for fd := 3; fd < 256; fd++ { // listing the folder is not allowed
		target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err == nil && !strings.HasPrefix(target, "anon_inode:") && !strings.HasSuffix(target, "/statm") && !strings.HasPrefix(filepath.Base(target), "cpu.") {
			names = append(names, target)
		}
	}
	return strings.Join(names, " ")
}

func limits() string {
	var parts []string
	for _, resource := range []int{syscall.RLIMIT_FSIZE, syscall.RLIMIT_CORE, syscall.RLIMIT_NOFILE} {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(resource, &limit); err != nil {
			return err.Error()
		}
		parts = append(parts, fmt.Sprint(limit.Cur, "/", limit.Max))
	}
	return strings.Join(parts, " ")
}

func TestConfinement(t *testing.T) {
	t.Setenv("AIRQA_SECRET", "a key")
	inherited(t)
	p := pool(t, sandbox.Config{})
	for request, want := range map[string]string{
		"env": "", "files": "", "limits": "0/0 0/0 32/32", "group": "true",
	} {
		if diff := cmp.Diff(want, call(t, p, request)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", request, diff)
		}
	}
	if got := call(t, p, "create"); !strings.Contains(got, "file too large") && !strings.Contains(got, "permission denied") {
		t.Errorf("writing a file: %s", got)
	}
}

// inherited leaks a file to every child of this process, as a careless program might.
func inherited(t *testing.T) {
	t.Helper()
	fd, err := syscall.Open("/etc/passwd", syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
}

func TestMemoryLimit(t *testing.T) {
	p := pool(t, sandbox.Config{Max: 1})
	_, err := p.Call(t.Context(), time.Minute, []byte("eat"))
	var died *sandbox.Died
	if !errors.As(err, &died) || !died.Memory {
		t.Errorf("got %v", err)
	}
	call(t, p, "echo x")
}

// No thread of a worker can open files or connections or gain privileges.
func TestSealed(t *testing.T) {
	server, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	p := pool(t, sandbox.Config{})
	if got := call(t, p, "threads NoNewPrivs"); got != "1" {
		t.Errorf("no_new_privs is %s", got)
	}
	want := map[string]string{"read /etc/passwd": "permission denied", "read /proc/self/environ": "permission denied", "run /bin/true": "permission denied"}
	switch version := sandbox.Landlock(); {
	case version == 0:
		t.Skip("this kernel has no Landlock")
	case version >= 4:
		want["dial "+server.Addr().String()] = "permission denied"
	}
	for request, want := range want {
		if got := call(t, p, request); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", request, got, want)
		}
	}
}

// If the system kills an idle worker, no request fails; a worker killed at work is reported as killed.
func TestKilledWorker(t *testing.T) {
	p := pool(t, sandbox.Config{Max: 1})
	kill := func() {
		pid, err := strconv.Atoi(call(t, p, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	kill()
	time.Sleep(200 * time.Millisecond)
	if got := call(t, p, "served"); got != "1" {
		t.Errorf("the new worker has served %s", got)
	}
	time.AfterFunc(200*time.Millisecond, func() {
		for _, pid := range children(os.Getpid()) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	var died *sandbox.Died
	if _, err := p.Call(t.Context(), time.Minute, []byte("spin")); !errors.As(err, &died) || died.Memory || !died.Killed {
		t.Errorf("killed at work: got %v", err)
	}
}

// Signals that a scheduler sends to all processes of a job do not end a worker: the parent decides.
func TestSignalledWorker(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1} {
		p := pool(t, sandbox.Config{Max: 1})
		pid, err := strconv.Atoi(call(t, p, "pid"))
		if err == nil {
			err = syscall.Kill(pid, signal)
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond)
		if got := call(t, p, "served"); got != "2" {
			t.Errorf("%s: the worker has served %s, want 2", signal, got)
		}
	}
}

func TestCloseLeavesNoProcess(t *testing.T) {
	p := sandbox.New(sandbox.Config{Name: name})
	call(t, p, "echo x")
	_, _ = p.Call(t.Context(), 50*time.Millisecond, []byte("spin"))
	call(t, p, "echo x")
	if len(children(os.Getpid())) == 0 {
		t.Error("no worker before Close")
	}
	p.Close()
	if got := children(os.Getpid()); len(got) != 0 {
		t.Errorf("after Close: %v", got)
	}
}

// asParent makes the test binary a program that sends its worker an endless request.
const asParent = "AIRQA_TEST_AS_PARENT"

func parent() int {
	p := sandbox.New(sandbox.Config{Name: name})
	reply, err := p.Call(context.Background(), time.Minute, []byte("pid"))
	if err != nil {
		return 1
	}
	fmt.Println(string(reply))
	_, _ = p.Call(context.Background(), time.Hour, []byte("spin"))
	return 1
}

// No worker outlives its parent, not even a busy one.
func TestOrphan(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asParent+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pid, notNumber := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || notNumber != nil {
		t.Fatalf("the parent said %q, %v", line, err)
	}
	time.Sleep(100 * time.Millisecond)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for range 100 {
		if gone(pid) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("worker %d lives on", pid)
}

// gone reports whether a process has ended; zombies count.
func gone(pid int) bool {
	state, _, err := status(pid)
	return err != nil || state == "Z" || state == "X"
}

// status returns the state of a process and its parent.
func status(pid int) (state string, parent int, err error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0, err
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	parent, err = strconv.Atoi(fields[1])
	return fields[0], parent, err
}

// children returns the living children of a process.
func children(of int) (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if _, parent, err := status(pid); err == nil && parent == of && !gone(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
