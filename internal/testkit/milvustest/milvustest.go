// Package milvustest runs a real Milvus for tests: Milvus Lite 2.5.1, a single binary with Milvus' core. Start from
// [Start]. If the binary is missing, the test is skipped; install.sh in this folder installs it.
//
// AIRQA_MILVUS_LITE names the binary, or a folder made by install.sh or a virtual environment. The default is
// install.sh's: airqa/milvus-lite-2.5.1 in the user's cache folder.
package milvustest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"airqa/internal/testkit"
)

// variable is the environment variable with the path of Milvus Lite.
const variable = "AIRQA_MILVUS_LITE"

// patience is the time limit for a server to accept connections; it usually takes 0.1 s.
const patience = 30 * time.Second

// Server is a running Milvus Lite on the loopback interface with its own data file. Its methods are for the test's
// goroutine.
type Server struct {
	// Address is host:port; [Server.Restart] keeps it.
	Address string

	binary  string
	dir     string
	process *exec.Cmd
}

// Start starts a server that ends with the test. It is a long test ([testkit.Long]), and one that is skipped if there is no
// Milvus Lite.
func Start(t testing.TB) *Server {
	t.Helper()
	testkit.Long(t, "a Milvus server")
	binary, err := find()
	if err != nil {
		t.Skipf("no Milvus Lite: %v; internal/testkit/milvustest/install.sh installs it", err)
	}
	s := &Server{Address: free(t), binary: binary, dir: t.TempDir()}
	t.Cleanup(s.Kill)
	s.Restart(t)
	return s
}

// Kill kills the server, like a crash. It may be called again.
func (s *Server) Kill() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Kill() // it may have ended already
	_ = s.process.Wait()         // the error is that it was killed
	s.process = nil
}

// Restart restarts a killed server at its address and with its data.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.process = exec.CommandContext(context.WithoutCancel(t.Context()), s.binary, "milvus.db", s.Address, "ERROR")
	s.process.Dir = s.dir
	s.process.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Dir(s.binary), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	s.process.SysProcAttr = endWithParent()
	if err := s.process.Start(); err != nil {
		s.process = nil
		t.Fatalf("start Milvus Lite: %v", err)
	}
	s.wait(t)
}

// Lose restarts the server without its data.
func (s *Server) Lose(t testing.TB) {
	t.Helper()
	s.Kill()
	if err := os.RemoveAll(filepath.Join(s.dir, "milvus.db")); err != nil {
		t.Fatal(err)
	}
	s.Restart(t)
}

// wait returns when the server accepts connections.
func (s *Server) wait(t testing.TB) {
	t.Helper()
	var dialer net.Dialer
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		conn, err := dialer.DialContext(t.Context(), "tcp", s.Address)
		if err == nil {
			_ = conn.Close()
			return
		}
	}
	t.Fatalf("Milvus Lite (%s) accepts no connection on %s within %s", s.binary, s.Address, patience)
}

// free returns an unused address. Milvus Lite shares a port that is in use without an error.
func free(t testing.TB) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// find returns the path of the binary.
func find() (string, error) {
	place := os.Getenv(variable)
	if place == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%s is not set and %w", variable, err)
		}
		place = filepath.Join(cache, "airqa", "milvus-lite-2.5.1")
	}
	if info, err := os.Stat(place); err == nil && info.Mode().IsRegular() {
		return place, nil
	}
	for _, pattern := range []string{"milvus_lite/lib/milvus", "lib/python3*/site-packages/milvus_lite/lib/milvus"} {
		if found, _ := filepath.Glob(filepath.Join(place, pattern)); len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("%s has none", place)
}
