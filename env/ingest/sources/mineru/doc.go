// Package mineru reads what MinerU (magic-pdf 1.1 or later, https://github.com/opendatalab/MinerU) wrote of a paper: tables
// with their cells, figures, and equations in LaTeX, each with its page. Start from [Open], which finds the outputs below a
// folder by name, and [Output.Parse].
//
// Nothing in an output stops a caller: what is missing, broken or odd is a problem in words. The package makes no rows and
// runs no MinerU.
package mineru
