# make test: go test ./.... make check: everything that must hold, with the long tests (AIRQA_TEST_LONG, see
# internal/testkit). make demo: the main job on the sample papers. make speed: the figures of docs/PERFORMANCE.md.
# make mutate: whether the tests notice wrong code, on a fixed sample of changes; it takes half an hour or so.
# make release: an archive for this platform in dist/.
# make nightly: job scripts on a Slurm of this machine (skipped without slurm-wlm, munge or root), the program against two
# small real models on llama.cpp's server, NeMo Gym's own agent against airqa serve, and exports in the datasets library of
# Hugging Face (the last two with Python 3.12 or newer); by hand, and before a release; twenty minutes or so, and 2 GB of
# packages in the user's cache folder.
# make toadd: all tests after the steps of "Where do I add …" in CONTRIBUTING.md; ten minutes.
.PHONY: test check vet lint deadcode tidy unit race demo build warm speed mutate nightly toadd workflows release

GOLANGCI = go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.10.1

# go test that lists what was skipped; SKIPS="-allow FILE" makes other skips than those of FILE a failure.
GOTEST = go run ./internal/testkit/gotest $(SKIPS)

test:
	go test ./...

check: tidy lint workflows deadcode unit race

vet:
	go vet ./...

tidy:
	go mod tidy -diff

lint:
	$(GOLANGCI) run ./...

deadcode:
	.ci/deadcode

workflows:
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.10 -shellcheck= -pyflakes=

release:
	.ci/release

# The linters include go vet, and no one debugs the binaries of tests. Many tests wait for processes, browsers and disks:
# four at a time keep two cores busy.
TESTFLAGS = -vet=off -ldflags=-w -timeout 20m -p 4 -parallel 4

# The packages whose code or tests start goroutines or share memory, but for those that compute for minutes under the
# detector and whose goroutines are in benchmarks, in tests of other packages, in C, or a loop over parts that share nothing.
RACE_FREE = ./viewer ./train/export ./train/otlp ./eval ./eval/stream ./env/embed/minilm ./internal/bpe
RACE = $(filter-out $(RACE_FREE),$(shell grep -rlE --include='*.go' '^\s*go (func|[a-zA-Z.]+)|\.Go.func|sync\.(Mutex|RWMutex|WaitGroup|Cond|Map)|atomic\.[A-Z]|golang.org/x/sync/' . | grep -v '/testdata/\|^./cmd/' | xargs -n1 dirname | sort -u))

# The PDF library is WebAssembly: compiled once, before packages run side by side.
warm:
	go test $(TESTFLAGS) -count=1 -run 'TestRender' ./env/pdf

# go test ./... in two parts: the two packages that start many programs come last. Every benchmark runs once, on small data,
# so that none breaks unnoticed.
unit: export AIRQA_TEST_LONG = 1
unit: warm
	$(GOTEST) -benchmarks $(TESTFLAGS) $(filter-out airqa/cmd/airqa airqa/internal/archtest,$(shell go list ./...))
	$(GOTEST) -benchmarks $(TESTFLAGS) ./cmd/airqa ./internal/archtest

# The command line is tested by running the program some thousand times: under the race detector only where it runs many
# things at once. Real papers were read before, and long tests with one goroutine skip themselves (testkit.OneGoroutine).
# The detector waits 0.1 s before a program ends, not 1 s, for races of goroutines that are still running.
race: export GORACE = atexit_sleep_ms=100
race:
	env -u AIRQA_TEST_PDFS -u AIRQA_TEST_HARD_PDFS $(GOTEST) -race -short $(TESTFLAGS) $(RACE)
	go test -race $(TESTFLAGS) -run '^TestScripts$$/^(run|explain)$$' ./cmd/airqa

build:
	go build -o airqa ./cmd/airqa

demo:
	go run ./cmd/airqa demo

speed:
	go test -run '^$$' -bench . -benchtime 2s ./eval ./eval/stream ./agent/action ./env/embed/minilm ./env/vectors/flat ./env/paperdb ./env/pdf ./ingest ./runlog ./internal/tokens ./internal/bpe ./train/export
	go test -run '^$$' -bench 'Grow|Import|ReadAndEmbed' -benchtime 1x -timeout 60m ./env
	go test -run '^$$' -bench 'Episodes|Version|Recall' -benchtime 1x ./cmd/airqa

mutate:
	go run ./internal/testkit/mutate -n 20 -seed 1 -min 85 ./agent ./run ./run/budget ./runlog ./eval ./tools ./qa ./report

nightly:
	internal/testkit/slurm.sh
	packages=$$(internal/testkit/install.sh smallmodels) && test -n "$$packages" && \
		AIRQA_TEST_MODELS=$$packages go test -count=1 -timeout 60m -v -run '^TestNightly$$' ./cmd/airqa
	packages=$$(internal/testkit/install.sh nemogym) && test -n "$$packages" && \
		AIRQA_TEST_LONG=1 AIRQA_TEST_CLIENTS=$$packages go test -count=1 -v -run '^TestRealClients$$/^nemo_gym$$' ./cmd/airqa
	packages=$$(internal/testkit/install.sh loaders) && test -n "$$packages" && \
		AIRQA_TEST_LONG=1 AIRQA_TEST_LOADERS=$$packages go test -count=1 -v -run '^TestLoaders$$' ./cmd/airqa

toadd:
	AIRQA_TEST_LONG=1 AIRQA_TEST_TOADD=1 go test -count=1 -timeout 40m -v -run TestToAdd ./internal/archtest
