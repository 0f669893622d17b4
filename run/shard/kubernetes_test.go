package shard_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"airqa/run/shard"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// manifests are texts of all kinds that are printed for Kubernetes.
func manifests(t *testing.T) map[string]string {
	t.Helper()
	run, names, ingest := kubernetes(), kubernetes(), kubernetes()
	names.Name, names.Namespace, names.Secret, names.Claim, names.DataClaim = "yes", "2024", "1e3", "null", "0x1f" // other types in YAML
	ingest.Job, ingest.Memory, ingest.Namespace, ingest.DataClaim = ingesting(), "4Gi", "", ""
	local := served()
	local.GPUs = ""
	texts := map[string]string{}
	for name, k := range map[string]shard.Kubernetes{"run": run, "names": names, "ingest": ingest, "server": served(), "server without GPU": local} {
		text, err := k.Manifest()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		texts[name] = text
	}
	text, err := shard.Serving{Kubernetes: names, Port: 8378}.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	texts["serve"] = text
	return texts
}

// served has a model server beside each shard.
func served() shard.Kubernetes {
	k := kubernetes()
	k.Server = shard.Server{
		Serve: `exec vllm serve "a 'model'" --served-model-name '$(id)' --port {port}`,
		GPUs:  "2", Ready: "/health", Startup: time.Minute,
	}
	k.ServeImage = "vllm/vllm-openai:v0.11.0"
	return k
}

func documents(t *testing.T, text string) (list []map[string]any) {
	t.Helper()
	dec := yaml.NewDecoder(strings.NewReader(text))
	for {
		var m map[string]any
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

// fields are those of Kubernetes 1.29 that a manifest may have, a line each with the type of its value.
//
//go:embed testdata/fields.txt
var fields string

// podField is the pod of a Job or StatefulSet.
var podField = regexp.MustCompile(`^\w+\.spec\.template\.spec$`)

// flatten adds the fields of a value with their types.
func flatten(at string, value any, to map[string]bool) {
	at = podField.ReplaceAllString(at, "Pod")
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			to[at+" {}"] = true
		}
		for name, inner := range v {
			if strings.HasSuffix(strings.ToLower(at), "labels") || strings.HasSuffix(at, "limits") || strings.HasSuffix(at, "requests") || at == "Service.spec.selector" {
				name = "*"
			}
			flatten(at+"."+name, inner, to)
		}
	case []any:
		for _, inner := range v {
			flatten(at+"[]", inner, to)
		}
	default:
		to[fmt.Sprintf("%s %T", at, v)] = true
	}
}

// The API server takes no field that it does not know, and no value of another type.
func TestKubernetesFields(t *testing.T) {
	known, used := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(fields) {
		known[strings.TrimSpace(line)] = true
	}
	for name, text := range manifests(t) {
		for _, doc := range documents(t, text) {
			got := map[string]bool{}
			flatten(fmt.Sprint(doc["kind"]), doc, got)
			for _, field := range slices.Sorted(maps.Keys(got)) {
				if used[field] = true; !known[field] {
					t.Errorf("%s: %s", name, field)
				}
			}
		}
	}
	for field := range known {
		if !used[field] {
			t.Errorf("%s: no manifest has it", field)
		}
	}
}

