// Package archtest tests the architecture and the wording of the tree. TestFloors reads floors.txt and fails on an
// unlisted package, an import that goes up or sideways, a driver outside its folder, and a missing package comment.
// TestBannedWords reads banned.txt and fails on wording that must not come back. The package has no code of its own.
package archtest
