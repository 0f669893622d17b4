package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// The kinds of spans.
const (
	kindEpisode    = "episode"
	kindCall       = "call"
	kindAction     = "action"
	kindRetrieval  = "retrieval"
	kindFailed     = "failed"
	kindEvaluation = "evaluation"
)

// traceID identifies an episode. run is the id of its run.
func traceID(run, uuid string, repeat int) []byte {
	return digest("trace", run, uuid, repeat)[:16]
}

// spanID identifies a span of a trace; n is the number of a step, or of a request that failed.
func spanID(trace []byte, kind string, n any) []byte {
	return digest("span", hex.EncodeToString(trace), kind, n)[:8]
}

// digest is a hash of values that are separated by a zero byte.
func digest(values ...any) []byte {
	h := sha256.New()
	for _, v := range values {
		_, _ = fmt.Fprintf(h, "%v\x00", v)
	}
	return h.Sum(nil)
}
