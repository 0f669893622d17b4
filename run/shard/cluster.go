package shard

import (
	"embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode"

	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
	"airqa/run/budget"
)

//go:embed templates
var templateFiles embed.FS

// Command is a command of airqa that can be divided. The others than Run add papers to a data directory.
type Command string

// The commands.
const (
	Run    Command = "run"
	Ingest Command = "ingest"
	Import Command = "import"
)

// AddsPapers reports whether the command makes data directories. The others make run directories.
func (c Command) AddsPapers() bool { return c != Run }

// Target is the flag with the directory of a shard.
func (c Command) Target() string {
	if c.AddsPapers() {
		return "--data"
	}
	return "--out"
}

// Combine is the command after the shards.
func (c Command) Combine() string {
	if c.AddsPapers() {
		return "papers join"
	}
	return "shards merge"
}

// Last is the name of that step.
func (c Command) Last() string { return strings.Fields(c.Combine())[1] }

// Job is a run or an ingest to divide.
type Job struct {
	Division
	// Command is what each shard runs.
	Command Command
	// Args are the arguments of the command for one shard, without --shard and its target.
	Args []string
	// Out is the merged run, or the joined data directory. Its shards are in a folder beside it.
	Out string
	// Memory of one shard, as the scheduler takes it, such as 4G or 4Gi.
	Memory string
}

// Division divides a job.
type Division struct {
	Shards int `required:"" placeholder:"N" help:"Number of shards, each its own process. The budgets of the run are divided by N."`
	// Parallel is how many shards run at a time; 0 means all.
	Parallel int `placeholder:"P" help:"Maximum shards that run at a time. Default: all."`
	// Name is the name of the job: lower-case letters, digits and hyphens.
	Name string `default:"airqa" help:"Name of the job."`
	CPUs int    `name:"cpus" default:"2" help:"CPUs per shard."`
	// Restarts is how often a shard is started again after a failure.
	Restarts int `default:"20" help:"Maximum restarts of a failed shard."`
}

// Server is a model server that runs beside each shard. It may be empty.
type Server struct {
	// Serve is for a shell.
	Serve   string        `placeholder:"COMMAND" help:"Start a model server beside each shard, such as 'vllm serve MODEL --port {port}'. {port} is a free port, also in the flags of the run; without an address there, --base-url is http://127.0.0.1:{port}/v1."`
	GPUs    string        `name:"gpus" placeholder:"N" help:"GPUs per shard."`
	Ready   string        `default:"/health" placeholder:"PATH" help:"Path that the server answers with status 200 when it is ready."`
	Startup time.Duration `default:"30m" help:"How long the server may take until it is ready."`
}

// port stands for the port of the model server.
const port = "{port}"

func (s Server) check() error {
	switch {
	case s.Serve == "":
		return nil
	case !strings.Contains(s.Serve, port):
		return fmt.Errorf("--serve %q: want {port} where the command takes its port", s.Serve)
	case strings.ContainsFunc(s.Serve+s.Ready, unicode.IsControl):
		return errors.New("--serve and --ready must not contain control characters")
	case credentials.MatchString(s.Serve):
		return errors.New("a URL in --serve contains a password")
	case !strings.HasPrefix(s.Ready, "/"):
		return fmt.Errorf("--ready %q: want a path such as /health", s.Ready)
	case s.Startup < time.Second:
		return fmt.Errorf("the model server may take %s to be ready: want at least 1s", s.Startup)
	}
	return nil
}

// call returns the arguments of a job with the address of the server, unless they have one.
func (s Server) call(j Job) []string {
	flag := "--base-url"
	if j.Command.AddsPapers() {
		flag = "--embed-base-url"
	}
	args := slices.Clone(j.Args)
	if s.Serve == "" || strings.Contains(strings.Join(args, " "), port) || len(Without(args, flag)) < len(args) {
		return args
	}
	return append(args, flag, "http://127.0.0.1:"+port+"/v1")
}

