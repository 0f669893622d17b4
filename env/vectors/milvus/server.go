package milvus

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"
	"github.com/milvus-io/milvus-sdk-go/v2/merr"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"

	"airqa/internal/concurrent"
	"airqa/internal/files"
	"airqa/qa"
)

// server is a connection. Names are those on the server.
type server struct {
	client client.Client
	// loadTimeout is the timeout for loading a collection, many times that of a call because it may be large.
	loadTimeout time.Duration
}

// strong makes every answer include all earlier writes.
var strong = client.WithSearchQueryConsistencyLevel(entity.ClStrong)

func connect(ctx context.Context, cfg Config) (*server, error) {
	g := guard{address: cfg.Address, timeout: cfg.Timeout}
	trust, err := trusted(cfg)
	if err != nil {
		return nil, err
	}
	c, err := client.NewClient(ctx, client.Config{
		Address: cfg.Address, Username: cfg.User, Password: cfg.Password, DBName: cfg.Database, EnableTLSAuth: cfg.TLS,
		DialOptions: append(trust, []grpc.DialOption{
			grpc.WithChainUnaryInterceptor(g.intercept), // the first is the outermost
			grpc.WithDefaultServiceConfig(serviceConfig),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
			grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 10 * time.Second, PermitWithoutStream: true}),
			grpc.WithConnectParams(grpc.ConnectParams{
				// A call is retried for longer than MaxDelay, so the first one finds a server that is back.
				Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 400 * time.Millisecond},
				MinConnectTimeout: 3 * time.Second,
			}),
		}...),
	})
	if err != nil {
		return nil, err
	}
	return &server{client: c, loadTimeout: 10 * cfg.Timeout}, nil
}

// trusted configures the user's own CA certificates in place of the system's.
func trusted(cfg Config) ([]grpc.DialOption, error) {
	if cfg.CA == "" {
		return nil, nil
	}
	pem, err := files.ReadText(cfg.CA)
	if err != nil {
		return nil, fmt.Errorf("milvus at %s: read its certificates: %w", cfg.Address, err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("milvus at %s: %s contains no PEM certificate", cfg.Address, cfg.CA)
	}
	return []grpc.DialOption{grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}))}, nil
}

// create makes a collection that is ready for writing and searching.
func (s *server) create(ctx context.Context, schema *entity.Schema, index entity.Index) error {
	if err := s.client.CreateCollection(ctx, schema, 1, client.WithConsistencyLevel(entity.ClStrong)); err != nil {
		return err
	}
	return s.prepare(ctx, schema.CollectionName, index)
}

// prepare indexes and loads a collection. It is idempotent.
func (s *server) prepare(ctx context.Context, name string, index entity.Index) error {
	if err := s.refresh(ctx, name); err != nil {
		return err
	}
	// Without an index, some servers return an error and others nothing. One server refuses to create an index twice.
	have, err := s.client.DescribeIndex(ctx, name, fieldVector)
	if err != nil || len(have) == 0 {
		if err := s.client.CreateIndex(ctx, name, fieldVector, index, true); err != nil {
			return err
		}
	}
	return s.load(ctx, name)
}

// refresh makes the SDK drop the cached schema of an earlier collection with that name.
func (s *server) refresh(ctx context.Context, name string) error {
	_, err := s.client.DescribeCollection(ctx, name)
	return err
}

func (s *server) load(ctx context.Context, name string) error {
	if err := s.client.LoadCollection(ctx, name, true); err != nil {
		return err
	}
	slow := &qa.UnavailableError{Err: fmt.Errorf("%s is not loaded after %s", name, s.loadTimeout)}
	limited, cancel := context.WithTimeoutCause(ctx, s.loadTimeout, slow)
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		state, err := s.client.GetLoadState(ctx, name, nil)
		if err != nil || state == entity.LoadStateLoaded {
			return err
		}
		if concurrent.Sleep(limited, pause) != nil {
			return context.Cause(limited)
		}
	}
}

// loaded runs read, and retries it once after loading the collection if the server has it only on disk.
func (s *server) loaded(ctx context.Context, name string, read func() error) error {
	err := read()
	if !errors.Is(err, merr.ErrCollectionNotLoaded) {
		return err
	}
	if err := s.load(ctx, name); err != nil {
		return err
	}
	return read()
}

// query returns the given columns of all rows that match expr, which must not be empty.
func (s *server) query(ctx context.Context, name, expr string, columns ...string) (client.ResultSet, error) {
	var rows client.ResultSet
	err := s.loaded(ctx, name, func() (err error) {
		rows, err = s.client.Query(ctx, name, nil, expr, columns, strong)
		return err
	})
	return rows, err
}
