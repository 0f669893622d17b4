package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/internal/exit"
	"airqa/internal/settings"
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
	Vectors string `placeholder:"URL" help:"Milvus server for the vectors, milvus://user:pass@host:19530/db?tls=true&prefix=name_, or files for those of the data directory. Default: as recorded there."`
}

// index settles the flags and makes the embedding model, which loads and contacts nothing yet.
func (f *dataFlags) index(a *app, change bool) (embed.Embedder, error) {
	if err := f.settle(a, change); err != nil {
		return nil, err
	}
	return f.embedder(a)
}

// settle fills in what the data directory records of its search index. Flags that contradict it are refused unless the command may
// change the index.
func (f *dataFlags) settle(a *app, change bool) error {
	if name, remote := strings.CutPrefix(f.Embedder, "openai:"); f.Embedder != "" && f.Embedder != env.DefaultEmbedder && (!remote || name == "") {
		return exit.Misuse("unknown embedder %q; it is minilm or openai:NAME", f.Embedder)
	}
	index, err := env.SettleIndex(f.Data, datadir.Index{Embedder: f.Embedder, Window: f.EmbedTokens, Vectors: f.Vectors}, change)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	var recorded []string
	if f.Embedder == "" && index.Embedder != env.DefaultEmbedder {
		recorded = append(recorded, "embedder "+index.Embedder)
	}
	if f.Vectors == "" && index.Vectors != env.Files {
		recorded = append(recorded, "vectors "+settings.MaskURL(index.Vectors))
	}
	if len(recorded) > 0 {
		a.say("note: %s of %s sets %s", datadir.InfoName, f.Data, strings.Join(recorded, ", "))
	}
	f.Embedder, f.EmbedTokens, f.Vectors = index.Embedder, index.Window, index.Vectors
	return nil
}

// embedderFlags name a data directory and the model that makes vectors of its texts.
type embedderFlags struct {
	Data         string `short:"d" default:"airqa-data" placeholder:"DIR" help:"Data directory, as airqa ingest makes it."`
	Embedder     string `placeholder:"MODEL" help:"Model for dense vectors: minilm (all-MiniLM-L6-v2, in process) or openai:NAME at an OpenAI-compatible endpoint. Default: as recorded in the data directory, or minilm."`
	EmbedModel   string `placeholder:"DIR" help:"Folder with all-MiniLM-L6-v2 in full precision; without it the 8-bit weights in the program are used."`
	EmbedTokens  int    `name:"embed-tokens" placeholder:"N" help:"Tokens that the model of openai:NAME reads of a text. Longer texts are embedded in overlapping windows of this length. Default: as recorded in the data directory, or 8191."`
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
	case f.EmbedTokens != 0 && f.EmbedTokens < leastEmbedTokens:
		return nil, exit.Misuse("--embed-tokens %d: at least %d", f.EmbedTokens, leastEmbedTokens)
	case remote:
		return f.remote(a, name)
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

// open opens the data directory for reading. Directory, vectors and embedder of cfg are those of the flags and of the record, which
// must agree. Without a search by vectors no recorded embedder is needed.
func (f *dataFlags) open(a *app, cfg env.Config) (_ *env.Env, err error) {
	if cfg.NoSearch {
		f.Embedder, f.Vectors = cmp.Or(f.Embedder, env.DefaultEmbedder), cmp.Or(f.Vectors, env.Files)
	}
	given := f.Embedder
	if err := f.settle(a, cfg.NoSearch); err != nil {
		return nil, err
	}
	if cfg.Mode == env.BM25 {
		f.Embedder = cmp.Or(given, env.DefaultEmbedder)
	}
	if cfg.Embedder, err = f.embedder(a); err != nil {
		return nil, err
	}
	cfg.Dir, cfg.Vectors = f.Data, f.Vectors
	cfg.Notice = func(line string) { a.say("warning: %s", line) }
	return env.Open(a.ctx, cfg)
}
