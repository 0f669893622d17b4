package milvus

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"airqa/internal/lazyregexp"
)

// DefaultTimeout is the timeout of one call if [Config] has none.
const DefaultTimeout = 30 * time.Second

// Config is the address and the credentials of a server.
type Config struct {
	// Address is host:port.
	Address string
	// User and Password are sent if either is set; without TLS, they are sent in plain text.
	User     string
	Password string `json:"-"`
	// Database is the server's database; empty means its default.
	Database string
	// Prefix precedes the names of all collections on the server. Data directories that share a database need different
	// prefixes. It is empty or matches [A-Za-z_][A-Za-z0-9_]*, up to 64 bytes.
	Prefix string
	// Index is the index for dense collections that are written, with its parameters, such as "IVF_SQ8 nlist=1024
	// nprobe=64". Empty means no choice: existing collections keep theirs, new ones have FLAT, which is exact.
	Index string
	// TLS requires an encrypted connection with a certificate that the system trusts (SSL_CERT_FILE adds more).
	TLS bool
	// CA is a PEM file with certificates to trust instead of the system's; it requires TLS.
	CA string
	// Timeout is the timeout of one call; 0 means [DefaultTimeout].
	Timeout time.Duration
}

var prefixPattern = lazyregexp.New(`^([A-Za-z_][A-Za-z0-9_]*)?$`)

// ParseURL parses the address of a server:
//
//	milvus://user:password@host:19530/database?tls=true&ca=FILE&prefix=demo_&timeout=30s&index=HNSW&M=16
//
// Only the host is required. With an index, other options are its parameters, which go to the server as they are. Characters
// such as / ? # % @ in the password must be percent-encoded. Errors contain no part of the text before the host.
func ParseURL(text string) (Config, error) {
	u, err := url.Parse(text)
	// The parser's error may contain a part of the password. An @ after the host means that the password was split.
	if err != nil || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		return Config{}, errors.New("milvus URL: cannot be parsed; want milvus://user:password@host:19530/database, " +
			"with / ? # % @ in the password encoded as %2F %3F %23 %25 %40")
	}
	if u.Scheme != "milvus" || u.Hostname() == "" || u.Fragment != "" {
		return Config{}, errors.New("milvus URL: want milvus://user:password@host:19530/database")
	}
	cfg := Config{
		Address:  net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "19530")),
		User:     u.User.Username(),
		Database: strings.Trim(u.Path, "/"),
	}
	cfg.Password, _ = u.User.Password()
	if err := cfg.options(u.RawQuery); err != nil {
		return Config{}, fmt.Errorf("milvus URL of %s: %w", cfg.Address, err)
	}
	return cfg, cfg.check()
}

// options parses the query string.
func (c *Config) options(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("the part after ? cannot be parsed")
	}
	kind, given := "", make(map[string]string)
	for key, value := range values {
		if len(value) > 1 {
			return fmt.Errorf("option %s is given %d times", key, len(value))
		}
		switch key {
		case "tls":
			c.TLS, err = strconv.ParseBool(value[0])
		case "ca":
			c.CA = value[0]
		case "prefix":
			c.Prefix = value[0]
		case "timeout":
			c.Timeout, err = time.ParseDuration(value[0])
		case "index":
			kind = value[0]
		default:
			given[key] = value[0]
		}
		if err != nil {
			return fmt.Errorf("option %s=%s: want true or false for tls, a time such as 30s for timeout", key, value[0])
		}
	}
	return c.choose(kind, given)
}

func (c *Config) choose(kind string, given map[string]string) error {
	if kind == "" {
		for key := range given {
			return fmt.Errorf("unknown option %q; options are tls, ca, prefix, timeout and index, and after index its own", key)
		}
		return nil
	}
	var err error
	c.Index, err = indexText(kind, given)
	return err
}

func (c Config) check() error {
	const maxPrefix = 64 // keeps names within the server's limit of 255 bytes
	host, _, err := net.SplitHostPort(c.Address)
	if err != nil || host == "" {
		return fmt.Errorf("milvus address %q: want host:port", c.Address)
	}
	if len(c.Prefix) > maxPrefix || !prefixPattern.MatchString(c.Prefix) {
		return fmt.Errorf("milvus at %s: prefix %q: letters, digits and _ only, not starting with a digit, up to %d", c.Address, c.Prefix, maxPrefix)
	}
	if c.CA != "" && !c.TLS {
		return fmt.Errorf("milvus at %s: ca=%s requires tls=true", c.Address, c.CA)
	}
	if c.Timeout < 0 {
		return fmt.Errorf("milvus at %s: timeout %s is negative", c.Address, c.Timeout)
	}
	return nil
}

// String returns the URL of c without the password.
func (c Config) String() string {
	u := url.URL{Scheme: "milvus", Host: c.Address, Path: c.Database}
	if c.User != "" || c.Password != "" {
		u.User = url.User(c.User)
	}
	options := url.Values{}
	set := func(name string, given bool, value string) {
		if given {
			options.Set(name, value)
		}
	}
	set("tls", c.TLS, "true")
	set("ca", c.CA != "", c.CA)
	set("prefix", c.Prefix != "", c.Prefix)
	set("timeout", c.Timeout != 0, c.Timeout.String())
	if c.Index != "" {
		kind, given := splitIndex(c.Index)
		options.Set("index", kind)
		for name, value := range given {
			options.Set(name, value)
		}
	}
	u.RawQuery = options.Encode()
	return u.String()
}

// GoString keeps the password out of %#v.
func (c Config) GoString() string { return c.String() }
