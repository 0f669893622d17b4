package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/bedrock"
	"github.com/tmc/langchaingo/llms/cloudflare"

	"airqa/qa"
)

// opener makes a model with one of langchaingo's own clients, for the model and key of c at base. Its requests use h.
type opener func(c Config, base *url.URL, h *http.Client) (llms.Model, error)

// newForeign makes the endpoint of a provider served by a langchaingo client.
func newForeign(c Config, v vendor, base *url.URL) (*Endpoint, error) {
	e := c.endpoint(base, base)
	e.thinks, e.textOnly, e.options = true, v.textOnly, c.callOptions()
	h := *c.client(base)
	h.Transport = strict{e.site, h.Transport}
	var err error
	e.inner, err = v.open(c, base, &h)
	return e, err
}

// strict is a transport that limits the size of a reply and returns an [HTTPError] for every error status, which
// langchaingo's clients would reduce to text.
type strict struct {
	site
	next http.RoundTripper
}

// RoundTrip returns an error for every response without a success status.
func (s strict) RoundTrip(r *http.Request) (*http.Response, error) {
	next := s.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 300 {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxReply)
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody*4)) // a partial body is enough
	return nil, answered{s.httpError(resp.StatusCode, resp.Header, body), resp.StatusCode}
}

// foreignClass is the class of a connection error or an error made by a langchaingo client.
func foreignClass(err error) qa.FailureClass {
	var standard *llms.Error
	var network net.Error
	switch {
	case errors.As(err, &network) && network.Timeout():
		return qa.FailTimeout
	case errors.As(err, &standard):
		return standardClasses[standard.Code]
	case errors.As(err, new(*http.MaxBytesError)), errors.As(err, new(*json.SyntaxError)), errors.As(err, new(*json.UnmarshalTypeError)):
		return qa.FailGarbage
	case errors.As(err, new(*url.Error)), errors.As(err, &network), errors.As(err, new(answered)),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return qa.FailNetwork
	case strings.Contains(err.Error(), "credentials"):
		return qa.FailAuth
	}
	return qa.FailUnknown
}

var standardClasses = map[llms.ErrorCode]qa.FailureClass{
	llms.ErrCodeAuthentication: qa.FailAuth, llms.ErrCodeQuotaExceeded: qa.FailAuth,
	llms.ErrCodeRateLimit: qa.FailRateLimit, llms.ErrCodeTimeout: qa.FailTimeout,
	llms.ErrCodeTokenLimit: qa.FailContextOverflow, llms.ErrCodeProviderUnavailable: qa.FailServer,
	llms.ErrCodeInvalidRequest: qa.FailBadRequest, llms.ErrCodeResourceNotFound: qa.FailBadRequest,
	llms.ErrCodeNotImplemented: qa.FailBadRequest, llms.ErrCodeContentFilter: qa.FailBadRequest,
	llms.ErrCodeUnknown: qa.FailUnknown, llms.ErrCodeCanceled: qa.FailCancelled,
}

// openBedrock signs its requests with the credentials of AWS's own tools (variables, profiles, SSO). The region comes
// from the address.
func openBedrock(c Config, base *url.URL, h *http.Client) (llms.Model, error) {
	_, model := SplitSpec(c.Spec)
	region := "us-east-1"
	if found := bedrockHost.FindStringSubmatch(base.Hostname()); found != nil {
		region = found[1]
	}
	settings, err := awsconfig.LoadDefaultConfig(context.Background(),
		awsconfig.WithRegion(region), awsconfig.WithEC2IMDSClientEnableState(imds.ClientDisabled))
	if err != nil {
		return nil, fmt.Errorf("read the AWS configuration: %w", err)
	}
	runtime := bedrockruntime.NewFromConfig(settings, func(o *bedrockruntime.Options) {
		o.BaseEndpoint, o.HTTPClient, o.Retryer = aws.String(base.String()), h, aws.NopRetryer{}
	})
	return bedrock.New(bedrock.WithClient(runtime), bedrock.WithModel(model))
}

// openCloudflare calls Workers AI. The account is the last element of the address.
func openCloudflare(c Config, base *url.URL, h *http.Client) (llms.Model, error) {
	account := path.Base(base.Path)
	if account == "accounts" {
		return nil, errors.New("the account is missing: give the base URL https://api.cloudflare.com/client/v4/accounts/ACCOUNT")
	}
	_, model := SplitSpec(c.Spec)
	return cloudflare.New(
		cloudflare.WithCloudflareServerURL(base.JoinPath("..")), cloudflare.WithAccountID(account),
		cloudflare.WithToken(c.APIKey), cloudflare.WithModel(model), cloudflare.WithHTTPClient(h),
	)
}
