# make test: everything that must hold. make demo: the main job on the sample papers. make bench: the figures of docs/PERFORMANCE.md.
.PHONY: test vet lint tidy unit demo build warm bench

GOLANGCI = go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.10.1

test: vet tidy lint unit

vet:
	go vet ./...

tidy:
	go mod tidy -diff

lint:
	$(GOLANGCI) run ./...

# The PDF library is WebAssembly: compiled once under the race detector, before the packages run side by side.
warm:
	go test -race -count=1 -run 'TestRender' ./env/pdf

unit: warm
	go test -race ./...

build:
	go build -o airqa ./cmd/airqa

demo:
	go run ./cmd/airqa demo

bench:
	go test -run '^$$' -bench . -benchtime 2s ./eval ./env/embed/minilm ./env/vectors/flat ./env/paperdb ./env/pdf ./env/ingest ./run/runlog ./internal/tokens
	go test -run '^$$' -bench 'Episodes|Version' -benchtime 1x ./cmd/airqa
