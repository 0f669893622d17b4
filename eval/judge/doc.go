// Package judge holds the judges of subjective answers. [Model] puts the question to a chat model with the texts of
// prompts/judge; [Lexical] compares words and is for dry runs only. Each is an [eval.Judge]. The package calls no
// endpoint by itself: what reaches a model comes in as an [Asker].
package judge
