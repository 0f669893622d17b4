package main

import (
	"fmt"
	"strings"
	"time"

	"airqa/env"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/internal/exit"
	"airqa/llm"
	"airqa/run/session"
)

// embedTimeout bounds one request for vectors.
const embedTimeout = 2 * time.Minute

// leastEmbedTokens keeps windows longer than a sentence.
const leastEmbedTokens = 64

// dataFlags are those of a command that reads papers and their vectors.
type dataFlags struct {
	embedderFlags
	Vectors string `placeholder:"URL" help:"Milvus server for the vectors, milvus://user:pass@host:19530/db?tls=true&prefix=name_; without it they are files in the data directory."`
}

// embedder makes the embedding model and checks --vectors. It loads and contacts nothing yet.
func (f dataFlags) embedder(a *app) (embed.Embedder, error) {
	if err := env.CheckVectors(f.Vectors); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	return f.embedderFlags.embedder(a)
}

// embedderFlags name a data directory and the model that makes vectors of its texts.
type embedderFlags struct {
	Data         string `short:"d" default:"airqa-data" placeholder:"DIR" help:"Data directory, as airqa ingest makes it."`
	Embedder     string `default:"minilm" placeholder:"MODEL" help:"Model for dense vectors: minilm (all-MiniLM-L6-v2, in process) or openai:NAME at an OpenAI-compatible endpoint."`
	EmbedModel   string `placeholder:"DIR" help:"Folder with all-MiniLM-L6-v2 in full precision; without it the 8-bit weights in the program are used."`
	EmbedTokens  int    `name:"embed-tokens" default:"8191" help:"Tokens that the model of openai:NAME reads of a text. Longer texts are embedded in overlapping windows of this length."`
	EmbedBaseURL string `name:"embed-base-url" placeholder:"URL" env:"AIRQA_EMBED_BASE_URL,AIRQA_BASE_URL,OPENAI_BASE_URL" help:"Address in front of /embeddings, for openai:NAME."`
}

// embedder makes the embedding model. It loads and contacts nothing yet.
func (f embedderFlags) embedder(a *app) (embed.Embedder, error) {
	if f.Data == "" {
		return nil, exit.Misuse("--data is empty: name a data directory")
	}
	name, remote := strings.CutPrefix(f.Embedder, "openai:")
	switch {
	case remote && f.EmbedModel != "":
		return nil, exit.Misuse("--embed-model is for --embedder minilm")
	case f.EmbedTokens < leastEmbedTokens:
		return nil, exit.Misuse("--embed-tokens %d: at least %d", f.EmbedTokens, leastEmbedTokens)
	case remote && name != "":
		return f.remote(a, name)
	case f.Embedder != "minilm":
		return nil, exit.Misuse("unknown embedder %q; it is minilm or openai:NAME", f.Embedder)
	}
	return minilm.Open(minilm.Config{Dir: f.EmbedModel})
}

func (f embedderFlags) remote(a *app, name string) (embed.Embedder, error) {
	c, err := f.remoteConfig(a, name)
	if err != nil {
		return nil, err
	}
	return embed.NewOpenAI(c)
}

func (f embedderFlags) remoteConfig(a *app, name string) (embed.OpenAIConfig, error) {
	access := a.session().Access("openai:"+name, session.EmbedKey, f.EmbedBaseURL)
	if access.Key == "" && f.EmbedBaseURL == "" {
		return embed.OpenAIConfig{}, exit.With(exit.Usage, fmt.Errorf("embedder %s: %w", f.Embedder, session.MissingKey(access, session.EmbedKey, "--embed-base-url")))
	}
	if without := session.Keyless(access, session.EmbedKey); without != "" {
		a.say("note: embedder %s is asked at %s%s", f.Embedder, access.Host(), without)
	}
	address := access.BaseURL
	if address == "" {
		address = llm.DefaultBaseURL
	}
	return embed.OpenAIConfig{BaseURL: address, Model: name, Tokens: f.EmbedTokens, Key: access.Key, Client: llm.HTTPClient(embedTimeout)}, nil
}

// open opens the data directory for reading. Directory, vectors and embedder of cfg are those of the flags.
func (f dataFlags) open(a *app, cfg env.Config) (*env.Env, error) {
	texts, err := f.embedder(a)
	if err != nil {
		return nil, err
	}
	cfg.Dir, cfg.Vectors, cfg.Embedder = f.Data, f.Vectors, texts
	cfg.Notice = func(line string) { a.say("warning: %s", line) }
	return env.OpenConfig(a.ctx, cfg)
}
