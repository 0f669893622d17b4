// Package extractor synthesizes questions about papers (paper, section 3: EXTRACTOR). An explorer writes a question from
// a part of a paper, a tracker makes a scorable example of it, gates reject bad ones, and each step is a line of a ledger.
// Start from [Pipeline]. [ReadYields] and [ReadStory] report what the ledger contains. Prompts are in extractor/explore,
// gates in extractor/gate, the directory on disk in extractor/candidate.
package extractor
