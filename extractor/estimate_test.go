package extractor_test

import (
	"fmt"
	"math"
	"testing"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/explore"
	"airqa/extractor/gate"
	"airqa/internal/testkit"
	"airqa/qa"
)

// estimate estimates what is missing in a bench.
func (b *bench) estimate(quotas []candidate.Quota, seed uint64) extractor.Estimate {
	b.t.Helper()
	drawn, err := explore.OpenDraw(b.t.Context(), b.library, seed)
	if err != nil {
		b.t.Fatal(err)
	}
	e, err := extractor.EstimatePlan{
		Dir: b.dir, Quotas: quotas, Gates: gate.All(), Solve: 1, MaxReply: 1500, Price: &qa.Price{Prompt: 3, Completion: 7}, Draw: drawn,
	}.Estimate(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return e
}

// After a preview of five candidates of each category, the estimate is within 25 % of what the rest of 200 questions really
// costs: with enough papers and with too few of them, with good replies and with 30 % of unusable ones.
func TestEstimateAfterPreview(t *testing.T) {
	testkit.Long(t, "eight syntheses")
	for _, papers := range []int{8, 60} {
		for _, bad := range []uint32{0, 30} {
			for _, seed := range []int{1, 3} {
				t.Run(fmt.Sprintf("%d papers, %d %% bad replies, seed %d", papers, bad, seed), func(t *testing.T) {
					b := newBench(t)
					b.library, b.model.seed, b.model.bad = newLibraryOf(papers), seed, bad
					config := func(preview bool) {
						b.change = func(c *extractor.Config) { c.Seed, c.Preview, c.Workers = uint64(seed), preview, 8 }
					}
					config(true)
					before := b.must(extractor.Same(candidate.Categories(), 5)).Spent
					usd := b.estimate(all(200), uint64(seed)).Total.USD
					config(false)
					after := b.must(all(200)).Spent
					rest := *after.USD - *before.USD
					t.Logf("estimated $%.2f ($%.2f to $%.2f), really $%.2f: %+.0f %%", usd.Likely, usd.Low, usd.High, rest, 100*(usd.Likely/rest-1))
					if math.Abs(usd.Likely/rest-1) > 0.25 {
						t.Error("the estimate is off by more than 25 %")
					}
				})
			}
		}
	}
}

// Once everything is made, the estimate is zero.
func TestNothingToEstimate(t *testing.T) {
	b := newBench(t)
	b.must(all(12))
	if e := b.estimate(all(12), 11); e.Rows != 0 || e.Total.Calls.High != 0 || e.Candidates.High != 0 {
		t.Errorf("%+v", e)
	}
}

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
