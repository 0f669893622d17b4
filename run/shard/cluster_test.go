package shard_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"airqa/run/budget"
	"airqa/run/shard"

	"go.yaml.in/yaml/v3"
)

// odd are arguments that a shell or Kubernetes would change.
var odd = []string{
	"--questions", "my q's.jsonl", "--tag", "!text", "--tag", `a "b" \ c`, "--id", "$(HOME) $HOME `id` $$", "--id", "#", "--id", "", "--id", "*; rm -rf ~ &",
	"--id", "yes", "--id", "{{.Name}}: - é",
}

func job() shard.Job {
	return shard.Job{
		Division: shard.Division{Name: "airqa", Shards: 16, Parallel: 4, CPUs: 2, Restarts: 20},
		Command:  shard.Run, Args: slices.Clone(odd), Out: "runs/the run's", Memory: "4G",
	}
}

func slurm() shard.Slurm {
	return shard.Slurm{Job: job(), Sbatch: []string{"--partition=cpu"}, Time: "24:00:00", Server: shard.Server{Ready: "/health", Startup: time.Minute}}
}

func kubernetes() shard.Kubernetes {
	k := shard.Kubernetes{
		Job: job(), Namespace: "research", Image: "registry.example.com/airqa:0.1.0", Secret: "airqa-keys", Keys: "my keys.env", Claim: "airqa-work", Work: "/work",
		DataClaim: "airqa-data", Data: "/data",
	}
	k.Memory = "4Gi"
	return k
}

// fakes puts programs in a folder that write their arguments, a line each, to NAME.args, and returns the folder.
func fakes(t *testing.T, exit string) string {
	t.Helper()
	dir := t.TempDir()
	for name, end := range map[string]string{"airqa": "exit " + exit, "scontrol": "exit 0"} {
		text := "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + filepath.Join(dir, name+".args") + "'\n" + end + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	return dir
}

func argsOf(t *testing.T, dir, name string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name+".args"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
}

// command runs a program and returns its exit code.
func command(t *testing.T, dir string, env []string, name string, args ...string) int {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = dir, append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir}, env...)
	raw, err := c.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatalf("%v\n%s", err, raw)
	}
	return c.ProcessState.ExitCode()
}

// The options are those of sbatch.
func TestSlurmScript(t *testing.T) {
	script, err := slurm().Script()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"#SBATCH --array=1-16%4\n", "#SBATCH --cpus-per-task=2\n", "#SBATCH --mem=4G\n", "#SBATCH --time=24:00:00\n", "#SBATCH --partition=cpu\n",
		"#SBATCH --requeue\n", "#SBATCH --open-mode=append\n", `airqa shards merge 'runs/the run'\''s-shards'/*-of-16 --out 'runs/the run'\''s'`,
	} {
		if !strings.Contains(script, want) {
			t.Errorf("no %q in\n%s", want, script)
		}
	}
}

// manifest is what the tests read of a Job.
type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name, Namespace string }
	Spec       struct {
		CompletionMode           string `yaml:"completionMode"`
		Completions, Parallelism int
		BackoffLimitPerIndex     *int `yaml:"backoffLimitPerIndex"`
		BackoffLimit             *int `yaml:"backoffLimit"`
		MaxFailedIndexes         int  `yaml:"maxFailedIndexes"`
		Suspend                  bool
		PodFailurePolicy         struct {
			Rules []struct {
				Action      string
				OnExitCodes struct {
					ContainerName, Operator string
					Values                  []int
				} `yaml:"onExitCodes"`
				OnPodConditions []struct{ Type, Status string } `yaml:"onPodConditions"`
			}
		} `yaml:"podFailurePolicy"`
		Template struct {
			Spec struct {
				RestartPolicy string `yaml:"restartPolicy"`
				Volumes       []struct {
					Name                  string
					PersistentVolumeClaim struct {
						ClaimName string `yaml:"claimName"`
						ReadOnly  bool   `yaml:"readOnly"`
					} `yaml:"persistentVolumeClaim"`
				}
				Containers []struct {
					Name, Image   string
					WorkingDir    string `yaml:"workingDir"`
					Command, Args []string
					EnvFrom       []struct {
						SecretRef struct{ Name string } `yaml:"secretRef"`
					} `yaml:"envFrom"`
					Resources struct{ Requests, Limits map[string]string }
					Mounts    []struct {
						Name      string
						MountPath string `yaml:"mountPath"`
						ReadOnly  bool   `yaml:"readOnly"`
					} `yaml:"volumeMounts"`
				}
			}
		}
	}
}

