# make test: everything that must hold. make demo: the main job on the sample papers. make bench: the figures of docs/PERFORMANCE.md.
# make mutate: whether the tests notice wrong code, on a fixed sample of changes; it takes half an hour or so.
.PHONY: test vet lint deadcode tidy unit demo build warm bench mutate

GOLANGCI = go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.10.1

# go test that lists what was skipped; SKIPS="-allow FILE" makes other skips than those of FILE a failure.
GOTEST = go run ./internal/gotest $(SKIPS)

test: vet tidy lint deadcode unit

vet:
	go vet ./...

tidy:
	go mod tidy -diff

lint:
	$(GOLANGCI) run ./...

deadcode:
	.ci/deadcode

# The PDF library is WebAssembly: compiled once under the race detector, before the packages run side by side.
warm:
	go test -race -count=1 -run 'TestRender' ./env/pdf

# The command line is tested by running the program some thousand times: under the race detector only where it runs many
# things at once.
unit: warm
	$(GOTEST) -race -timeout 20m $$(go list ./... | grep -v /cmd/airqa)
	$(GOTEST) -timeout 20m ./cmd/airqa
	go test -race -timeout 20m -run 'TestScripts/(run|run-matrix|run-protocols|explain)$$' ./cmd/airqa

build:
	go build -o airqa ./cmd/airqa

demo:
	go run ./cmd/airqa demo

bench:
	go test -run '^$$' -bench . -benchtime 2s ./eval ./eval/stream ./agent/action ./env/embed/minilm ./env/vectors/flat ./env/paperdb ./env/pdf ./env/ingest ./run/runlog ./internal/tokens
	go test -run '^$$' -bench 'Episodes|Version|PassageRecall' -benchtime 1x ./cmd/airqa

mutate:
	go run ./internal/mutate -n 20 -seed 1 -min 85 ./agent ./run ./run/budget ./run/runlog ./eval ./tools ./qa ./report
