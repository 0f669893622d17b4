// Package runlog is the run directory on disk: run.json (what shaped the run), log.jsonl (one event a line,
// append-only), texts/ and images/ (by hash), questions.jsonl and scores/. Start from [Create] and [Writer] to
// record, from [Open] and [Run.Episodes] to read. docs/formats/run.md documents every event.
//
// The package knows no agent, no tool and no evaluator: it turns the nouns of package qa into lines and back.
package runlog
