package llm

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/httpclient"
	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// Queue is passed to [Config.OnWait] for a call that waits for others. It is not a failure.
const Queue qa.FailureClass = "queue"

// Classify returns the class of a request's failure; empty for nil.
func Classify(err error) qa.FailureClass {
	var status *HTTPError
	var fault *Fault
	var network net.Error
	var call *qa.CallError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &call):
		return call.Class
	case errors.As(err, new(adapted)):
		return qa.FailBadRequest // the setting, not the conversation
	case errors.As(err, &status):
		return status.class()
	case errors.As(err, &fault):
		return fault.Class
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return qa.FailCancelled
	case errors.As(err, &network) && network.Timeout():
		return qa.FailTimeout
	case errors.As(err, &network):
		return qa.FailNetwork
	}
	return qa.FailUnknown
}

// class goes by the code first, then by the status, then by the message, without what it repeats of the request.
func (e *HTTPError) class() qa.FailureClass {
	said := e.said()
	switch {
	case lengthCode.MatchString(said), slices.Contains(e.codes, "1261"): // Zhipu's code for it
		return qa.FailContextOverflow
	case e.refusesImages():
		return qa.FailImages
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return qa.FailAuth
	case http.StatusTooManyRequests:
		return e.rateClass()
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return qa.FailTimeout
	}
	switch {
	case e.Status >= http.StatusInternalServerError:
		return qa.FailServer
	case e.overflows():
		return qa.FailContextOverflow
	case spent.MatchString(said), badKey.MatchString(said):
		return qa.FailAuth // Anthropic and Google report these as bad requests
	}
	return qa.FailBadRequest
}

var (
	requested = lazyregexp.New(`limit:? ([\d,]+).{0,20}requested:? ([\d,]+)`)
	longQuota = lazyregexp.New(`(per|each|this)[ _-]?(day|week|month)|daily|weekly|monthly|\b[rt]pd\b`)
	minute    = lazyregexp.New(`per[ _-]?(second|minute|min\b|hour)|\b[rt]p[ms]\b`)
	noAccount = lazyregexp.New(`insufficient|billing`)
	spent     = lazyregexp.New(`(exceeded|used up|out of|no|insufficient|reached)[\W_]+(\w+[\W_]+){0,4}?(quota|credits?|balance|billing)` +
		`|(quota|credits?|balance|billing)[\W_]+(\w+[\W_]+){0,3}?(exceeded|exhausted|used up|reached|insufficient|too low|depleted|not active)`)
	badKey = lazyregexp.New(`api.key.(not valid|invalid)`)
)

// rateClass separates a limit that passes from permanent failures with the same status: a request of more tokens than a
// whole minute allows, a quota of a day or longer, and an account without credit. The names of quotas and a delay decide,
// and then the message: Gemini has one wording for all its limits.
func (e *HTTPError) rateClass() qa.FailureClass {
	said, codes := e.said(), strings.ToLower(strings.Join(e.codes, " "))
	m := requested.FindStringSubmatch(said)
	switch {
	case m != nil && number(m[2]) > number(m[1]):
		return qa.FailBadRequest
	case longQuota.MatchString(codes), noAccount.MatchString(codes):
		return qa.FailAuth
	case minute.MatchString(codes), e.RetryAfter > 0 && e.RetryAfter <= httpclient.LongestPause:
		return qa.FailRateLimit
	case longQuota.MatchString(said):
		return qa.FailAuth
	case e.RetryAfter > 0, minute.MatchString(said), !spent.MatchString(said):
		return qa.FailRateLimit
	}
	return qa.FailAuth
}

var (
	// lengthCode matches the codes for a conversation that is too long, also within a message.
	lengthCode   = lazyregexp.New(`(context|prompt|input)_?(length|size|window|tokens)?_?(exceeded|too_long)|exceed_context`)
	accountWords = lazyregexp.New(`quota|organi[sz]ation|budget|credits?\b|billing|subscription|minute|\bhour|\bday\b|daily|month|\brate\b`)
	objectWords  = lazyregexp.New(`image|pixel|\bfile|bytes?\b|\d ?[kmg]i?b\b`)
	windowWords  = lazyregexp.New(`context (length|window|size|limit)|context_`)
	inputWords   = lazyregexp.New(`\b(inputs?|prompts?|messages|conversation|sequence|context)\b`)
	replyWords   = lazyregexp.New(`max_?(new_?|completion_?|output_?)?tokens|num_predict|completion|output (tokens?|length|limit)`)
	excessWords  = lazyregexp.New(`exceed|too |than|at (most|least)|only|[<>]|not enough|reduce|shorter|range|between|maximum|limit`)
	// tooLong matches an input and an excess in one sentence without two amounts.
	tooLong = lazyregexp.New(`\b(inputs?|prompts?|messages|conversation|sequence|request)\b[^.;]*(exceed|(long|larg|great)er than)` +
		`[^.;]*(context|window|max(imum)?\b[^.;]*(length|tokens)|tokens? limit)|\b(input|prompt|conversation|sequence)\b[^.;]* too long` +
		`|\b(input|prompt) length\b[^.;]*\d{3}|too many( input| prompt)? tokens|max_\w*tokens\b.*\s-\d`)
	digits = lazyregexp.New(`(?:^|[^\w.-])(\d[\d,_]*)\b`) // not those of a model's name
)

