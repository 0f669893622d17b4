// Package chart draws plain charts as SVG inside a page: [Bars], [Lines], [Points] and [Histogram] return a figure
// that needs nothing but [CSS], which a page holds once; [Page] writes a whole page of them that refers to no other
// file. Every text is escaped, the same input gives the same bytes, and colours come from custom properties, so that a
// page reads in the light, in the dark and in print. Series differ by pattern, marker or dash, not by colour alone.
//
// A value that is no number, or beyond 1e15, is shown as missing. The package knows nothing of what it draws.
package chart
