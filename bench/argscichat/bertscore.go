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
	for i, it := range systems[0].Items { // all systems answer the same turns: a reference is read once
		reference, err := model.TokenVectors(ctx, gold(it).Text)
		if err != nil {
			return err
		}
		for _, s := range systems {
			if len(s.Answers) == 0 || len(s.Scores[i].Measures) == 0 {
				continue
			}
			said, err := model.TokenVectors(ctx, s.Answers[i].Text)
			if err != nil {
				return err
			}
			s.Scores[i].Measures[bertScore+minilm] = BERTScore(said, reference)
		}
	}
	return nil
}

// BERTScore is F1 of BERTScore (Zhang et al. 2020) of texts with a vector for each token, without weights of rare words and
// without rescaling: each token is matched with the nearest one of the other text by cosine. It is 0 if one of the texts is
// empty. Endpoints return vectors of whole texts only; TokenVectors of minilm reads 254 tokens. Label a result with the model,
// as the paper states neither its own nor the scaling.
func BERTScore(candidate, reference [][]float32) float64 {
	cosine := bench.Similarity(vectors.Cosine)
	precision, recall := cosine.MaxSim(candidate, reference), cosine.MaxSim(reference, candidate)
	if precision+recall <= 0 {
		return 0
	}
	return 2 * precision * recall / (precision + recall)
}
