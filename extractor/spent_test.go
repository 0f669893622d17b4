package extractor_test

import "testing"

// The same reply is paid for once, also if several candidates ask the same: the cost in the ledger is that of the replies.
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
