// Package runlog is the run directory on disk: run.json (configuration), log.jsonl (one event per line, append-only),
// texts/ and images/ (by hash), questions.jsonl and scores/. Start from [Create] and [Writer] to write, from [Open] and
// [Run.Episodes] to read. docs/formats/run.md documents every event.
//
// The package knows no agent, tool or evaluator: it only converts the types of package qa to lines and back.
package runlog