// overflows reports whether the message is about the length of the conversation: by two amounts, or by an input and an
// excess. The limit of an account, an image or a reply is another matter.
func (e *HTTPError) overflows() bool {
	said := e.said()
	if accountWords.MatchString(said) || objectWords.MatchString(said) && !windowWords.MatchString(said) {
		return false
	}
	amounts := e.amounts()
	two := len(amounts) > 1 && slices.Min(amounts) < slices.Max(amounts)
	return tooLong.MatchString(said) ||
		two && (inputWords.MatchString(said) || strings.Contains(said, "token") && !replyWords.MatchString(said))
}

// amounts returns the numbers in the message that may be amounts of tokens.
func (e *HTTPError) amounts() []int {
	var all []int
	for _, m := range digits.FindAllStringSubmatch(e.Message, -1) {
		if n := number(m[1]); n >= 256 && n <= 12_000_000 && n != e.Status { // neither a count nor an id
			all = append(all, n)
		}
	}
	return all
}

// limitsReply reports whether the message may be about the limit of a reply, alone or together with the conversation.
func (e *HTTPError) limitsReply() bool {
	said := e.said()
	refusal := slices.Contains(refused, e.Status) || e.Status >= http.StatusInternalServerError && strings.Contains(said, "max_tokens")
	return refusal && !accountWords.MatchString(said) && !refuses.MatchString(strings.ToLower(e.Message)) &&
		replyWords.MatchString(said) && excessWords.MatchString(said)
}

// mayBeLong reports whether the request may have been refused for its length, although the error does not say so.
func (e *HTTPError) mayBeLong() bool {
	if e.Status == http.StatusInternalServerError {
		return e.class() == qa.FailServer
	}
	return (slices.Contains(refused, e.Status) || e.Status == http.StatusTooManyRequests) && e.class() == qa.FailBadRequest
}

// refused are the statuses of a request that the endpoint does not take.
var refused = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}

// number reads a number with separators of thousands; 0 for anything else.
func number(text string) int {
	n, _ := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(text))
	return n
}

var imageWords = lazyregexp.New(`image|vision|multi-?modal`)

// refusesImages reports whether an error on a request with images is about images, and not about their size. It counts with
// every status but 429: OpenRouter reports a model that is not found, llama.cpp and Ollama a server error, which may also be
// a failure to read an image.
func (e *HTTPError) refusesImages() bool {
	said := e.said()
	return e.images && e.Status != http.StatusTooManyRequests && imageWords.MatchString(said) && len(e.amounts()) == 0 &&
		(e.Status < http.StatusInternalServerError || refuses.MatchString(said) || strings.Contains(said, "missing"))
}

// said is the endpoint's message and its codes in lower case.
func (e *HTTPError) said() string {
	return strings.ToLower(e.Message + " " + strings.Join(e.codes, " "))
}

var classHints = map[qa.FailureClass]string{
	qa.FailAuth:            "the key was rejected: check the provider's variable, and that the key is for this endpoint",
	qa.FailRateLimit:       "the endpoint is busy or a quota is used up: wait, or lower -j",
	qa.FailServer:          "the fault is at the endpoint: see its log",
	qa.FailNetwork:         "the connection broke: check that the server stays up, and any proxy or tunnel on the way",
	qa.FailUnreachable:     "nothing is listening: check that the server runs, and the base URL",
	qa.FailTimeout:         "the endpoint is slow or stuck: is the model still loading? --timeout allows more time",
	qa.FailImages:          "the model or its server accepts no images, which only agentic-hybrid-view needs",
	qa.FailContextOverflow: "the conversation and the reply limit exceed the model's context window",
}

var httpsWanted = lazyregexp.New(`to an https server|sent to https port`)

// hint is more specific than the class if status and text allow it.
func (e *HTTPError) hint() string {
	paths := []string{"/chat/completions", "/messages", "/responses"} // which users copy into the base URL
	switch {
	case e.Status/100 == 3:
		return "if that address is right, use it as the base URL"
	case slices.ContainsFunc(paths, func(path string) bool { return strings.Count(e.Endpoint, path) > 1 }):
		return "the base URL must not include /chat/completions, /messages or /responses"
	case strings.Contains(e.said(), "v1/responses") && !strings.HasSuffix(e.Endpoint, "/responses"):
		return "the model needs OpenAI's Responses API: -m openai-responses:NAME"
	case httpsWanted.MatchString(e.said()):
		return "the server speaks https: write https:// in the base URL"
	case e.class() == qa.FailImages:
		return ""
	case e.Status == http.StatusNotFound, e.Status == http.StatusMethodNotAllowed:
		return "check the model's name and the base URL, which usually ends in /v1; GET /models there lists the names"
	case e.Status == http.StatusPaymentRequired,
		e.class() == qa.FailAuth && (e.Status == http.StatusTooManyRequests || spent.MatchString(e.said())):
		return "the account has no credit or quota left; the key itself was accepted"
	case e.limitsReply():
		return "lower --max-tokens: the reply limit counts against the context window"
	}
	return ""
}

// tlsFault explains a TLS error; ok is false for any other error. All of them are permanent.
func tlsFault(err error) (hint string, ok bool) {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &authority):
		return "the certificate authority is unknown: set SSL_CERT_FILE to a PEM file with its certificate", true
	case errors.As(err, &host):
		return "the certificate is for another host name: check the base URL", true
	case errors.As(err, &invalid):
		return "the certificate is not valid: check its expiry date and this machine's clock", true
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "the server does not speak https there: write http:// in the base URL", true
	}
	return "", false
}