// The published schemas accept all manifests strictly, from the oldest version of the docs.
func TestKubernetesSchemas(t *testing.T) {
	validator, err := exec.LookPath("kubernetes-validate")
	if err != nil {
		t.Skip("kubernetes-validate is not installed (pip install kubernetes-validate==1.37.0)")
	}
	var files []string
	for name, text := range manifests(t) {
		file := filepath.Join(t.TempDir(), name+".yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	for minor := 29; minor <= 37; minor++ {
		args := append([]string{"--strict", "--quiet", "--kubernetes-version", fmt.Sprintf("1.%d", minor)}, files...)
		if raw, err := exec.CommandContext(t.Context(), validator, args...).CombinedOutput(); err != nil {
			t.Errorf("1.%d: %v\n%s", minor, err, raw)
		}
	}
}

// podSpec is what Pod Security reads of a pod.
type podSpec struct {
	HostNetwork, HostPID, HostIPC bool
	AutomountServiceAccountToken  *bool
	SecurityContext               struct {
		RunAsNonRoot   bool
		RunAsUser      int
		SeccompProfile struct{ Type string }
	}
	Volumes                    []map[string]any
	InitContainers, Containers []struct {
		Name            string
		RestartPolicy   string
		Command, Args   []string
		VolumeMounts    []struct{ Name string }
		Ports           []map[string]int
		EnvFrom         []any
		Resources       struct{ Requests, Limits map[string]any }
		SecurityContext struct {
			AllowPrivilegeEscalation *bool
			Capabilities             struct{ Add, Drop []string }
			Privileged               bool
			RunAsNonRoot             *bool
			RunAsUser                *int
			SeccompProfile           any
		}
	}
}

// pod is the pod of a document; its names are compared without case, as encoding/json does.
func pod(t *testing.T, doc map[string]any) (spec podSpec, labels map[string]string) {
	t.Helper()
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Metadata struct{ Labels map[string]string }
		Spec     struct {
			Template struct {
				Metadata struct{ Labels map[string]string }
				Spec     podSpec
			}
		}
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	if d.Metadata.Labels["app.kubernetes.io/name"] != "airqa" {
		t.Errorf("labels %v", d.Metadata.Labels)
	}
	return d.Spec.Template.Spec, d.Spec.Template.Metadata.Labels
}

// Every pod may run in a namespace with the Pod Security standard "restricted".
func TestPodSecurity(t *testing.T) {
	for name, text := range manifests(t) {
		for _, doc := range documents(t, text) {
			spec, labels := pod(t, doc)
			if doc["kind"] == "Service" {
				continue
			}
			s := spec.SecurityContext
			if spec.HostNetwork || spec.HostPID || spec.HostIPC || !s.RunAsNonRoot || s.RunAsUser == 0 || s.SeccompProfile.Type != "RuntimeDefault" ||
				spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken || labels["app.kubernetes.io/name"] != "airqa" {
				t.Errorf("%s: pod %+v", name, spec)
			}
			volumes := map[any]bool{}
			for _, v := range spec.Volumes {
				volumes[v["name"]] = true
				if v["emptyDir"] == nil && v["persistentVolumeClaim"] == nil || len(v) != 2 {
					t.Errorf("%s: volume %v", name, v)
				}
			}
			for _, c := range append(spec.InitContainers, spec.Containers...) {
				s := c.SecurityContext
				if s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || s.Privileged || !slices.Equal(s.Capabilities.Drop, []string{"ALL"}) ||
					s.Capabilities.Add != nil || s.RunAsNonRoot != nil || s.RunAsUser != nil || s.SeccompProfile != nil {
					t.Errorf("%s: container %+v", name, c)
				}
				for _, key := range []string{"cpu", "memory", "ephemeral-storage"} {
					if c.Resources.Requests[key] == nil {
						t.Errorf("%s: %s requests no %s", name, c.Name, key)
					}
				}
				for _, m := range c.VolumeMounts {
					if !volumes[m.Name] {
						t.Errorf("%s: no volume %s", name, m.Name)
					}
				}
			}
		}
	}
}

// printed are the commands in the first lines of a manifest.
func printed(text string) (list []string) {
	for line := range strings.Lines(text) {
		if c, ok := strings.CutPrefix(line, "#   "); ok {
			list = append(list, strings.TrimSpace(c))
		}
	}
	return list
}

// program puts a shell script into a folder.
func program(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
}

func TestPrintedCommands(t *testing.T) {
	for name, text := range manifests(t) {
		namespace := map[string]string{"names": " -n 2024", "serve": " -n 2024", "ingest": ""}
		want, ok := namespace[name]
		if !ok {
			want = " -n research"
		}
		commands := printed(text)
		if len(commands) < 2 {
			t.Errorf("%s: commands %q", name, commands)
		}
		for _, c := range commands {
			if n := strings.Count(c, "kubectl"); n == 0 || n != strings.Count(c, "kubectl"+want+" ") || want == "" && strings.Contains(c, " -n ") {
				t.Errorf("%s: %s", name, c)
			}
			if code := command(t, t.TempDir(), nil, "sh", "-n", "-c", c); code != 0 {
				t.Errorf("%s: sh -n: %s", name, c)
			}
		}
	}
}

// Waiting ends when the Job has ended in any way, and when there is no Job.
func TestWait(t *testing.T) {
	text, err := kubernetes().Manifest()
	if err != nil {
		t.Fatal(err)
	}
	commands := printed(text)
	wait := commands[slices.IndexFunc(commands, func(c string) bool { return strings.HasPrefix(c, "while ") })]
	tests := map[string]struct {
		states []string
		want   string
	}{
		"complete":        {[]string{"", "Complete"}, "Complete\n"},
		"new API servers": {[]string{"", "SuccessCriteriaMet", "SuccessCriteriaMet Complete"}, "SuccessCriteriaMet Complete\n"},
		"failed":          {[]string{"", "", "FailureTarget", "FailureTarget Failed"}, "FailureTarget Failed\n"},
		"suspended":       {[]string{"Suspended", "Suspended", "Suspended Failed"}, "Suspended Failed\n"},
		"deleted":         {[]string{"", "!"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var states strings.Builder
			for i, s := range tt.states {
				fmt.Fprintf(&states, "%d) [ '%s' = '!' ] && exit 1; echo '%[2]s';;\n", i, s)
			}
			program(t, dir, "kubectl", `n=$(cat "$0.n" 2>/dev/null || echo 0); echo $((n + 1)) > "$0.n"`+"\ncase $n in\n"+states.String()+"*) exit 9;;\nesac\n")
			program(t, dir, "sleep", "exit 0\n")
			c := exec.CommandContext(t.Context(), "sh", "-c", wait)
			c.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
			raw, err := c.Output()
			if err != nil || string(raw) != tt.want {
				t.Errorf("got %q, %v", raw, err)
			}
			if n, err := os.ReadFile(filepath.Join(dir, "kubectl.n")); err != nil || strings.TrimSpace(string(n)) != fmt.Sprint(len(tt.states)) {
				t.Errorf("%s calls, %v", n, err)
			}
		})
	}
}

// The values of the file of keys arrive as they are.
func TestSecret(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("kubectl is not installed")
	}
	texts, want := manifests(t), map[string]string{
		"OPENAI_API_KEY": `sk-ab$cd&ef`, "QUOTED": `"a b" 'c'`, "HOME_OF": "$HOME `id` $(id) \\n ~", "EMPTY": "", "HASH": "a # b = c ",
		"AIRQA_VECTORS": "milvus://airqa:PASSWORD@127.0.0.1:1/papers?prefix=papers_&timeout=2m", "UMLAUT": "ü;|<>*?[x]{y}!",
	}
	for _, name := range []string{"run", "serve"} {
		dir := t.TempDir()
		var file bytes.Buffer
		file.WriteString("# keys\n\n")
		for key, value := range want {
			fmt.Fprintf(&file, "%s=%s\n", key, value)
		}
		if err := os.WriteFile(filepath.Join(dir, "my keys.env"), file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		program(t, dir, "openssl", "echo abc\n")
		commands := printed(texts[name])
		create := commands[slices.IndexFunc(commands, func(c string) bool { return strings.Contains(c, "create secret") })]
		c := exec.CommandContext(t.Context(), "sh", "-c", create+" --dry-run=client --output=json")
		c.Dir, c.Env = dir, []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir}
		raw, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", create, err, raw)
		}
		var secret struct {
			Metadata struct{ Namespace string }
			Data     map[string][]byte
		}
		if err := json.Unmarshal(raw, &secret); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for key, value := range secret.Data {
			got[key] = string(value)
		}
		if name == "serve" {
			want["AIRQA_SERVE_TOKEN"] = "abc"
		}
		if diff := cmp.Diff(want, got); diff != "" || secret.Metadata.Namespace == "" {
			t.Errorf("%s: %+v\n%s", create, secret.Metadata, diff)
		}
	}
}

