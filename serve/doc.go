// Package serve makes episodes of the environment available to programs that bring their own model. A [Host] has the
// questions, the limits and the run directory; a [Session] is what one client holds, with one episode at a time. Episodes
// use the loop, the tools, the log and the evaluation functions of ordinary runs: the client takes the place of the model.
//
// The package knows no protocol. Package serve/protocol translates to it.
package serve
