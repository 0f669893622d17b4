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

// grace is how long a call waits for a server that was away to take the connection again.
const grace = time.Second

// harmless are the calls that may be sent twice. Each change begins with one of them.
var harmless = []string{
	"Connect", "HasCollection", "DescribeCollection", "Query", "Search", "LoadCollection", "GetLoadState",
}

// guard stands between the SDK and the connection, around every call. The SDK looks at one of the two codes
// of an answer only, tries a lost connection again for 22 seconds, also with calls that change something, and
// loses the reason when the deadline comes first.
type guard struct {
	address string
	timeout time.Duration
}

func (g guard) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	limited, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	opts = append(opts, retry.Disable())
	err := merr.CheckRPCCall(reply, invoke(limited, method, req, reply, cc, opts...))
	if status.Code(err) == codes.Unavailable && slices.Contains(harmless, path.Base(method)) {
		if reconnect(limited, cc) {
			err = merr.CheckRPCCall(reply, invoke(limited, method, req, reply, cc, opts...))
		}
	}
	return g.explain(ctx, err)
}

// reconnect waits up to the grace for a connection, and reports whether there is one. How long the call itself takes then is
// another matter: a server that has just started reads its collections first.
func reconnect(ctx context.Context, cc *grpc.ClientConn) bool {
	ctx, cancel := context.WithTimeout(ctx, grace)
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

// explain names the server.
func (g guard) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("milvus at %s: %w", g.address, ctx.Err())
	case status.Code(err) == codes.Unavailable:
		return &qa.UnavailableError{Err: fmt.Errorf("milvus at %s cannot be reached, is it running? %w", g.address, err)}
	case status.Code(err) == codes.Unauthenticated:
		return fmt.Errorf("milvus at %s refuses the user or the password: %w", g.address, err)
	case status.Code(err) == codes.DeadlineExceeded:
		return &qa.UnavailableError{Err: fmt.Errorf("milvus at %s gave no answer within %s: %w", g.address, g.timeout, err)}
	}
	return fmt.Errorf("milvus at %s: %w", g.address, err)
}
