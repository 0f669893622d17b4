package milvustest

import (
	"encoding/binary"
	"net"
	"path"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// Request is a request of a client.
type Request struct {
	// Method is the name of the call, such as Insert.
	Method string
	// Bytes is its size.
	Bytes int
	// Collection and Rows are those of an Insert.
	Collection string
	Rows       int
}

// Changes reports whether the request changes the server.
func (r Request) Changes() bool {
	return slices.Contains([]string{"Insert", "Upsert", "Delete", "Flush", "CreateCollection", "CreateIndex", "DropIndex", "DropCollection"}, r.Method)
}

// Proxy starts a proxy for the server that ends with the test, and returns its address. It calls before for each request,
// also concurrently, and responds with its error instead of forwarding the request.
func (s *Server) Proxy(t testing.TB, before func(Request) error) string {
	t.Helper()
	server, err := grpc.NewClient(s.Address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	pings := keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}
	proxy := grpc.NewServer(grpc.ForceServerCodec(raw{}), grpc.MaxRecvMsgSize(1<<30), grpc.KeepaliveEnforcementPolicy(pings), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(stream)
		var request, reply []byte
		if err := stream.RecvMsg(&request); err != nil {
			return err
		}
		if err := before(parse(path.Base(method), request)); err != nil {
			return err
		}
		if err := server.Invoke(stream.Context(), method, &request, &reply, grpc.ForceCodec(raw{}), grpc.MaxCallRecvMsgSize(1<<30)); err != nil {
			return err
		}
		return stream.SendMsg(&reply)
	}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = proxy.Serve(l) // ends with Stop
	}()
	t.Cleanup(func() {
		proxy.Stop()
		<-done
		_ = server.Close()
	})
	return l.Addr().String()
}

// raw passes messages on as they are.
type raw struct{}

func (raw) Name() string                       { return "proto" }
func (raw) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v any) error { *v.(*[]byte) = slices.Clone(data); return nil }

// Numbers of fields of Milvus' InsertRequest, and wire types of protocol buffers.
const (
	collectionField = 3
	rowsField       = 7
	varintType      = 0
	bytesType       = 2
)

// parse reads the fields of an Insert.
func parse(method string, message []byte) Request {
	r := Request{Method: method, Bytes: len(message)}
	for method == "Insert" && len(message) > 0 {
		key, k := binary.Uvarint(message)
		n, m := binary.Uvarint(message[max(k, 0):])
		if k <= 0 || m <= 0 {
			break
		}
		message = message[k+m:]
		switch key & 7 {
		case varintType:
			if key>>3 == rowsField {
				r.Rows = int(n)
			}
		case bytesType:
			if n > uint64(len(message)) {
				return r
			}
			if key>>3 == collectionField {
				r.Collection = string(message[:n])
			}
			message = message[n:]
		default:
			return r
		}
	}
	return r
}