func read(t *testing.T, text string) []manifest {
	t.Helper()
	var list []manifest
	dec := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	for {
		var m manifest
		err := dec.Decode(&m)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		list = append(list, m)
	}
}

// expanded are arguments as a pod gets them: Kubernetes turns two dollar signs into one.
func expanded(args []string) []string {
	list := make([]string, len(args))
	for i, arg := range args {
		list[i] = strings.ReplaceAll(arg, "$$", "$")
	}
	return list
}

func TestKubernetesManifest(t *testing.T) {
	text, err := kubernetes().Manifest()
	if err != nil {
		t.Fatal(err)
	}
	list := read(t, text)
	if len(list) != 2 {
		t.Fatalf("%d documents", len(list))
	}
	run, merge := list[0], list[1]
	for _, m := range list {
		if m.APIVersion != "batch/v1" || m.Kind != "Job" || m.Metadata.Namespace != "research" || m.Spec.Template.Spec.RestartPolicy != "Never" {
			t.Errorf("job %+v", m)
		}
		c, volumes := m.Spec.Template.Spec.Containers[0], m.Spec.Template.Spec.Volumes
		if c.Image != "registry.example.com/airqa:0.1.0" || c.WorkingDir != "/work" ||
			c.Resources.Requests["cpu"] != "2" || c.Resources.Limits["memory"] != "4Gi" {
			t.Errorf("container %+v", c)
		}
		if volumes[0].PersistentVolumeClaim.ClaimName != "airqa-work" || volumes[1].PersistentVolumeClaim.ClaimName != "airqa-data" || !volumes[1].PersistentVolumeClaim.ReadOnly {
			t.Errorf("volumes %+v", volumes)
		}
		if c.Mounts[0].MountPath != "/work" || c.Mounts[0].ReadOnly || c.Mounts[1].MountPath != "/data" || !c.Mounts[1].ReadOnly {
			t.Errorf("mounts %+v", c.Mounts)
		}
	}
	if from := run.Spec.Template.Spec.Containers[0].EnvFrom; len(from) != 1 || from[0].SecretRef.Name != "airqa-keys" {
		t.Errorf("keys of a shard: %+v", from)
	}
	if from := merge.Spec.Template.Spec.Containers[0].EnvFrom; from != nil {
		t.Errorf("keys of the merge: %+v", from)
	}
	spec := run.Spec
	if spec.CompletionMode != "Indexed" || spec.Completions != 16 || spec.Parallelism != 4 || *spec.BackoffLimitPerIndex != 20 || spec.MaxFailedIndexes != 16 || spec.Suspend {
		t.Errorf("spec %+v", spec)
	}
	rules := spec.PodFailurePolicy.Rules
	if len(rules) != 2 || rules[0].Action != "Ignore" || rules[0].OnPodConditions[0].Type != "DisruptionTarget" || rules[1].Action != "FailIndex" || !slices.Equal(rules[1].OnExitCodes.Values, []int{2, 3, 4}) {
		t.Errorf("rules %+v", rules)
	}
	got := merge.Spec.Template.Spec.Containers[0]
	want := []string{"/bin/sh", "-c", `exec airqa shards merge "$1"/*-of-16 --out "$2"`, "airqa", "runs/the run's-shards", "runs/the run's"}
	if !merge.Spec.Suspend || merge.Metadata.Name != "airqa-merge" || !slices.Equal(expanded(append(got.Command, got.Args...)), want) {
		t.Errorf("merge %+v", merge)
	}
}

