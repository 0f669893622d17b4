package milvus

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	retry "github.com/grpc-ecosystem/go-grpc-middleware/retry"
	"github.com/milvus-io/milvus-sdk-go/v2/merr"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"

	"airqa/qa"
)

// reconnectWait is how long a call waits for a lost connection to return.
const reconnectWait = time.Second

// retryable lists the calls that are safe to retry. Each change starts with one of them.
var retryable = []string{
	"Connect", "HasCollection", "DescribeCollection", "Query", "Search", "LoadCollection", "GetLoadState",
}

// guard intercepts every call of the SDK. The SDK checks only one of the two status codes of a response, retries lost
// connections for 22 seconds (even for calls that change data), and loses the cause when the deadline expires first.
type guard struct {
	address string
	timeout time.Duration
}

func (g guard) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	limited, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	opts = append(opts, retry.Disable())
	err := merr.CheckRPCCall(reply, invoke(limited, method, req, reply, cc, opts...))
	if status.Code(err) == codes.Unavailable && slices.Contains(retryable, path.Base(method)) && reconnect(limited, cc) {
		err = merr.CheckRPCCall(reply, invoke(limited, method, req, reply, cc, opts...))
	}
	return g.explain(ctx, err)
}

// reconnect waits up to reconnectWait for a connection and reports whether there is one. The call itself may take longer, since
// a restarted server loads its collections first.
func reconnect(ctx context.Context, cc *grpc.ClientConn) bool {
	ctx, cancel := context.WithTimeout(ctx, reconnectWait)
	defer cancel()
	cc.ResetConnectBackoff()
	for state := cc.GetState(); state != connectivity.Ready; state = cc.GetState() {
		if state == connectivity.Idle {
			cc.Connect()
		}
		if !cc.WaitForStateChange(ctx, state) {
			return false
		}
	}
	return true
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
