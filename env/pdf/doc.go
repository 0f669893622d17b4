// Package pdf reads PDF files: glyphs with positions and fonts, drawn shapes, link targets, the outline, and
// images of pages. Start from [NewPool], [Pool.Open] and [Document]. It is the only package that knows a PDF
// library: PDFium compiled to WebAssembly (go-pdfium) for reading and drawing, pdfcpu for validation.
//
// Everything is given in one frame: points (1/72 inch) from the top left corner of the page as shown, after
// cropping and rotation, y growing downwards. What the text means (lines, columns, sections) is not its concern:
// that is env/ingest.
package pdf
