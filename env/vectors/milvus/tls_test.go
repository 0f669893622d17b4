package milvus_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"airqa/env/vectors/milvus"
	"airqa/internal/testkit/milvustest"
)

// raw is a gRPC codec that forwards messages unchanged.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (raw) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

func (raw) Name() string { return "proto" }

// tlsProxy is a TLS proxy for a server, with its own certificate. It requires the given authorization. It returns its
// address and the file of its certificate.
func tlsProxy(t *testing.T, server *milvustest.Server, authorization string) (address, ca string) {
	t.Helper()
	certificate, ca := selfSigned(t)
	behind, err := grpc.NewClient(server.Address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(t, err)
	pass := func(_ any, stream grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(stream)
		sent, _ := metadata.FromIncomingContext(stream.Context())
		if got := sent.Get("authorization"); len(got) != 1 || got[0] != authorization {
			// The message of Milvus.
			return status.Error(codes.Unauthenticated, "auth check failure, please check username and password are correct")
		}
		var in, out []byte
		if err := stream.RecvMsg(&in); err != nil {
			return err
		}
		ctx := metadata.NewOutgoingContext(stream.Context(), metadata.MD{"dbname": sent.Get("dbname")})
		if err := behind.Invoke(ctx, method, &in, &out, grpc.ForceCodec(raw{})); err != nil {
			return err
		}
		return stream.SendMsg(&out)
	}
	s := grpc.NewServer(grpc.ForceServerCodec(raw{}), grpc.UnknownServiceHandler(pass), grpc.MaxRecvMsgSize(1<<28),
		grpc.Creds(credentials.NewServerTLSFromCert(&certificate)))
	l := listen(t)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := errors.Join(<-served, behind.Close()); err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), ca
}

// selfSigned makes a certificate for 127.0.0.1 and a file with it.
func selfSigned(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	now := time.Now()
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	check(t, err)
	path := filepath.Join(t.TempDir(), "own.pem")
	check(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, path
}

// A full URL connects with TLS, user and password.
func TestTLSAndPassword(t *testing.T) {
	server := milvustest.Start(t)
	address, ca := tlsProxy(t, server, base64.StdEncoding.EncodeToString([]byte("ann:p@ss/word")))
	url := func(password, options string) milvus.Config {
		return mustParse(t, "milvus://ann:"+password+"@"+address+"?timeout=5s"+options)
	}
	s, err := milvus.Open(t.Context(), url("p%40ss%2Fword", "&tls=true&ca="+ca))
	check(t, err)
	check(t, s.Replace(t.Context(), sparse, stream(records(1200))))
	wantCount(t, s, "s", 1200)
	check(t, s.Close())

	garbage := filepath.Join(t.TempDir(), "garbage.pem")
	check(t, os.WriteFile(garbage, []byte("no certificate"), 0o600))
	tests := []struct {
		name string
		cfg  milvus.Config
		want string
	}{
		{"a wrong password", url("hunter", "&tls=true&ca="+ca), "rejects the user or the password"},
		{"an unknown certificate", url("hunter", "&tls=true"), "certificate"},
		{"no TLS", url("hunter", ""), ""},
		{"no such file", url("hunter", "&tls=true&ca=nowhere.pem"), "nowhere.pem"},
		{"no certificate in it", url("hunter", "&tls=true&ca="+garbage), "contains no PEM certificate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.Timeout = time.Second
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			_, err := milvus.Open(ctx, tt.cfg)
			names(t, err, address)
			if err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter")) {
				t.Errorf("got %v, want %q in it and no password", err, tt.want)
			}
		})
	}
}
