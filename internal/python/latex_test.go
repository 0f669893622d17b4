package python_test

import (
	"testing"

	"airqa/internal/python"
)

func TestLaTeX(t *testing.T) {
	tests := []struct {
		name, literal string
		python        string // repr of Python's value; empty where Python refuses the text
		latex         string // the text with LaTeX kept
	}{
		{"fraction", `"\frac{a}{b}"`, `'\x0crac{a}{b}'`, `\frac{a}{b}`},
		{"alpha and beta", `'$\alpha = \beta$'`, `'$\x07lpha = \x08eta$'`, `$\alpha = \beta$`},
		{"vec", `"\vec x"`, `'\x0bec x'`, `\vec x`},
		{"a control character alone", `"\b{x} \v 1"`, `'\x08{x} \x0b 1'`, `\b{x} \v 1`},
		{"times, tau, theta, text", `"\times\tau \theta_1 \text{if}"`, `'\times\tau \theta_1 \text{if}'`, `\times\tau \theta_1 \text{if}`},
		{"nu, nabla, neq", `"\nu\nabla \neq"`, `'\nu\nabla \neq'`, `\nu\nabla \neq`},
		{"rho, right", `"\rho \right)"`, `'\rho \right)'`, `\rho \right)`},
		{"xi, underline, Upsilon, N", `"\xi \underline{x} \Upsilon \N"`, ``, `\xi \underline{x} \Upsilon \N`},
		{"unknown escapes stay in both", `"\sum \delta"`, `'\\sum \\delta'`, `\sum \delta`},
		{"doubled backslashes", `"\\frac \\times \\\\nu"`, `'\\frac \\times \\\\nu'`, `\frac \times \\nu`},
		{"lines and tabs of plain text", `"one\ntwo\tthree\r\nand\nI"`, `'one\ntwo\tthree\r\nand\nI'`, "one\ntwo\tthree\r\nand\nI"},
		{"escapes with digits", `"\x41\u00e9\U0001F600\101"`, `'Aé😀A'`, "Aé😀A"},
		{"raw", `r"\frac"`, `'\\frac'`, `\frac`},
		{"at the end", `"\N"`, ``, `\N`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := python.Parse(tt.literal, python.Options{})
			if (err != nil) != (tt.python == "") {
				t.Fatalf("Python's reading: %v, %v", v, err)
			}
			if err == nil && python.Repr(v) != tt.python {
				t.Errorf("Python reads %s, want %s", python.Repr(v), tt.python)
			}
			got, err := python.Parse(tt.literal, python.Options{LaTeX: true})
			if err != nil || got != tt.latex {
				t.Errorf("with LaTeX %q, %v, want %q", got, err, tt.latex)
			}
		})
	}
}

// Bytes hold no formulas.
func TestLaTeXBytes(t *testing.T) {
	v, err := python.Parse(`b"\frac"`, python.Options{LaTeX: true})
	if err != nil || v != python.Bytes("\frac") {
		t.Errorf("got %q, %v", v, err)
	}
}