// A pod runs the shard of its index, which counts from 0, with the arguments as given. Failed questions are repeated, once.
func TestKubernetesCommand(t *testing.T) {
	text, err := kubernetes().Manifest()
	if err != nil {
		t.Fatal(err)
	}
	c := read(t, text)[0].Spec.Template.Spec.Containers[0]
	all := expanded(append(c.Command, c.Args...))
	want := slices.Concat([]string{"run"}, odd, []string{"--shard", "3/16", "--out", "runs/the run's-shards/3-of-16"})
	tests := map[string]struct {
		exits       string
		code, calls int
	}{
		"done":              {"0", 0, 1},
		"failed for good":   {"3 3", 3, 2},
		"failed once":       {"3 0", 0, 2},
		"then no budget":    {"3 4", 4, 2},
		"then lost":         {"3 1", 1, 2},
		"misuse":            {"2", 2, 1},
		"budget":            {"4", 4, 1},
		"endpoint is down":  {"1", 1, 1},
		"stopped by Ctrl-C": {"130", 130, 1},
		"out of memory":     {"137", 137, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := fakes(t, "0")
			program(t, dir, "sleep", "exit 0\n")
			program(t, dir, "airqa", `printf '%s\n' "$@" > "$0.args"; echo >> "$0.calls"; set -- `+tt.exits+`; shift $(($(wc -l < "$0.calls") - 1)); exit "$1"`)
			if code := command(t, dir, []string{"JOB_COMPLETION_INDEX=2"}, all[0], all[1:]...); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if diff := cmp.Diff(want, argsOf(t, dir, "airqa")); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
			if raw, err := os.ReadFile(filepath.Join(dir, "airqa.calls")); err != nil || len(raw) != tt.calls {
				t.Errorf("%d calls, %v, want %d", len(raw), err, tt.calls)
			}
		})
	}
	drained(t, all)
	// The pod ends during the pause before the repeat.
	dir := fakes(t, "3")
	program(t, dir, "sleep", "kill -TERM $PPID; exec /bin/sleep 5\n")
	begun := time.Now()
	if code := command(t, dir, []string{"JOB_COMPLETION_INDEX=2"}, "/bin/sh", append([]string{"-c", all[2]}, all[3:]...)...); code != 3 || time.Since(begun) > 4*time.Second {
		t.Errorf("code %d after %v", code, time.Since(begun))
	}
}

