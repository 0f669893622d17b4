package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/env/index"
	"airqa/internal/settings"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/models"
)

// minEmbedTokens keeps windows longer than a sentence.
const minEmbedTokens = 64

// dataFlags are the flags of commands that read papers and their vectors: what the data directory does not record.
type dataFlags struct {
	Data string `short:"d" env:"AIRQA_DATA" default:"airqa-data" placeholder:"DIR" help:"Data directory, created by airqa ingest."`
	embedURLFlag
	Vectors string `env:"AIRQA_VECTORS" placeholder:"URL" help:"Store of the vectors: a Milvus server, milvus://user:pass@host:19530/db?tls=true&prefix=name_, or files (in the data directory). Default: files; if the data directory records a server, this flag is required."`

	embedderFlags `kong:"-"` // what the data directory records, or an indexFlags selects

	unused bool   // the recorded vector store
	warned bool   // of missing and illegible papers
	whole  string // the flag that accepts missing papers, which are an error; empty if they are none
}

type embedURLFlag struct {
	EmbedBaseURL string `name:"embed-base-url" placeholder:"URL" env:"AIRQA_EMBED_BASE_URL,AIRQA_BASE_URL,OPENAI_BASE_URL" help:"Base URL of the embedding endpoint, for openai:NAME."`
}

// index settles the flags and returns the embedding model. It contacts no endpoint.
func (f *dataFlags) index(a *app, change bool) (embed.Embedder, error) {
	if err := f.settle(a, change); err != nil {
		return nil, err
	}
	return f.embedder(a)
}

// settle fills unset flags from the search index that the data directory records. Flags that contradict it are an error unless
// the command may change the index.
func (f *dataFlags) settle(a *app, change bool) error {
	if err := f.checkIndex(); err != nil {
		return err
	}
	record, err := index.Settle(f.Data, datadir.Index{
		Embedder: f.Embedder, Weights: f.EmbedModel, Window: f.EmbedTokens, Body: f.EmbedExtraBody, Vectors: f.Vectors,
		VectorsPerChunk: f.VectorsPerChunk, QueryPrefix: f.EmbedQueryPrefix, TextPrefix: f.EmbedTextPrefix,
	}, change)
	if err != nil {
		return withCode(exitUsage, err)
	}
	var recorded []string
	if f.Embedder == "" && record.Embedder != index.DefaultEmbedder {
		recorded = append(recorded, "embedder "+record.Embedder)
	}
	if f.Vectors == "" && record.Vectors != index.Files {
		if err := checkRecordedStore(datadir.InfoName+" of "+f.Data, record.Vectors); err != nil && !f.unused {
			return err
		}
		recorded = append(recorded, "vectors "+settings.MaskURL(record.Vectors))
	}
	if len(recorded) > 0 {
		a.say("note: %s of %s sets %s", datadir.InfoName, f.Data, strings.Join(recorded, ", "))
	}
	f.Embedder, f.EmbedModel, f.EmbedTokens, f.EmbedExtraBody = record.Embedder, record.Weights, record.Window, record.Body
	f.EmbedQueryPrefix, f.EmbedTextPrefix = record.QueryPrefix, record.TextPrefix
	f.Vectors, f.VectorsPerChunk = record.Vectors, record.VectorsPerChunk
	return nil
}

func (f *dataFlags) checkIndex() error {
	name, remote := strings.CutPrefix(f.Embedder, "openai:")
	if f.Embedder != "" && f.Embedder != index.DefaultEmbedder && (!remote || name == "") {
		return qa.Usagef("unknown embedder %q; use minilm or openai:NAME", f.Embedder)
	}
	if err := index.CheckVectors(f.Vectors); err != nil {
		return withCode(exitUsage, err)
	}
	return nil
}

// indexFlags are the flags of commands that make a search index. Others take its settings from the data directory.
type indexFlags struct {
	dataFlags
	Chosen embedderFlags `embed:""`
}

// AfterApply is a hook of kong.
func (f *indexFlags) AfterApply() error {
	f.embedderFlags = f.Chosen
	return nil
}

