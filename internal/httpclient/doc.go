// Package httpclient has the common parts of clients for remote services: clients without redirects ([New]), retries
// with back-off ([Retry], [Backoff]), Retry-After in all its forms ([RetryAfter]), an adaptive limit on requests in
// flight ([Limiter]), bounded bodies ([ReadAll]) and redaction of keys ([Redact]). It knows no protocol and no
// provider.
package httpclient
