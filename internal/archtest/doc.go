// Package archtest tests the architecture and the wording of the tree. TestFolders, TestSizes and TestDepth read
// folders.txt and fail on an import that a folder may not have, a driver outside its package, a missing package comment,
// and more lines than the limit of the tree. TestBannedWords reads banned.txt and fails on wording that must not
// come back. TestToAdd follows "Where do I add …" of CONTRIBUTING.md. The package has no code of its own.
package archtest
