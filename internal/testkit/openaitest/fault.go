package openaitest

import "net/http"

// Fault answers one request wrongly. The channel closes when the server is closed.
type Fault func(w http.ResponseWriter, r *http.Request, done <-chan struct{})

// Status answers with an HTTP status and an error object in OpenAI's form.
func Status(status int, code, message string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		writeError(w, status, code, message)
	}
}

// RateLimited answers 429; retryAfter is the text of the Retry-After header, left out when it is empty.
func RateLimited(retryAfter string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		writeError(w, http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit reached")
	}
}

// Body answers with a status and a body of any form: a web page, half a JSON object, nothing.
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

// Cut closes the connection before any answer.
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
		// Without a flush the head of the answer would be lost as well.
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// Hang says nothing until the client goes away or the server closes. The hook, when there is one, runs first: a test
// cancels its call there.
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
