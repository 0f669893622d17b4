package openaitest

import "net/http"

// Fault answers one request with a failure. The channel closes when the server is closed.
type Fault func(w http.ResponseWriter, r *http.Request, done <-chan struct{})

// Status answers with an HTTP status and an error object in OpenAI's format.
func Status(status int, code, message string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		writeError(w, status, code, message)
	}
}

// RateLimited answers 429; retryAfter is the Retry-After header, omitted if empty.
func RateLimited(retryAfter string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		writeError(w, http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit reached")
	}
}

// Body answers with a status and any body: a web page, half a JSON object, nothing.
func Body(status int, body string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// Redirect sends the client to another address with 307, which asks it to post the same body there.
func Redirect(url string) Fault {
	return func(w http.ResponseWriter, r *http.Request, _ <-chan struct{}) {
		http.Redirect(w, r, url, http.StatusTemporaryRedirect)
	}
}

// Cut closes the connection without an answer.
func Cut() Fault {
	return func(http.ResponseWriter, *http.Request, <-chan struct{}) {
		panic(http.ErrAbortHandler)
	}
}

// CutBody promises a longer body than it sends, and closes the connection.
func CutBody(part string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write([]byte(part))
		// Without a flush the header of the response would be lost as well.
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// Hang does not answer until the client disconnects or the server closes. It first calls hook, if any, where a test can
// cancel its call.
func Hang(hook func()) Fault {
	return func(_ http.ResponseWriter, r *http.Request, done <-chan struct{}) {
		if hook != nil {
			hook()
		}
		select {
		case <-r.Context().Done():
		case <-done:
		}
	}
}
