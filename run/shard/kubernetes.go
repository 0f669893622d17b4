package shard

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/ledger"
)

// Kubernetes is an indexed Job: one pod for each shard.
type Kubernetes struct {
	Job
	// Namespace may be empty for that of the context.
	Namespace string
	// Image has airqa and /bin/sh.
	Image string
	// Secret has the keys, as environment variables by name.
	Secret string
	// Claim is the volume of questions and runs, mounted at Work; several nodes write to it.
	Claim, Work string
	// DataClaim is the volume of the data directory, mounted read-only at Data; empty if Claim has it.
	DataClaim, Data string
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

func (k Kubernetes) checkAll() error {
	if err := errors.Join(k.check(), k.checkNames()); err != nil {
		return err
	}
	switch {
	case !imagePattern.MatchString(k.Image):
		return fmt.Errorf("image %q: want a name such as registry.example.com/airqa:0.1.0", k.Image)
	case !path.IsAbs(k.Work):
		return fmt.Errorf("work folder %q: want an absolute path", k.Work)
	case k.DataClaim != "" && !path.IsAbs(k.Data):
		return fmt.Errorf("data directory %q: want an absolute path, at which --data-claim is mounted", k.Data)
	case k.DataClaim != "" && within(k.Work, k.Data):
		return fmt.Errorf("data directory %s is in %s, where --claim is mounted; name another path", k.Data, k.Work)
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

// within reports whether a path is a folder or in it.
func within(folder, p string) bool {
	folder, p = path.Clean(folder), path.Clean(p)
	return p == folder || strings.HasPrefix(p, strings.TrimRight(folder, "/")+"/")
}

// Shell is the command of a pod. Its first argument is the folder of the shards, and the others are those of the command.
// Indexes count from 0, and shards from 1. Papers that cannot be read (exit code 3) are final: the log lists them, and the
// others are in.
func (k Kubernetes) Shell() string {
	task := fmt.Sprintf(`airqa %s "$@" --shard "$i/%d" %s "$root/$i-of-%[2]d"`, k.Command, k.Shards, k.Command.Target())
	if k.Command.AddsPapers() {
		task = `pid= stop=; trap 'if [ -n "$pid" ]; then kill -TERM "$pid"; else stop=1; fi' TERM; ` + task +
			` & pid=$!; [ -z "$stop" ] || kill -TERM "$pid"; wait "$pid"; code=$?; ` +
			`while kill -0 "$pid" 2>/dev/null; do wait "$pid"; code=$?; done; [ "$code" -eq 3 ] && exit 0; exit "$code"`
	} else {
		task = "exec " + task
	}
	return `root=$1; shift; i=$((JOB_COMPLETION_INDEX + 1)); ` + task
}

// Join is the command of the pod that joins the shards. Its arguments are the folder of the shards and the joined data
// directory. A shard that is missing is an error.
func (k Kubernetes) Join() string {
	return fmt.Sprintf(`root=$1; out=$2; shift 2; i=1; while [ "$i" -le %d ]; do set -- "$@" "$root/$i-of-%[1]d"; i=$((i + 1)); done; `+
		`exec airqa papers join "$@" --data "$out"`, k.Shards)
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
