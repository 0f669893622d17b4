package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"airqa/env/index"
	"airqa/internal/settings"
	"airqa/qa"
	"airqa/run/merge"
	"airqa/run/shard"
)

// clusterFlags are common to all schedulers.
type clusterFlags struct {
	shard.Division
	From string   `placeholder:"RUN" help:"Take over the episodes that RUN has of these questions: an undivided run of the same settings, such as a partial merge."`
	Args []string `arg:"" name:"run-flag" help:"After --: the flags of airqa run for the whole run, with --out. Or ingest or import and its arguments, with the data directory that joins all papers as --data; or, for Kubernetes, serve and its flags."`
}

type slurmCmd struct {
	clusterFlags
	shard.Slurm
	Mem string `default:"4G" help:"Memory per shard."`
}

func (c slurmCmd) Run(a *app) error {
	job, _, err := c.job(a, append(slices.Clone(c.Setup), c.Serve))
	if err != nil {
		return err
	}
	job.Memory, job.Args = c.Mem, graceful(job, slurmGrace)
	c.Job = job
	if c.Airqa == "" {
		if c.Airqa, err = os.Executable(); err != nil {
			return err
		}
	}
	script, err := c.Script()
	return a.printWhole(script, err)
}

// The grace periods end a little before the scheduler kills: KillWait of Slurm is 30 seconds unless changed, and the manifest
// gives pods 300.
const (
	slurmGrace = 25 * time.Second
	podGrace   = 280 * time.Second
)

// graceful returns the arguments with a grace period, unless they have one or the command has none.
func graceful(job shard.Job, period time.Duration) []string {
	if job.Command == shard.Import || len(shard.Without(job.Args, "--grace")) < len(job.Args) {
		return job.Args
	}
	return append(job.Args, "--grace", period.String())
}

type podFlags struct {
	shard.Kubernetes
	Mem string `default:"4Gi" help:"Memory per shard."`
}

type kubernetesCmd struct {
	clusterFlags
	podFlags
	shard.Server
	Image string `name:"serve-image" placeholder:"IMAGE" help:"Container image of the model server, with /bin/sh."`
	Port  int    `default:"8378" help:"After -- serve: port of the address of the servers, whose number is --shards. Each has a run directory in the folder of --out."`
}

func (c kubernetesCmd) Run(a *app) error {
	if len(c.Args) > 0 && c.Args[0] == "serve" {
		return c.servers(a)
	}
	job, data, err := c.job(a, []string{c.Serve})
	if err != nil {
		return err
	}
	job.Args = graceful(job, podGrace)
	k, err := c.pods(job, data)
	if err != nil {
		return err
	}
	k.Server, k.ServeImage = c.Server, c.Image
	manifest, err := k.Manifest()
	return a.printWhole(manifest, err)
}

func (f podFlags) pods(job shard.Job, data string) (shard.Kubernetes, error) {
	k := f.Kubernetes
	k.Job, k.Memory, k.Data = job, f.Mem, data
	if k.DataClaim != "" && job.Command.AddsPapers() {
		return k, qa.Usagef("--data-claim is for runs: the data directories of airqa %s are written to --claim", job.Command)
	}
	if k.DataClaim != "" && !slices.Contains(job.Args, data) {
		return k, qa.Usagef("--data-claim needs --data DIR after --: the path where the claim is mounted")
	}
	return k, nil
}

