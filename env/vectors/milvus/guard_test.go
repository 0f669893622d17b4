package milvus_test

import (
	"path"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"airqa/env/vectors"
	"airqa/env/vectors/milvus"
)

// calls counts the calls of each method to a server that fails some of them.
type calls struct {
	mu    sync.Mutex
	count map[string]int
	fails func(method string, call int) bool
}

// handle replies with an empty status as the first field, which is a success.
func (c *calls) handle(_ any, stream grpc.ServerStream) error {
	full, _ := grpc.MethodFromServerStream(stream)
	method := path.Base(full)
	c.mu.Lock()
	c.count[method]++
	fails := c.fails(method, c.count[method])
	c.mu.Unlock()
	if fails {
		return status.Error(codes.Unavailable, "going away")
	}
	if err := stream.RecvMsg(new(emptypb.Empty)); err != nil {
		return err
	}
	reply := new(emptypb.Empty)
	reply.ProtoReflect().SetUnknown([]byte{1<<3 | 2, 0})
	return stream.SendMsg(reply)
}

// A lost connection makes reads repeat, but no change.
func TestRetries(t *testing.T) {
	c := &calls{count: make(map[string]int), fails: func(method string, call int) bool {
		return method == "CreateCollection" || method == "Connect" && call < 3
	}}
	server := grpc.NewServer(grpc.UnknownServiceHandler(c.handle))
	l := listen(t)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)

	s, err := milvus.Open(t.Context(), milvus.Config{Address: l.Addr().String()})
	check(t, err)
	t.Cleanup(func() { _ = s.Close() })
	names(t, s.Replace(t.Context(), sparse, vectors.All(nil)), l.Addr().String())
	c.mu.Lock()
	defer c.mu.Unlock()
	for method, want := range map[string]int{"Connect": 3, "CreateCollection": 1} {
		if c.count[method] != want {
			t.Errorf("%s was called %d times, want %d", method, c.count[method], want)
		}
	}
}