type embedderFlags struct {
	Embedder         string `placeholder:"MODEL" help:"Embedding model: minilm (all-MiniLM-L6-v2, in process) or openai:NAME at an OpenAI-compatible endpoint. Default: as recorded in the data directory, or minilm."`
	EmbedModel       string `placeholder:"DIR" help:"Folder with the full-precision weights of all-MiniLM-L6-v2. Default: as recorded in the data directory, or built-in 8-bit weights."`
	EmbedTokens      int    `name:"embed-tokens" placeholder:"N" help:"Maximum input tokens of the openai:NAME model. Longer texts are embedded in overlapping windows. Default: as recorded in the data directory, or 8191."`
	EmbedThreads     int    `name:"embed-threads" placeholder:"N" help:"CPU cores for minilm. Default: all."`
	EmbedConnections int    `name:"embed-connections" placeholder:"N" help:"Maximum concurrent requests to the endpoint of openai:NAME. Default: 64, and 16 while papers are embedded; fewer while it refuses requests."`
	EmbedBatch       int    `name:"embed-batch" placeholder:"N" help:"Maximum texts per request to the endpoint of openai:NAME. Default: 64, and fewer if it refuses that."`
	VectorsPerChunk  string `name:"vectors-per-chunk" enum:"one,windows," default:"" placeholder:"FORM" help:"Vectors of a chunk with minilm: one, of its first 256 word pieces (authors' code), or windows, one for each 100 word pieces, half overlapping, which finds more. Default: as recorded in the data directory, or windows. Changing it embeds the chunks of all papers again."`
	EmbedExtraBody   string `name:"embed-extra-body" placeholder:"JSON" help:"Members to add to every request for openai:NAME, such as {\"dimensions\": 512}. Default: as recorded in the data directory."`
	EmbedQueryPrefix string `name:"embed-query-prefix" placeholder:"TEXT" help:"Text before every query for openai:NAME, such as \"query: \" of E5; a space removes a recorded one. Default: as recorded in the data directory."`
	EmbedTextPrefix  string `name:"embed-text-prefix" placeholder:"TEXT" help:"Text before every passage for openai:NAME, such as \"passage: \" of E5. Another one embeds all passages again. Default: as recorded in the data directory."`

	raw bool // vectors as the endpoint sends them
}

// embedder returns the embedding model. It does no I/O.
func (f dataFlags) embedder(a *app) (embed.Embedder, error) {
	if f.Data == "" {
		return nil, qa.Usagef("--data is empty: name a data directory")
	}
	name, remote := strings.CutPrefix(f.Embedder, "openai:")
	if err := f.checkEmbedder(remote); err != nil {
		return nil, err
	}
	if !remote {
		model, err := minilm.Open(f.local())
		if f.EmbedModel != "" && f.Vectors != "" && err != nil {
			err = fmt.Errorf("%w; if the weights have moved: airqa store vectors --rebuild --data %s --embed-model DIR", err, f.Data)
		}
		return model, err
	}
	c, err := f.remoteConfig(a, name)
	if err != nil {
		return nil, err
	}
	return embed.NewOpenAI(c)
}

// checkEmbedder rejects flags that the embedding model does not have.
func (f embedderFlags) checkEmbedder(remote bool) error {
	for _, flag := range []struct {
		name          string
		given, remote bool
	}{
		{"embed-connections", f.EmbedConnections != 0, true},
		{"embed-batch", f.EmbedBatch != 0, true},
		{"embed-extra-body", f.EmbedExtraBody != "", true},
		{"embed-query-prefix", f.EmbedQueryPrefix != "", true},
		{"embed-text-prefix", f.EmbedTextPrefix != "", true},
		{"embed-model", f.EmbedModel != "", false},
		{"embed-threads", f.EmbedThreads != 0, false},
		{"vectors-per-chunk", f.VectorsPerChunk != "", false},
	} {
		if flag.given && flag.remote != remote {
			return qa.Usagef("--%s needs --embedder %s", flag.name, map[bool]string{true: "openai:NAME", false: index.DefaultEmbedder}[flag.remote])
		}
	}
	switch {
	case min(f.EmbedConnections, f.EmbedBatch, f.EmbedThreads) < 0:
		return qa.Usagef("--embed-connections, --embed-batch and --embed-threads cannot be negative")
	case f.EmbedTokens != 0 && f.EmbedTokens < minEmbedTokens:
		return qa.Usagef("--embed-tokens %d: must be at least %d", f.EmbedTokens, minEmbedTokens)
	}
	return nil
}

