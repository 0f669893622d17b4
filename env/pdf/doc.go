// Package pdf reads PDF files: glyphs with positions and fonts, shapes, link targets, the outline, and images of pages.
// Start from [NewPool], [Pool.Open] and [Document]. It is the only package that uses PDF libraries: PDFium compiled to
// WebAssembly (go-pdfium) for reading and rendering, pdfcpu for validation.
//
// All coordinates are points (1/72 inch) from the top left corner of the page as displayed, after cropping and
// rotation, with y growing downwards. The package does not interpret text as lines, columns or sections: see
// ingest.
package pdf
