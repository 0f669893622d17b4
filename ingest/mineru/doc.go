// Package mineru reads the output of MinerU (magic-pdf 1.1 to MinerU 4.0, https://github.com/opendatalab/MinerU): tables
// with their cells, figures, and equations in LaTeX, each with its page. Start from [Open], which finds the outputs
// below a folder by name, and [Output.Parse].
//
// Bad output never causes an error: missing, broken or odd data is described as a problem. The package makes no rows
// and does not run MinerU.
package mineru