var (
	namePattern   = lazyregexp.New(`^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$`)
	memoryPattern = lazyregexp.New(`^[1-9][0-9]*([KMGT]i?)?$`)
	// credentials matches a user and password in a URL.
	credentials = lazyregexp.New(`://[^/@\s]*:[^/@\s]*@`)
)

func (j Job) check() error {
	switch {
	case !namePattern.MatchString(j.Name):
		return fmt.Errorf("name %q: want at most 40 lower-case letters, digits and hyphens, beginning with a letter", j.Name)
	case j.Shards < 1 || j.Shards > Max:
		return fmt.Errorf("%d shards: want 1 to %d", j.Shards, Max)
	case j.Parallel < 0 || j.CPUs < 1 || j.Restarts < 0:
		return errors.New("--parallel and --restarts must not be negative, and --cpus must be at least 1")
	case !memoryPattern.MatchString(j.Memory):
		return fmt.Errorf("memory %q: want a number with a unit, such as 4G", j.Memory)
	case j.Out == "":
		return fmt.Errorf("airqa %s needs %s DIR", j.Command, j.Command.Target())
	}
	for _, arg := range append(slices.Clone(j.Args), j.Out) {
		if strings.ContainsFunc(arg, unicode.IsControl) {
			return fmt.Errorf("%q contains a control character", arg)
		}
		if credentials.MatchString(arg) {
			return errors.New("a URL contains a password: leave the flag out and set its variable, such as AIRQA_VECTORS, with the keys")
		}
	}
	return nil
}

// Root is the folder of the shards' directories.
func (j Job) Root() string { return strings.TrimRight(j.Out, "/") + "-shards" }

// AtOnce is how many shards run at a time.
func (j Job) AtOnce() int {
	if j.Parallel == 0 {
		return j.Shards
	}
	return min(j.Parallel, j.Shards)
}

// render fills a template. quote is how its arguments are quoted.
func render(name string, quote func(string) string, data any) (string, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{"quote": quote, "plain": yamlString, "sh": terminal.ShellWord}).ParseFS(templateFiles, "templates/"+name, "templates/pod.yaml")
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, data)
	return out.String(), err
}

// Budget is the flag of the limits of one shard: each may spend an equal part.
func (j Job) Budget(l budget.Limits) ([]string, error) {
	if l == (budget.Limits{}) {
		return nil, nil
	}
	const precision = 1e6
	part := budget.Limits{USD: math.Floor(l.USD/float64(j.Shards)*precision) / precision, Tokens: l.Tokens / j.Shards, Time: l.Time}
	if part.USD == 0 && l.USD > 0 || part.Tokens == 0 && l.Tokens > 0 {
		return nil, fmt.Errorf("--budget %s is too little for %d shards", l, j.Shards)
	}
	return []string{"--budget", part.String()}, nil
}

// Connections is the flag of the maximum number of concurrent requests to an embedding server, which the shards running at a
// time share; none if it is 0.
func (j Job) Connections(n int) ([]string, error) {
	const flag = "--embed-connections"
	switch {
	case n == 0:
		return nil, nil
	case n < j.AtOnce():
		return nil, fmt.Errorf("%s %d is less than one for each of %d shards; add --parallel %[2]d to run fewer at a time", flag, n, j.AtOnce())
	}
	return []string{flag, strconv.Itoa(n / j.AtOnce())}, nil
}

// Without returns arguments without some flags and their values. Flags are named as in "--out" or "-o".
func Without(args []string, flags ...string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		name, _, hasValue := strings.Cut(args[i], "=")
		switch {
		case slices.Contains(flags, name):
			if !hasValue {
				i++
			}
		case len(name) > 2 && name[1] != '-' && slices.Contains(flags, name[:2]): // -oDIR
		default:
			kept = append(kept, args[i])
		}
	}
	return kept
}
