package milvus

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/milvus-io/milvus-sdk-go/v2/merr"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"airqa/qa"
)

// serviceConfig repeats the calls that are safe to repeat, for half a second or more after the connection is lost. Each change starts
// with one of them.
const serviceConfig = `{"methodConfig": [{
	"name": [
		{"service": "milvus.proto.milvus.MilvusService", "method": "Connect"},
		{"service": "milvus.proto.milvus.MilvusService", "method": "HasCollection"},
		{"service": "milvus.proto.milvus.MilvusService", "method": "DescribeCollection"},
		{"service": "milvus.proto.milvus.MilvusService", "method": "Query"},
		{"service": "milvus.proto.milvus.MilvusService", "method": "Search"},
		{"service": "milvus.proto.milvus.MilvusService", "method": "LoadCollection"},
		{"service": "milvus.proto.milvus.MilvusService", "method": "GetLoadState"}
	],
	"retryPolicy": {
		"maxAttempts": 4, "initialBackoff": "0.1s", "backoffMultiplier": 2, "maxBackoff": "0.4s",
		"retryableStatusCodes": ["UNAVAILABLE"]
	}
}]}`

// guard intercepts every call of the SDK. The SDK checks only one of the two status codes of a response, retries lost
// connections for 22 seconds (even for calls that change data), and loses the cause when the deadline expires first.
type guard struct {
	address string
	timeout time.Duration
}

func (g guard) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	limited, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	var failed error
	opts = append(opts, grpc.OnFinish(func(err error) {
		if err != nil {
			failed = err
			cancel() // keeps the SDK from retrying
		}
	}))
	err := invoke(limited, method, req, reply, cc, opts...)
	return g.explain(ctx, merr.CheckRPCCall(reply, cmp.Or(failed, err)))
}

// explain adds the server address to an error.
func (g guard) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("milvus at %s: %w", g.address, ctx.Err())
	case status.Code(err) == codes.Unavailable:
		return &qa.UnavailableError{Err: fmt.Errorf("milvus at %s is unreachable; is it running? %w", g.address, err)}
	case status.Code(err) == codes.Unauthenticated:
		return fmt.Errorf("milvus at %s rejects the user or the password: %w", g.address, err)
	case status.Code(err) == codes.DeadlineExceeded:
		return &qa.UnavailableError{Err: fmt.Errorf("milvus at %s did not respond within %s: %w", g.address, g.timeout, err)}
	}
	return fmt.Errorf("milvus at %s: %w", g.address, err)
}
