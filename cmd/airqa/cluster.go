package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"airqa/internal/settings"
	"airqa/qa"
	"airqa/run/shard"
)

// shardsCmd is about runs that are divided among processes.
type shardsCmd struct {
	Merge mergeCmd      `cmd:"" help:"Merge the shards of a run into one run."`
	Slurm slurmCmd      `cmd:"" help:"Print an array job script for Slurm."`
	K8s   kubernetesCmd `cmd:"" name:"k8s" help:"Print an indexed Job for Kubernetes."`
	Serve servingCmd    `cmd:"" help:"Print servers of episodes for Kubernetes."`
}

// clusterFlags are common to all schedulers.
type clusterFlags struct {
	Shards   int      `required:"" env:"-" placeholder:"N" help:"Number of shards, each its own process. The budgets of the run are divided by N."`
	Parallel int      `env:"-" placeholder:"P" help:"Maximum shards that run at a time; they share --max-connections. Default: all."`
	Name     string   `env:"-" default:"airqa" help:"Name of the job."`
	CPUs     int      `name:"cpus" env:"-" default:"2" help:"CPUs per shard."`
	Restarts int      `env:"-" default:"20" help:"Maximum restarts of a failed shard."`
	Args     []string `arg:"" name:"run-flag" help:"After --: the flags of airqa run for the whole run, with --out."`
}

type slurmCmd struct {
	clusterFlags
	Mem       string `env:"-" default:"4G" help:"Memory per shard."`
	Time      string `env:"-" default:"24:00:00" help:"Time limit of one task. A task that reaches it is queued again and resumes."`
	Partition string `env:"-" placeholder:"NAME" help:"Partition. Default: the cluster's own default."`
	Keys      string `names:"source" env:"-" placeholder:"FILE" help:"File with the API keys on the cluster, one NAME=VALUE per line. Default: the environment of sbatch."`
}

func (c slurmCmd) Run(a *app) error {
	job, _, err := c.job(a)
	if err != nil {
		return err
	}
	job.Memory = c.Mem
	script, err := shard.Slurm{Job: job, Partition: c.Partition, Time: c.Time, Keys: c.Keys}.Script()
	return a.printWhole(script, err)
}

// podFlags describe the pods of Kubernetes.
type podFlags struct {
	Mem       string `env:"-" default:"4Gi" help:"Memory per shard."`
	Image     string `names:"source" required:"" env:"-" help:"Container image with airqa (docker/Dockerfile builds one)."`
	Claim     string `required:"" env:"-" placeholder:"NAME" help:"PersistentVolumeClaim for questions and runs, writable by several nodes."`
	Work      string `env:"-" default:"/work" placeholder:"DIR" help:"Where --claim is mounted. Relative paths of the run are in it."`
	DataClaim string `env:"-" placeholder:"NAME" help:"PersistentVolumeClaim for the data directory, mounted read-only at --data. Default: the data directory is in --claim."`
	Secret    string `env:"-" default:"airqa-keys" help:"Secret with the API keys, one environment variable per key."`
	Namespace string `env:"-" placeholder:"NAME" help:"Namespace. Default: the namespace of the kubectl context."`
}

type kubernetesCmd struct {
	clusterFlags
	podFlags
}

func (c kubernetesCmd) Run(a *app) error {
	job, run, err := c.job(a)
	if err != nil {
		return err
	}
	k, err := c.pods(job, run.Data)
	if err != nil {
		return err
	}
	manifest, err := k.Manifest()
	return a.printWhole(manifest, err)
}

// pods describes the pods of a job on a data directory.
func (f podFlags) pods(job shard.Job, data string) (shard.Kubernetes, error) {
	job.Memory = f.Mem
	k := shard.Kubernetes{
		Job: job, Namespace: f.Namespace, Image: f.Image, Secret: f.Secret, Claim: f.Claim, Work: f.Work, DataClaim: f.DataClaim, Data: data,
	}
	if k.DataClaim != "" && !slices.Contains(job.Args, data) {
		return k, qa.Usagef("--data-claim needs --data DIR after --: the path where the claim is mounted")
	}
	return k, nil
}

