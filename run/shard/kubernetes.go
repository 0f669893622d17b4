package shard

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"

	"airqa/internal/lazyregexp"
	"airqa/internal/ledger"
)

// Kubernetes is an indexed Job: one pod for each shard. Data is the path of the data directory.
type Kubernetes struct {
	Job    `kong:"-"`
	Server `kong:"-"`
	Data   string `kong:"-"`

	// Image has airqa and /bin/sh.
	Image     string `required:"" help:"Container image with airqa (docker/Dockerfile builds one)."`
	Claim     string `required:"" placeholder:"NAME" help:"PersistentVolumeClaim for questions and runs, writable by several nodes."`
	Work      string `default:"/work" placeholder:"DIR" help:"Where --claim is mounted. Relative paths of the run are in it."`
	DataClaim string `placeholder:"NAME" help:"PersistentVolumeClaim for the data directory, mounted read-only at --data. Default: the data directory is in --claim."`
	Secret    string `default:"airqa-keys" help:"Secret with the API keys, one environment variable per key."`
	Keys      string `default:"keys.env" placeholder:"FILE" help:"File with the API keys, one NAME=VALUE per line, of which the printed command makes the Secret."`
	Namespace string `placeholder:"NAME" help:"Namespace. Default: the namespace of the kubectl context."`
	// ServeImage is the container image of the model server; empty without one.
	ServeImage string `kong:"-"`
}

var (
	objectPattern = lazyregexp.New(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)
	imagePattern  = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._/:@-]*$`)
)

// Manifest has two Jobs in YAML: one for the shards, and one that merges or joins them, which is suspended.
func (k Kubernetes) Manifest() (string, error) {
	if err := k.checkAll(); err != nil {
		return "", err
	}
	k.Args = k.call(k.Job)
	for i, arg := range k.Args {
		k.Args[i] = strings.ReplaceAll(arg, port, podPort)
	}
	k.Serve = strings.ReplaceAll(k.Serve, port, podPort)
	return render("kubernetes.yaml", YAMLQuote, k)
}

// Serving is a StatefulSet of servers of episodes, as many as there are shards, and the Service in front of them.
type Serving struct {
	Kubernetes
	Port int
}

// Manifest has both in YAML.
func (s Serving) Manifest() (string, error) {
	if err := s.checkAll(); err != nil {
		return "", err
	}
	return render("serving.yaml", YAMLQuote, s)
}

// Directory is the run directory of a server as a YAML string. Kubernetes fills in the name of its pod.
func (s Serving) Directory() string {
	return strings.TrimSuffix(YAMLQuote(strings.TrimRight(s.Out, "/")), `"`) + `/$(POD_NAME)"`
}

// Kubectl is kubectl with the namespace.
func (k Kubernetes) Kubectl() string {
	if k.Namespace == "" {
		return "kubectl"
	}
	return "kubectl -n " + k.Namespace
}

// podPort is the port of the model server: a pod has its ports for itself.
const podPort = "8000"

// Port is the port of the model server.
func (Kubernetes) Port() string { return podPort }

// Tries is how often the model server is asked whether it is ready, every five seconds.
func (k Kubernetes) Tries() int { return int((k.Startup + 4*time.Second) / (5 * time.Second)) }

// Merging has the pod that merges or joins the shards. It calls no endpoint: it has neither the keys nor a server.
func (k Kubernetes) Merging() Kubernetes {
	k.Secret, k.Server, k.ServeImage = "", Server{}, ""
	return k
}

func (k Kubernetes) checkAll() error {
	if err := errors.Join(k.Job.check(), k.Server.check(), k.checkNames(), k.checkServer()); err != nil {
		return err
	}
	work, data := path.Clean(k.Work), path.Clean(k.Data)
	switch {
	case !imagePattern.MatchString(k.Image):
		return fmt.Errorf("image %q: want a name such as registry.example.com/airqa:0.1.0", k.Image)
	case strings.ContainsFunc(k.Keys, unicode.IsControl):
		return fmt.Errorf("%q is not a file name", k.Keys)
	case !path.IsAbs(k.Work):
		return fmt.Errorf("work folder %q: want an absolute path", k.Work)
	case k.DataClaim != "" && !path.IsAbs(k.Data):
		return fmt.Errorf("data directory %q: want an absolute path, at which --data-claim is mounted", k.Data)
	case k.DataClaim != "" && (data == work || strings.HasPrefix(data, strings.TrimRight(work, "/")+"/")):
		return fmt.Errorf("data directory %s is in %s, where --claim is mounted; name another path", k.Data, k.Work)
	}
	return nil
}

func (k Kubernetes) checkServer() error {
	switch {
	case (k.ServeImage == "") != (k.Serve == ""):
		return errors.New("a model server needs both --serve-image and --serve")
	case k.ServeImage != "" && !imagePattern.MatchString(k.ServeImage):
		return fmt.Errorf("image %q: want a name such as vllm/vllm-openai:v0.11.0", k.ServeImage)
	case strings.Trim(k.GPUs, "0123456789") != "" || k.GPUs != "" && k.ServeImage == "":
		return fmt.Errorf("%s GPUs: want a number, and a model server that has them", k.GPUs)
	}
	return nil
}

// checkNames rejects names that no object of a cluster has.
func (k Kubernetes) checkNames() error {
	for what, name := range map[string]string{"secret": k.Secret, "claim": k.Claim, "data claim": k.DataClaim, "namespace": k.Namespace} {
		if optional := what == "data claim" || what == "namespace"; !objectPattern.MatchString(name) && (name != "" || !optional) {
			return fmt.Errorf("%s %q: want the name of a Kubernetes object: lower-case letters, digits, hyphens and dots", what, name)
		}
	}
	return nil
}

// YAMLQuote quotes a word of a command for YAML. It doubles each dollar sign, as Kubernetes replaces $(NAME) there.
func YAMLQuote(word string) string { return yamlString(strings.ReplaceAll(word, "$", "$$")) }

func yamlString(text string) string {
	quoted, err := ledger.EncodeText(text) // a string in JSON is one in YAML
	if err != nil {
		panic(err) // a string is always encoded
	}
	return quoted
}
