package milvus_test

import (
	"context"
	"errors"
	"iter"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"airqa/env/vectors"
	"airqa/env/vectors/milvus"
	"airqa/internal/testkit/milvustest"
)

// names checks that err is one line that names the server.
func names(t *testing.T, err error, address string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "milvus at "+address) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want one line that names milvus at %s", err, address)
	}
}

// The server is killed while an insert writes its batches. After a restart, the same insert succeeds, and nothing is
// left of the first.
func TestKilledInsert(t *testing.T) {
	server := milvustest.Start(t)
	s, watcher := open(t, server, ""), open(t, server, "")
	check(t, s.Replace(t.Context(), sparse, vectors.All(nil)))
	list := records(20_000)
	wantCount(t, watcher, "s", 0) // now it has the collection cached and would see the batches
	inserted := make(chan error)
	go func() { inserted <- s.Insert(t.Context(), "s", list) }()
	for n := 0; n == 0; {
		var err error
		n, err = watcher.Count(t.Context(), "s", vectors.Filter{})
		check(t, err)
	}
	server.Kill()
	err := <-inserted
	names(t, err, server.Address)
	if !strings.Contains(err.Error(), "insert into collection s: ") {
		t.Errorf("got %v, want the act and the collection", err)
	}

	server.Restart(t)
	wantCount(t, s, "s", 0)                    // the store that failed
	wantCount(t, open(t, server, ""), "s", 0)  // a store opened later
	check(t, s.Insert(t.Context(), "s", list)) // the same call
	wantCount(t, s, "s", len(list))            // no trace of the failed insert
	wantCount(t, open(t, server, ""), "s", len(list))
}

// The server is killed during a Replace.
func TestKilledReplace(t *testing.T) {
	server := milvustest.Start(t)
	s := open(t, server, "")
	check(t, s.Replace(t.Context(), sparse, stream(records(10))))
	list := records(3000)
	err := s.Replace(t.Context(), sparse, at(list, 2000, server.Kill))
	names(t, err, server.Address)

	server.Restart(t)
	later := open(t, server, "")
	for _, store := range []*milvus.Store{s, later} {
		wantCount(t, store, "s", 10)
	}
	for range 2 {
		check(t, s.Replace(t.Context(), sparse, stream(list)))
		wantCount(t, s, "s", len(list))
		wantCount(t, later, "s", len(list)) // although it had the old version cached
	}
	info, err := s.Info(t.Context(), "s")
	check(t, err)
	if diff := gocmp.Diff(sparse, info); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	raw := connect(t, server)
	var left []string
	for _, name := range []string{"s", "s__2", "s__3", "s__4"} {
		found, err := raw.HasCollection(t.Context(), name)
		check(t, err)
		if found {
			left = append(left, name)
		}
	}
	if len(left) != 1 {
		t.Errorf("collections %v on the server, want the current one only", left)
	}
}