type servingCmd struct {
	podFlags
	Replicas int      `env:"-" default:"2" help:"Number of servers."`
	Name     string   `env:"-" default:"airqa" help:"Name of the servers and of their address."`
	CPUs     int      `name:"cpus" env:"-" default:"2" help:"CPUs per server."`
	Port     int      `env:"-" default:"8378" help:"Port of the address."`
	Args     []string `arg:"" name:"serve-flag" help:"After --: the flags of airqa serve. Each server has a run directory in the folder of --out."`
}

func (c servingCmd) Run(a *app) error {
	parsed, err := parseFlags("serve", c.Args, a.files)
	if err != nil {
		return err
	}
	job := shard.Job{
		Name: c.Name, Args: shard.Without(c.Args, "--out", "-o", "--listen"), Out: filepath.ToSlash(parsed.Serve.Out), Shards: c.Replicas, CPUs: c.CPUs,
	}
	if err := a.refuseKeys(job.Args); err != nil {
		return err
	}
	k, err := c.pods(job, parsed.Serve.Data)
	if err != nil {
		return err
	}
	manifest, err := shard.Serving{Kubernetes: k, Port: c.Port}.Manifest()
	return a.printWhole(manifest, err)
}

// job checks the flags of airqa run and divides the limits.
func (c clusterFlags) job(a *app) (shard.Job, runCmd, error) {
	parsed, err := parseFlags("run", c.Args, a.files)
	run := parsed.Run
	if err != nil {
		return shard.Job{}, run, err
	}
	switch {
	case run.Shard != (shard.Part{}):
		return shard.Job{}, run, qa.Usagef("--shard is set for each shard; leave it out")
	case run.Out == "":
		return shard.Job{}, run, qa.Usagef("missing --out DIR after --: the directory of the merged run, such as runs/hybrid")
	case run.DryRun || run.Replay != "":
		return shard.Job{}, run, qa.Usagef("--dry-run and --replay make no calls: run them on one machine")
	}
	args := shard.Without(c.Args, "--out", "-o", "--budget-usd", "--budget-tokens", "--max-connections")
	job := shard.Job{
		Name: c.Name, Args: args, Out: filepath.ToSlash(run.Out), Shards: c.Shards, Parallel: c.Parallel, CPUs: c.CPUs, Restarts: c.Restarts,
	}
	limits, err := shard.Limits{USD: run.BudgetUSD, Tokens: run.BudgetTokens, Connections: run.MaxConnections}.Flags(job)
	if err != nil {
		return job, run, withCode(exitUsage, err)
	}
	job.Args = append(job.Args, limits...)
	if err := a.refuseKeys(job.Args); err != nil {
		return job, run, err
	}
	return job, run, run.check()
}

// refuseKeys returns an error if flags contain an API key, which would be in what is printed.
func (a *app) refuseKeys(args []string) error {
	if all := strings.Join(args, "\n"); string(a.session().RedactKeys([]byte(all))) != all {
		return qa.Usagef("the flags contain an API key; leave it out, and set its environment variable on the cluster")
	}
	return nil
}

// parseFlags parses the flags of a command of airqa.
func parseFlags(command string, args []string, files *settings.Files) (c cli, err error) {
	parser, err := kong.New(&c, options(files)...)
	if err != nil {
		return c, withCode(exitUsage, err)
	}
	if _, err := parser.Parse(append([]string{command}, args...)); err != nil {
		return c, withCode(exitUsage, fmt.Errorf("flags of airqa %s: %w\n  help: airqa %[1]s --help", command, err))
	}
	return c, nil
}

// printWhole prints a result that ends with a newline.
func (a *app) printWhole(text string, err error) error {
	if err != nil {
		return withCode(exitUsage, err)
	}
	return a.print(strings.TrimRight(text, "\n"))
}