func (c kubernetesCmd) servers(a *app) error {
	if c.Serve != "" || c.From != "" {
		return qa.Usagef("--serve and --from are for runs: clients of airqa serve bring their own models")
	}
	args := c.Args[1:]
	parsed, err := parseFlags("serve", args, a.files)
	if err != nil {
		return err
	}
	job := shard.Job{
		Division: shard.Division{Name: c.Name, Shards: c.Shards, CPUs: c.CPUs}, Command: shard.Run,
		Args: shard.Without(args, "--out", "-o", "--listen"), Out: filepath.ToSlash(parsed.Serve.Out),
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

// job divides the command after --: airqa run, unless the first word names another. It also returns its data directory. It refuses
// keys, also in lines.
func (c clusterFlags) job(a *app, lines []string) (job shard.Job, data string, err error) {
	job = shard.Job{Division: c.Division, Command: shard.Run, Args: c.Args}
	if len(c.Args) > 0 && !strings.HasPrefix(c.Args[0], "-") {
		job.Command, job.Args = shard.Command(c.Args[0]), c.Args[1:]
	}
	if slices.Contains(job.Args, "--") {
		return job, "", qa.Usagef("only one -- is possible; write ./-NAME for a file whose name begins with -")
	}
	if c.From != "" { // only airqa run has it
		job.Args = slices.Concat(job.Args, []string{"--from", c.From})
	}
	var divide func(cli) error
	switch job.Command {
	case shard.Run:
		divide = func(c cli) error { data = c.Run.Data; return divideRun(&job, c.Run) }
	case shard.Ingest:
		divide = func(c cli) error { data = c.Ingest.Data; return divideIngest(&job, c.Ingest) }
	case shard.Import:
		divide = func(c cli) error {
			from := c.Import.Database
			data = from.Data
			return divideData(&job, from.dataFlags, from.shardFlag, from.Replace)
		}
	default:
		return job, "", qa.Usagef("airqa %s cannot be divided: after --, name ingest or import, or give the flags of airqa run", job.Command)
	}
	parsed, err := parseFlags(string(job.Command), job.Args, a.files)
	if err == nil {
		err = divide(parsed)
	}
	if err == nil {
		err = a.refuseKeys(append(lines, job.Args...))
	}
	return job, data, err
}

// errShard refuses a part of a part.
var errShard = qa.Usagef("--shard is set for each shard; leave it out")

// divideRun checks the flags of airqa run and divides the limits.
func divideRun(job *shard.Job, run runCmd) error {
	switch {
	case run.Shard != (shard.Part{}):
		return errShard
	case run.Out == "":
		return qa.Usagef("missing --out DIR after --: the directory of the merged run, such as runs/hybrid")
	case run.DryRun:
		return qa.Usagef("--dry-run makes no calls: run it on one machine")
	}
	job.Out = filepath.ToSlash(run.Out)
	limits, err := job.Budget(run.Budget)
	if err != nil {
		return withCode(exitUsage, err)
	}
	job.Args = append(shard.Without(job.Args, "--out", "-o", "--budget"), limits...)
	return run.check()
}

// divideIngest checks the arguments of airqa ingest. Shards that run at a time wait for each other's requests to one host.
func divideIngest(job *shard.Job, c ingestCmd) error {
	items, err := c.sources()
	if err != nil {
		return err
	}
	if _, err := c.check(); err != nil {
		return err
	}
	if len(shard.Without(job.Args, "-j", "--workers")) == len(job.Args) {
		job.Args = append(job.Args, "-j", strconv.Itoa(job.CPUs))
	}
	if len(items) > 0 {
		job.Args = append(shard.Without(job.Args, "--delay"), "--delay", (c.Delay * time.Duration(job.AtOnce())).String())
	}
	return divideData(job, c.dataFlags, c.shardFlag, c.Replace)
}

// divideData checks the flags of a command that adds papers, and divides the connections to an embedding server.
func divideData(job *shard.Job, data dataFlags, part shardFlag, replace bool) error {
	switch {
	case part.Shard != (shard.Part{}):
		return errShard
	case replace:
		return errReplace
	case data.Vectors != "" && data.Vectors != index.Files:
		return qa.Usagef("--vectors %s: shards keep their vectors in files; copy those of the joined directory with airqa store vectors --to",
			settings.MaskURL(data.Vectors))
	}
	connections, err := job.Connections(data.EmbedConnections)
	if err != nil {
		return withCode(exitUsage, err)
	}
	job.Out = filepath.ToSlash(data.Data)
	job.Args = append(shard.Without(job.Args, "--data", "-d", "--embed-connections"), connections...)
	return nil
}

// refuseKeys returns an error if flags contain an API key, which would be in what is printed.
func (a *app) refuseKeys(args []string) error {
	if all := strings.Join(args, "\n"); string(a.session().RedactKeys([]byte(all))) != all {
		return qa.Usagef("the flags contain an API key; leave it out, and set its environment variable on the cluster")
	}
	return nil
}

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

type mergeCmd struct {
	Runs    []string `arg:"" name:"run" help:"Run directories of shards, or folders of them."`
	Out     string   `short:"o" required:"" placeholder:"DIR" help:"Run directory to create, or the folder of run directories if there are several baselines or models. An earlier merge of some of these shards is replaced."`
	Partial bool     `help:"Accept missing parts, or that adding papers was interrupted."`
	jsonFlag
}

func (c mergeCmd) Run(a *app) error {
	jobs, err := merge.Find(c.Runs)
	if err != nil {
		return err
	}
	results, failed := merge.Merger{Session: a.session(), Out: c.Out, Partial: c.Partial}.Merge(jobs)
	for _, r := range results {
		switch {
		case c.JSON:
			err = a.printJSON(r)
		case r.Written:
			err = a.print(r.Text(a.width))
		}
		if err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}
