// Package extractor synthesizes questions about papers (paper, section 3: EXTRACTOR). An explorer writes a question from
// a part of a paper, a tracker makes a scorable example of it, gates reject bad ones, and each step is a line of a ledger.
// The parts are in extractor/draw, explore, track and gate; the directory on disk is extractor/syndir.
package extractor