// The server is ready before the shard starts, and has no keys but its own. It ends when the pod ends.
func TestServer(t *testing.T) {
	k := served()
	text, err := k.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	list := documents(t, text)
	spec, _ := pod(t, list[0])
	if merge, _ := pod(t, list[1]); merge.InitContainers != nil || len(spec.InitContainers) != 1 || len(spec.Containers) != 1 {
		t.Fatalf("pods %+v, %+v", spec, merge)
	}
	c := spec.InitContainers[0]
	if c.RestartPolicy != "Always" || c.EnvFrom != nil || c.Ports[0]["containerPort"] != 8000 || c.Resources.Limits["nvidia.com/gpu"] != 2.0 {
		t.Errorf("server %+v", c)
	}
	for probe := range strings.SplitSeq("startup readiness", " ") {
		if !regexp.MustCompile(`\n {10}` + probe + `Probe:.*\n {12}httpGet: \{path: "/health", port: 8000\}\n`).MatchString(text) {
			t.Errorf("no %s probe in\n%s", probe, text)
		}
	}
	dir := t.TempDir()
	program(t, dir, "vllm", `trap 'echo ended > "$0.end"; exit 0' TERM; printf '%s\n' "$@" > "$0.args"; while :; do sleep 0.01; done`)
	all := expanded(append(c.Command, c.Args...))
	server := exec.CommandContext(t.Context(), all[0], all[1:]...)
	server.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	appears(t, filepath.Join(dir, "vllm.args"))
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Error(err)
	}
	appears(t, filepath.Join(dir, "vllm.end"))
	if diff := cmp.Diff([]string{"serve", "a 'model'", "--served-model-name", "$(id)", "--port", "8000"}, argsOf(t, dir, "vllm")); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	program(t, dir, "vllm", "exit 7\n")
	if code := command(t, dir, nil, all[0], all[1:]...); code != 7 {
		t.Errorf("a server that fails: code %d", code)
	}
}

