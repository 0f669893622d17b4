package milvus_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// compose is the part of docker-compose.yml under test.
type compose struct {
	Services map[string]struct {
		Image       string
		Build       *struct{ Context, Dockerfile string }
		Profiles    []string
		Ports       []string
		Volumes     []string
		Environment map[string]string
		Healthcheck struct{ Test []string }
		DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	}
	Volumes map[string]any
}

func readCompose(t *testing.T) compose {
	t.Helper()
	text, err := os.ReadFile("../../../docker-compose.yml")
	check(t, err)
	var c compose
	check(t, yaml.Unmarshal(text, &c))
	if len(c.Services) != 4 {
		t.Fatalf("got %d services, want milvus, etcd, minio, airqa", len(c.Services))
	}
	return c
}

func TestComposeIsPinnedAndPrivate(t *testing.T) {
	c := readCompose(t)
	for name, s := range c.Services {
		if tag := s.Image[strings.LastIndex(s.Image, ":")+1:]; !strings.Contains(s.Image, ":") || tag == "latest" {
			t.Errorf("%s: image %q has no pinned tag", name, s.Image)
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s: port %s is open to other machines", name, port)
			}
		}
		if s.Build == nil && (len(s.Healthcheck.Test) == 0 || len(s.Volumes) == 0 || len(s.Profiles) > 0) {
			t.Errorf("%s: a server has a health check and a volume, and is in no profile", name)
		}
		for _, v := range s.Volumes {
			source, _, _ := strings.Cut(v, ":")
			if _, named := c.Volumes[source]; !named && !strings.HasSuffix(v, ":ro") {
				t.Errorf("%s: volume %s is neither named nor read-only", name, v)
			}
		}
		for other, d := range s.DependsOn {
			if d.Condition != "service_healthy" || len(c.Services[other].Healthcheck.Test) == 0 {
				t.Errorf("%s does not wait for %s to be healthy", name, other)
			}
		}
	}
}

func TestComposeProgram(t *testing.T) {
	c := readCompose(t)
	program, server := c.Services["airqa"], c.Services["milvus"]
	if program.Build.Dockerfile != "docker/Dockerfile" || len(program.Profiles) != 1 || program.Profiles[0] != "airqa" {
		t.Errorf("the program is built by %v in profiles %v", program.Build, program.Profiles)
	}
	if _, err := os.Stat("../../../" + program.Build.Dockerfile); err != nil {
		t.Error(err)
	}
	if cfg := mustParse(t, program.Environment["AIRQA_VECTORS"]); cfg.Address != "milvus:19530" {
		t.Errorf("the program looks for Milvus at %s", cfg.Address)
	}
	if cfg := mustParse(t, program.Environment["AIRQA_VECTORS"]); cfg.Prefix == "" {
		t.Error("the collections of the program have no prefix of their own")
	}
	keys, err := os.ReadFile("../../../docs/environment.md")
	check(t, err)
	names := regexp.MustCompile("`([A-Z_]+_(?:API_KEY|ACCESS_KEY|KEY_ID|TOKEN|BASE_URL))`").FindAllStringSubmatch(string(keys), -1)
	if len(names) < 10 {
		t.Errorf("docs/environment.md has the keys %v", names)
	}
	for _, found := range names {
		name := found[1]
		if _, passed := program.Environment[name]; !passed {
			t.Errorf("%s does not reach the program", name)
		}
	}
	if !slices.Contains(program.Volumes, "cache:/cache") {
		t.Errorf("the caches of the program have no volume: %v", program.Volumes)
	}
	if len(server.Ports) != 1 || server.Ports[0] != "127.0.0.1:19530:19530" {
		t.Errorf("Milvus has ports %v", server.Ports)
	}
	minio := c.Services["minio"]
	if minio.Environment["MINIO_ROOT_PASSWORD"] != server.Environment["MINIO_SECRET_ACCESS_KEY"] {
		t.Error("Milvus does not know MinIO's password")
	}
}

// Compose, the plan for Kubernetes and the docs name one server, of the series that the client is made for. The public
// password of root is changed before anything uses the server.
func TestPlanAgreesWithCompose(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/cluster.md")
	check(t, err)
	module, err := os.ReadFile("../../../go.mod")
	check(t, err)
	_, plan, _ := strings.Cut(string(raw), "\n## Milvus on Kubernetes\n")
	_, version, _ := strings.Cut(readCompose(t).Services["milvus"].Image, ":v")
	client := regexp.MustCompile(`milvus-sdk-go/v2 v((\d+\.\d+)\.\d+)\n`).FindStringSubmatch(string(module))
	if client == nil || !strings.HasPrefix(version, client[2]+".") {
		t.Fatalf("the client %v is not for Milvus %s", client, version)
	}
	rest := plan
	for _, want := range []string{
		"milvus-sdk-go " + client[1], "Milvus " + client[2] + ".x", "Milvus " + version, "tag: v" + version, "authorizationEnabled: true", "helm repo add zilliztech ",
		"helm install milvus zilliztech/milvus --version ", "update_password", "root:Milvus", "AIRQA_VECTORS=milvus://airqa:PASSWORD@",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("no %q after the others in the plan", want)
		}
		rest = after
	}
	for _, address := range regexp.MustCompile(`milvus://\S+[\w]`).FindAllString(plan, -1) {
		mustParse(t, address)
	}
}
