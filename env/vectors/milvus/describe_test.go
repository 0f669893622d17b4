package milvus_test

import (
	"bytes"
	"errors"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"airqa/env/vectors"
	"airqa/env/vectors/milvus"
	"airqa/internal/testkit/milvustest"
)

// Describe changes source and encoder at once, wherever it is interrupted, and leaves no rows behind when it is repeated.
// The records stay.
func TestDescribe(t *testing.T) {
	server := milvustest.Start(t)
	var left atomic.Int64
	proxy := server.Proxy(t, func(r milvustest.Request) error {
		if r.Changes() && left.Add(-1) < 0 {
			return errors.New("out of order")
		}
		return nil
	})
	left.Store(1 << 30)
	through, err := milvus.Open(t.Context(), milvus.Config{Address: proxy})
	check(t, err)
	t.Cleanup(func() { check(t, through.Close()) })
	have := sparse
	have.Encoder = bytes.Repeat([]byte("e"), 100_000) // of several pieces
	check(t, through.Replace(t.Context(), have, stream(records(10))))
	for n, ended := 0, false; !ended; n++ {
		next := have
		next.Source, next.Encoder = have.Source+"+", bytes.Repeat([]byte{byte(n)}, 100_000+50_000*(n%3))
		left.Store(int64(n))
		ended = through.Describe(t.Context(), "s", next.Source, next.Encoder, nil) == nil
		left.Store(1 << 30)
		reader := open(t, server, "")
		info, err := reader.Info(t.Context(), "s")
		check(t, err)
		if gocmp.Diff(have, info) != "" && gocmp.Diff(next, info) != "" {
			t.Errorf("after %d requests, the description is neither the old one nor the new one", n)
		}
		check(t, through.Describe(t.Context(), "s", next.Source, next.Encoder, nil))
		have = next
		for _, s := range []*milvus.Store{through, open(t, server, "")} {
			info, err := s.Info(t.Context(), "s")
			check(t, err)
			if diff := gocmp.Diff(have, info); diff != "" {
				t.Errorf("after %d requests and again (-want +got):\n%s", n, diff)
			}
			wantCount(t, s, "s", 10)
		}
		if got, want := catalogRows(t, server), (len(have.Encoder)*4/3+59_999)/60_000+2; got != want {
			t.Errorf("after %d requests and again: %d rows in the catalog, want %d", n, got, want)
		}
	}
	check(t, through.Describe(t.Context(), "s", "last", nil, nil))
	have.Source = "last"
	list, err := through.List(t.Context())
	check(t, err)
	info, err := through.Info(t.Context(), "s")
	check(t, err)
	if diff := gocmp.Diff(have, info); diff != "" || len(list) != 1 || list[0].Source != "last" {
		t.Errorf("only the source: list %v (-want +got):\n%s", list, diff)
	}
	check(t, through.Flush(t.Context(), "s"))
	wantCount(t, through, "s", 10)
	for _, err := range []error{through.Describe(t.Context(), "no", "", nil, nil), through.Flush(t.Context(), "no")} {
		if !errors.Is(err, vectors.ErrNotFound) {
			t.Errorf("of a missing collection: %v", err)
		}
	}
}

func catalogRows(t *testing.T, server *milvustest.Server) int {
	t.Helper()
	rows, err := connect(t, server).Query(t.Context(), "airqa_catalog", nil, "id >= 0", []string{"id"},
		client.WithSearchQueryConsistencyLevel(entity.ClStrong))
	check(t, err)
	return rows.GetColumn("id").Len()
}
