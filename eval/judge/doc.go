// Package judge implements the judges of subjective answers, each an [eval.Judge]. [Model] asks a chat model with the
// judge prompts of package prompts, and a [Panel] lets several judges vote. [Cached] never asks the same question twice.
// [Lexical] compares words and is for dry runs only. The package calls no endpoint itself: requests go through an [Asker].
package judge
