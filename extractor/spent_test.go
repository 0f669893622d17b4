package extractor_test

import "testing"

// Candidates that ask the same share one reply, and the ledger charges it once.
func TestSpentCountsReplies(t *testing.T) {
	b := newBench(t)
	ended := b.must(all(60)) // more than eight papers have questions for, so questions repeat
	if ended.Missing() == nil {
		t.Error("no question was repeated")
	}
	if paid := counted(t, b); ended.Spent.Calls != paid {
		t.Errorf("%d calls in the account, %d replies", ended.Spent.Calls, paid)
	}
}
