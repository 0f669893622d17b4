// Package smallmodels serves a small language model with llama.cpp's own server on the loopback, for the tests of make
// nightly.
//
// [Start] starts the server, and [NewRecorder] a proxy that keeps what was sent and received. The Python packages with
// the server and the models are in the folder that AIRQA_TEST_MODELS names; internal/testkit/install.sh smallmodels
// makes it.
package smallmodels
