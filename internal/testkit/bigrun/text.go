package bigrun

import (
	"math/rand/v2"
	"strings"
)

// words are those of papers, results in JSON, LaTeX and other scripts, and rarely characters with escape sequences.
var words = strings.Fields(`the the the the of of of and and in in to to a a is for we that with on as are this by from which be our model models data
training results method language attention transformer evaluation baseline accuracy performance dataset learning neural network parameters
layer tokens context window retrieval passage question answer table figure section appendix experiments shown compared proposed approach
improvement significant however therefore between different based using used each both all two three first second 384 0.85 12.4% 2024 [12] (2023)
"text": "page_number": {"score": "pdf_id": "b5b14f78-ae1f-5cfb-8fb7-20a1ba0dfc5a", null, \alpha \mathbf{x} \frac{1}{2} $\sum_i x_i$ naïve Schrödinger
– “quoted” модель обучения 注意力机制 検索 λ σ² ≤ → élan façade SELECT FROM WHERE title, abstract it's don't e.g. i.e. et al.`)

var rareWords = []string{"fi\u000cgure", "a\u2028b", "\x00", "😀", "zyzzyva"}

// text returns about n bytes of text.
func text(random *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		switch k := random.IntN(4000); {
		case k == 0:
			b.WriteString(rareWords[random.IntN(len(rareWords))])
		case k < 200:
			b.WriteString("\n")
		default:
			b.WriteString(words[random.IntN(len(words))])
		}
		b.WriteByte(' ')
	}
	return b.String()
}