func (f embedderFlags) local() minilm.Config {
	return minilm.Config{Dir: f.EmbedModel, Threads: f.EmbedThreads, OneVector: f.VectorsPerChunk == datadir.OneVector}
}

func (f dataFlags) remoteConfig(a *app, name string) (embed.OpenAIConfig, error) {
	access := a.given.Access("openai:"+name, models.EmbedKey, f.EmbedBaseURL, a.getenv)
	if access.Key == "" && f.EmbedBaseURL == "" {
		return embed.OpenAIConfig{}, qa.Usagef("embedder %s: %w, or give --embed-base-url", f.Embedder, models.MissingKey(access, models.EmbedKey))
	}
	body, _, err := extraBody("embed-extra-body", f.EmbedExtraBody)
	if err != nil {
		return embed.OpenAIConfig{}, err
	}
	text := ""
	if len(body) > 0 {
		sorted, _ := json.Marshal(body) // it was read from JSON
		text = string(sorted)
	}
	if without := models.Keyless(access, models.EmbedKey); without != "" {
		a.say("note: embedder %s uses %s%s", f.Embedder, access.Host(), without)
	}
	return embed.OpenAIConfig{
		BaseURL: cmp.Or(access.BaseURL, llm.DefaultBaseURL), Model: name, Tokens: f.EmbedTokens, Key: access.Key, Body: text,
		QueryPrefix: strings.TrimLeft(f.EmbedQueryPrefix, " "), TextPrefix: strings.TrimLeft(f.EmbedTextPrefix, " "), Raw: f.raw,
		Client: llm.HTTPClient(2 * time.Minute), Parallel: f.EmbedConnections, Batch: f.EmbedBatch, Headers: access.Headers, Notice: a.note,
	}, nil
}

// open opens the data directory for reading. Directory, vectors and embedder of cfg come from the flags and the record, which must
// agree. Without a vector search, no recorded embedder is needed.
func (f *dataFlags) open(a *app, cfg env.Config) (_ *env.Env, err error) {
	if !f.warned {
		if err := a.checkWhole(f.Data, f.whole, cfg.Fingerprint != ""); err != nil { // a run that has begun may end
			return nil, err
		}
	}
	given := f.Embedder
	if cfg.NoSearch { // the record does not matter
		f.Embedder, f.Vectors = cmp.Or(f.Embedder, index.DefaultEmbedder), cmp.Or(f.Vectors, index.Files)
		err = f.checkIndex()
	} else {
		err = f.settle(a, false)
	}
	if err != nil {
		return nil, err
	}
	if cfg.Mode == env.BM25 {
		f.Embedder = cmp.Or(given, index.DefaultEmbedder)
	}
	if cfg.Embedder, err = f.embedder(a); err != nil {
		return nil, err
	}
	cfg.Dir, cfg.Vectors, cfg.PDF.Notice = f.Data, f.Vectors, a.note
	world, err := env.Open(a.ctx, cfg)
	if err != nil || cfg.NoSearch || f.warned {
		return world, err
	}
	f.warned = true
	if err := warnIllegible(a, world.Papers()); err != nil {
		return nil, errors.Join(err, world.Close())
	}
	return world, nil
}

// checkWhole warns of papers that an interrupted command did not add, or returns the error.
func (a *app) checkWhole(data, flag string, begun bool) error {
	d, err := datadir.Open(data)
	if err != nil {
		return nil //nolint:nilerr // opening the papers reports it
	}
	if err = d.CheckWhole(); err != nil && flag != "" && !begun {
		return fmt.Errorf("%w\n  To do without them, add %s", err, flag)
	}
	if err != nil {
		a.say("warning: %v", err)
	}
	return nil
}

func warnIllegible(a *app, papers *env.Papers) error {
	illegible, err := papers.IllegibleFiles(a.ctx)
	if illegible != "" {
		a.say("warning: %s; %s", illegible, env.LegibleAgain)
	}
	return err
}

// target is the data directory for writing. change allows flags that contradict its record.
func (f dataFlags) target(a *app, change bool) (env.WriterConfig, error) {
	texts, err := f.index(a, change)
	return env.WriterConfig{Dir: f.Data, Vectors: f.Vectors, Embedder: texts, AsInPaper: a.paper}, err
}
