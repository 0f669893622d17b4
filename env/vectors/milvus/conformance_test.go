package milvus_test

import (
	"fmt"
	"hash/fnv"
	"testing"

	"airqa/env/vectors"
	"airqa/env/vectors/milvus"
	"airqa/internal/testkit/milvustest"
	"airqa/internal/testkit/vectorstest"
)

func TestConformance(t *testing.T) {
	server := milvustest.Start(t)
	opener := func(t *testing.T, dir string) vectors.Store { return open(t, server, prefixOf(dir)) }
	vectorstest.Run(t, opener)
	vectorstest.RunSparse(t, opener)
}

// prefixOf gives each folder its own collections on the shared server.
func prefixOf(dir string) string {
	h := fnv.New64()
	_, _ = h.Write([]byte(dir))
	return fmt.Sprintf("t%x_", h.Sum64())
}

func open(t *testing.T, server *milvustest.Server, prefix string) *milvus.Store {
	t.Helper()
	s, err := milvus.Open(t.Context(), milvus.Config{Address: server.Address, Prefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
