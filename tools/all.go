package tools

import (
	"embed"

	"airqa/qa"
)

//go:embed *.txt
var builtIn embed.FS

// Text returns the built-in text of a tool for the model, by the name of its file without ".txt"; empty if there is none.
func Text(name string) string {
	raw, _ := builtIn.ReadFile(name + ".txt")
	return string(raw)
}

// Texts are one's own texts of tools, which replace built-in ones, by the same names.
type Texts map[string]string

func (t Texts) of(name string) string {
	if own, ok := t[name]; ok {
		return own
	}
	return Text(name)
}

// Sources are what the tools act on. They must be safe for concurrent use.
type Sources struct {
	Retriever Retriever
	Querier   Querier
	Viewer    Viewer
}

// Limits bound the results of the tools for one question. The zero value has the default limits and searches everything.
type Limits struct {
	Scope Scope
	// Everywhere means that Retrieve searches all papers for every question, and its text says so.
	Everywhere bool
	// MaxTokens is the limit of a result; 0 means [MaxTokens].
	MaxTokens int
	// MaxRows is the maximum number of rows shown; 0 means no limit.
	MaxRows int
	// Retrieves reports whether Retrieve is among the tools that the caller picks.
	Retrieves bool
}

// All returns every tool for a kind of question, in the order of the prompts. It is the one list of tools: baselines pick
// from it by name, and readers of recorded calls take the descriptions from it, without sources.
func All(kind qa.Kind, from Sources, own Texts, l Limits) Set {
	return Set{
		Retrieve{From: from.Retriever, Limits: l, Texts: own},
		Query{From: from.Querier, Limits: l, Texts: own},
		View{From: from.Viewer, Texts: own},
		Answer{Kind: kind, Texts: own},
	}
}

// Called returns every tool in the form that a call with the given arguments has: the parameters of Answer depend on the
// kind of the question.
func Called(args map[string]any) Set {
	var kind qa.Kind
	if _, ok := args["evidence"]; ok {
		kind = qa.WithEvidence
	}
	if _, ok := args["ranking"]; ok {
		kind = qa.Rank
	}
	return All(kind, Sources{}, nil, Limits{})
}
