package argscichat

import (
	"context"

	"airqa/bench"
	"airqa/env/vectors"
	"airqa/qa"
)

// bertScore is the name of the measure, without the model that the paper does not state.
const bertScore = "BERTScore, "

// addBERTScore adds the measure of messages to systems that answer.
func addBERTScore(ctx context.Context, systems []bench.System, r bench.Request) error {
	if !r.BERTScore {
		return nil
	}
	e, err := r.Embedder()
	if err != nil {
		return err
	}
	model, ok := e.(interface {
		TokenVectors(ctx context.Context, text string) ([][]float32, error)
	})
	if !ok {
		return qa.Usagef("--bertscore compares tokens, and endpoints return vectors of whole texts only: leave out --embedder")
	}
	score := BERTScore(model.TokenVectors)
	for _, s := range systems {
		for i, a := range s.Answers {
			if len(s.Scores[i].Measures) == 0 {
				continue
			}
			if s.Scores[i].Measures[bertScore+minilm], err = score(ctx, a.Text, gold(s.Items[i]).Text); err != nil {
				return err
			}
		}
	}
	return nil
}

// BERTScore returns F1 of BERTScore (Zhang et al. 2020), without weights of rare words and without rescaling: each token is matched
// with the nearest one of the other text by cosine. It is 0 if one of the texts is empty. tokens has a vector for each token of a
// text, such as TokenVectors of minilm, which reads 254: endpoints return vectors of whole texts only. Label a result with the model,
// as the paper states neither its own nor the scaling.
func BERTScore(tokens func(ctx context.Context, text string) ([][]float32, error)) (
	f1 func(ctx context.Context, candidate, reference string) (float64, error),
) {
	return func(ctx context.Context, candidate, reference string) (float64, error) {
		var sides [2][][]float32
		for i, text := range []string{candidate, reference} {
			var err error
			if sides[i], err = tokens(ctx, text); err != nil {
				return 0, err
			}
		}
		cosine := bench.Similarity(vectors.Cosine)
		precision, recall := cosine.MaxSim(sides[0], sides[1]), cosine.MaxSim(sides[1], sides[0])
		if precision+recall <= 0 {
			return 0, nil
		}
		return 2 * precision * recall / (precision + recall), nil
	}
}