func TestRefused(t *testing.T) {
	tests := []struct {
		name string
		s    func(*shard.Slurm)
		k    func(*shard.Kubernetes)
		want string
	}{
		{"name", func(s *shard.Slurm) { s.Name = "a\n#SBATCH --x" }, func(k *shard.Kubernetes) { k.Name = "Airqa" }, "name"},
		{"shards", func(s *shard.Slurm) { s.Shards = 0 }, func(k *shard.Kubernetes) { k.Shards = 100_001 }, "want 1 to"},
		{"cpus", func(s *shard.Slurm) { s.CPUs = 0 }, func(k *shard.Kubernetes) { k.CPUs = -1 }, "--cpus"},
		{"memory", func(s *shard.Slurm) { s.Memory = "4Gi" }, func(k *shard.Kubernetes) { k.Memory = "4 G" }, "memory"},
		{"newline", func(s *shard.Slurm) { s.Args = []string{"a\nb"} }, func(k *shard.Kubernetes) { k.Out = "a\nb" }, "control character"},
		{"password", func(s *shard.Slurm) { s.Args = []string{"milvus://u:p@h:1"} }, func(k *shard.Kubernetes) { k.Args = []string{"--vectors=milvus://u:p@h:1"} }, "password"},
		{"time or image", func(s *shard.Slurm) { s.Time = "1 day" }, func(k *shard.Kubernetes) { k.Image = "a b" }, "want"},
		{"option or claim", func(s *shard.Slurm) { s.Sbatch = []string{"--partition=a b"} }, func(k *shard.Kubernetes) { k.Claim = "" }, "want"},
		{"time within the notice", func(s *shard.Slurm) { s.Time = "5" }, func(k *shard.Kubernetes) { k.Image = "" }, ""},
		{"half a minute", func(s *shard.Slurm) { s.Time = "0:30" }, func(k *shard.Kubernetes) { k.Image = "" }, ""},
		{"hours", func(s *shard.Slurm) { s.Time = "0-0:05" }, func(k *shard.Kubernetes) { k.Image = "" }, ""},
		{"long form", func(s *shard.Slurm) { s.Time = "00:04:59" }, func(k *shard.Kubernetes) { k.Image = "" }, ""},
		{"no option", func(s *shard.Slurm) { s.Sbatch = []string{"partition=a"} }, func(k *shard.Kubernetes) { k.Image = "" }, ""},
		{"gpus", func(s *shard.Slurm) { s.GPUs = "1\n#SBATCH" }, func(k *shard.Kubernetes) { k.Image = "" }, ""},
		{"setup", func(s *shard.Slurm) { s.Setup = []string{"a\nb"} }, func(k *shard.Kubernetes) { k.Image = "" }, ""},
		{"server longer than the time", func(s *shard.Slurm) { s.Serve, s.Time, s.Startup = "{port}", "30", 25*time.Minute }, func(k *shard.Kubernetes) { k.Image = "" }, ""},
		{"server without a path", func(s *shard.Slurm) { s.Serve, s.Ready = "{port}", "health" }, func(k *shard.Kubernetes) { k.Image = "" }, ""},
		{"server without a port", func(s *shard.Slurm) { s.Serve = "x --port 8000" }, func(k *shard.Kubernetes) { k.Image = "" }, ""},
		{"keys or data", func(s *shard.Slurm) { s.Keys = "a\nb" }, func(k *shard.Kubernetes) { k.Data = "/work/data" }, ""},
		{"keys", func(s *shard.Slurm) { s.Keys = "a\x00b" }, func(k *shard.Kubernetes) { k.Keys = "a\nb" }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, k := slurm(), kubernetes()
			tt.s(&s)
			tt.k(&k)
			if out, err := s.Script(); err == nil || !strings.Contains(err.Error(), tt.want) || out != "" {
				t.Errorf("slurm: %v, want %q", err, tt.want)
			}
			if out, err := k.Manifest(); err == nil || !strings.Contains(err.Error(), tt.want) || out != "" {
				t.Errorf("kubernetes: %v, want %q", err, tt.want)
			}
		})
	}
}

// The parts never exceed the whole.
func TestLimits(t *testing.T) {
	tests := []struct {
		name   string
		limits budget.Limits
		want   string
		fails  string
	}{
		{"none", budget.Limits{}, "", ""},
		{"all", budget.Limits{USD: 40, Tokens: 1000, Time: 90 * time.Minute}, "--budget 2.5usd,62tokens,1h30m0s", ""},
		{"rounded down", budget.Limits{USD: 0.1}, "--budget 0.00625usd", ""},
		{"too few dollars", budget.Limits{USD: 1e-6}, "", "too little"},
		{"too few tokens", budget.Limits{Tokens: 15}, "", "too little"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := job().Budget(tt.limits)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil || strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestWithout(t *testing.T) {
	got := shard.Without([]string{"-q", "q", "--out", "a", "-o", "b", "-oc", "--out=d", "-j4", "--outer", "e"}, "--out", "-o")
	if want := []string{"-q", "q", "-j4", "--outer", "e"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