// appears waits for a file with text.
func appears(t *testing.T, path string) {
	t.Helper()
	for range 500 {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not appear", path)
}

// The flags of the run have the address of the server, unless they name another.
func TestServerPort(t *testing.T) {
	for _, tt := range []struct {
		name       string
		args, want []string
	}{
		{"none", nil, []string{"--base-url", "http://127.0.0.1:8000/v1"}},
		{"other flags", []string{"-j", "2"}, []string{"-j", "2", "--base-url", "http://127.0.0.1:8000/v1"}},
		{"placeholder", []string{"--base-url", "http://localhost:{port}/x"}, []string{"--base-url", "http://localhost:8000/x"}},
		{"for the judge", []string{"--judge-base-url=http://[::1]:{port}"}, []string{"--judge-base-url=http://[::1]:8000"}},
		{"elsewhere", []string{"--base-url=http://gpu1:9000/v1"}, []string{"--base-url=http://gpu1:9000/v1"}},
		{"judge elsewhere", []string{"--judge-base-url", "http://g/v1"}, []string{"--judge-base-url", "http://g/v1", "--base-url", "http://127.0.0.1:8000/v1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := served()
			k.Args, k.Serve = slices.Clone(tt.args), "serve -p {port} -q {port}"
			text, err := k.Manifest()
			if err != nil || !slices.Equal(k.Args, tt.args) {
				t.Fatal(err, k.Args)
			}
			spec, _ := pod(t, documents(t, text)[0])
			if diff := cmp.Diff(tt.want, spec.Containers[0].Args[1:]); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
			if server := spec.InitContainers[0]; server.Args[0] != "serve -p 8000 -q 8000" || strings.Count(text, ", port: 8000}") != 2 {
				t.Errorf("server %+v", server)
			}
		})
	}
	k := served()
	k.Job, k.Memory, k.DataClaim = ingesting(), "4Gi", ""
	if text, err := k.Manifest(); err != nil || !strings.Contains(text, `- "--embed-base-url"`) {
		t.Errorf("ingest: %v\n%s", err, text)
	}
	for name, change := range map[string]func(*shard.Kubernetes){
		"no image": func(k *shard.Kubernetes) { k.ServeImage = "" }, "no command": func(k *shard.Kubernetes) { k.Serve = "" },
		"GPUs": func(k *shard.Kubernetes) { k.GPUs = "-1" }, "GPUs alone": func(k *shard.Kubernetes) { k.ServeImage, k.Serve = "", "" },
		"no path": func(k *shard.Kubernetes) { k.Ready = "http://h/health" }, "no time": func(k *shard.Kubernetes) { k.Startup = time.Millisecond },
		"bad image": func(k *shard.Kubernetes) { k.ServeImage = "a b" }, "password": func(k *shard.Kubernetes) { k.Serve = "x http://u:p@h/ {port}" },
	} {
		k := served()
		change(&k)
		if text, err := k.Manifest(); err == nil || text != "" {
			t.Errorf("%s: accepted", name)
		}
	}
}
