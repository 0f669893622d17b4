// Package judge holds the judges of subjective answers, each an [eval.Judge]. [Model] puts the question to a chat model
// with the texts of prompts/judge, and a [Panel] has several judges vote. [Cached] asks nothing twice, [Circuit] does
// not go on asking a judge that is out. [Lexical] compares words and is for dry runs only. The package calls no endpoint by itself:
// what reaches a model comes in as a [Asker].
package judge