// at yields a list and calls act before the n-th record.
func at(list []vectors.Record, n int, act func()) iter.Seq2[vectors.Record, error] {
	return func(yield func(vectors.Record, error) bool) {
		for i, r := range list {
			if i == n {
				act()
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// The server is killed during searches. After a restart, the same store works again.
func TestKilledSearch(t *testing.T) {
	server := milvustest.Start(t)
	s := open(t, server, "")
	check(t, s.Replace(t.Context(), sparse, stream(records(2000))))
	want := find(t, s, "s", 5)
	q := vectors.Query{Vector: vectors.Vector{Sparse: []vectors.Term{{Position: 1, Weight: 1}}}, K: 5}
	var wg sync.WaitGroup
	busy := make(chan struct{}, 4)
	for range 4 {
		wg.Go(func() {
			for first := true; ; first = false {
				if _, err := s.Search(t.Context(), "s", q); err != nil {
					names(t, err, server.Address)
					return
				}
				if first {
					busy <- struct{}{}
				}
			}
		})
	}
	for range 4 {
		<-busy
	}
	server.Kill()
	wg.Wait()

	start := time.Now()
	_, err := s.Count(t.Context(), "s", vectors.Filter{})
	names(t, err, server.Address)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("a server that is away took %s to tell", took)
	}
	server.Restart(t)
	if diff := gocmp.Diff(want, find(t, s, "s", 5)); diff != "" {
		t.Errorf("after the restart (-want +got):\n%s", diff)
	}
}

func TestOpenErrors(t *testing.T) {
	silent := listen(t)
	closed := listen(t)
	check(t, closed.Close())
	tests := []struct{ name, address, want string }{
		{"nobody there", closed.Addr().String(), "connection refused"},
		{"a silent server", silent.Addr().String(), "did not respond within 1s"},
		{"no port", "db.example", "want host:port"},
		{"no such host", "db.invalid:19530", "milvus at db.invalid:19530"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			_, err := milvus.Open(t.Context(), milvus.Config{Address: tt.address, User: "ann", Password: "hunter", Timeout: time.Second})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.address) || strings.Contains(err.Error(), "hunter") {
				t.Errorf("got %v, want %q in it, and the address", err, tt.want)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// listen accepts connections but never responds.
func listen(t *testing.T) net.Listener {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestCancelled(t *testing.T) {
	s := open(t, milvustest.Start(t), "")
	check(t, s.Replace(t.Context(), sparse, stream(records(10))))
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Replace(ctx, sparse, at(records(2000), 600, cancel))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it cancelled", err)
	}
	wantCount(t, s, "s", 10)
	if _, err := s.Count(ctx, "s", vectors.Filter{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it cancelled", err)
	}
}

// A reader of a description never searches a different collection with it.
func TestReplacedByAnother(t *testing.T) {
	server := milvustest.Start(t)
	writer, reader := open(t, server, ""), open(t, server, "")
	check(t, writer.Replace(t.Context(), sparse, stream(records(3))))
	wantCount(t, reader, "s", 3)
	newer := sparse
	newer.Source = "newer"
	check(t, writer.Replace(t.Context(), newer, stream(records(4))))
	wantCount(t, writer, "s", 4)
	for range 2 {
		if _, err := reader.Count(t.Context(), "s", vectors.Filter{}); err == nil || !strings.Contains(err.Error(), "has replaced it") {
			t.Errorf("got %v", err)
		}
	}
	wantCount(t, open(t, server, ""), "s", 4)
}

// A corrupt catalog causes an error rather than wrong statistics.
func TestDamagedCatalog(t *testing.T) {
	server := milvustest.Start(t)
	s, raw := open(t, server, "demo_"), connect(t, server)
	check(t, s.Replace(t.Context(), sparse, vectors.All(nil)))
	check(t, raw.Delete(t.Context(), "demo_airqa_catalog", "", `kind == "part"`))
	_, err := s.Info(t.Context(), "s")
	if err == nil || !strings.Contains(err.Error(), "collection s: a part of its encoder is missing") {
		t.Errorf("got %v", err)
	}
	check(t, s.Replace(t.Context(), sparse, stream(records(2))))
	if info, err := s.Info(t.Context(), "s"); err != nil || string(info.Encoder) != "e" {
		t.Errorf("built again: %q, %v", info.Encoder, err)
	}
}

// A collection of another format is refused until it is replaced.
func TestOtherFormat(t *testing.T) {
	server := milvustest.Start(t)
	s := open(t, server, "")
	check(t, s.Replace(t.Context(), sparse, stream(records(3))))
	changeFormat(t, connect(t, server))
	_, info := s.Info(t.Context(), "s")
	_, list := s.List(t.Context())
	_, count := open(t, server, "").Count(t.Context(), "s", vectors.Filter{})
	for _, err := range []error{info, list, count, s.Insert(t.Context(), "s", records(1))} {
		if !errors.Is(err, milvus.ErrDescription) || !strings.Contains(err.Error(), "collection s: its description has format 9, not 1; airqa store") {
			t.Errorf("got %v", err)
		}
	}
	check(t, s.Replace(t.Context(), sparse, stream(records(2))))
	wantCount(t, s, "s", 2)
}

// changeFormat gives all collections descriptions of format 9.
func changeFormat(t *testing.T, raw client.Client) {
	t.Helper()
	fields := []string{"id", "vector", "name", "collection", "kind", "number", "body"}
	rows, err := raw.Query(t.Context(), "airqa_catalog", nil, `kind == "info"`, fields, client.WithSearchQueryConsistencyLevel(entity.ClStrong))
	check(t, err)
	for i, c := range rows {
		if c.Name() == "body" {
			body, err := c.GetAsString(0)
			check(t, err)
			rows[i] = entity.NewColumnVarChar("body", []string{strings.Replace(body, `"format":1`, `"format":9`, 1)})
		}
	}
	_, err = raw.Upsert(t.Context(), "airqa_catalog", "", rows...)
	check(t, err)
}

func TestTLSToPlainServer(t *testing.T) {
	server := milvustest.Start(t)
	_, err := milvus.Open(t.Context(), milvus.Config{Address: server.Address, TLS: true, Timeout: time.Second})
	names(t, err, server.Address)
}

// Collections of other programs are not modified, even under our names.
func TestForeignCollections(t *testing.T) {
	server := milvustest.Start(t)
	raw := connect(t, server)
	schema := entity.NewSchema().WithName("demo_s").
		WithField(entity.NewField().WithName("id").WithDataType(entity.FieldTypeInt64).WithIsPrimaryKey(true)).
		WithField(entity.NewField().WithName("v").WithDataType(entity.FieldTypeFloatVector).WithDim(4))
	check(t, raw.CreateCollection(t.Context(), schema, 1))
	s, neighbour := open(t, server, "demo_"), open(t, server, "other_")
	check(t, neighbour.Replace(t.Context(), sparse, stream(records(3))))
	for n := range 3 {
		check(t, s.Replace(t.Context(), sparse, stream(records(10+n))))
		wantCount(t, s, "s", 10+n)
	}
	list, err := s.List(t.Context())
	check(t, err)
	if len(list) != 1 {
		t.Errorf("got %d collections, want 1", len(list))
	}
	wantCount(t, neighbour, "s", 3)
	found, err := raw.DescribeCollection(t.Context(), "demo_s")
	if err != nil || found.Schema == nil || len(found.Schema.Fields) != 2 {
		t.Errorf("the other's collection: %+v, %v", found, err)
	}
}

func connect(t *testing.T, server *milvustest.Server) client.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	raw, err := client.NewClient(ctx, client.Config{Address: server.Address})
	check(t, err)
	t.Cleanup(func() { _ = raw.Close() })
	return raw
}
