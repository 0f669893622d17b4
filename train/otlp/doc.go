// Package otlp writes recorded episodes as OpenTelemetry traces with the attributes of the GenAI semantic conventions:
// a span for the episode, and below it one for each call of the model and each action. Start from [File], which writes
// OTLP/JSON lines, and [Send], which posts to an endpoint.
//
// Ids are hashes of run, episode and step, and times are those of the log, so the same episode has the same spans
// wherever and whenever it is exported. The package reads the run directory and knows no agent.
package otlp
