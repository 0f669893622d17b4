// Package httpclient holds what every client of a remote service needs: clients that follow no redirect ([New]), repeated requests
// with growing pauses ([Retry], [Backoff]), Retry-After in all its forms ([RetryAfter]), a limit on the requests in flight that adapts
// to refusals ([Limiter]), bounded bodies ([ReadAll]) and texts without keys ([Redact]). It knows no protocol and no provider.
package httpclient
