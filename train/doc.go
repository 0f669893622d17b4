// Package train makes training rows of recorded episodes, and decides which of them become training data.
//
// [OpenRun] reads what a run directory says about its prompts. [Run.Rows] makes a row per turn of the model, with exactly the
// messages that the model saw before it, and lists the turns that cannot be trained. [Redactor] removes private text from what
// models and users wrote: the secrets and the home directory of the user, other keys, and e-mail addresses. Text of papers stays.
//
// [Selector] picks episodes, [Duplicates] finds repeated questions and rows, [Splitter] divides questions so that no paper is on
// two sides, and [Leaks] compares questions with a benchmark. All are deterministic and see one item at a time: none of them
// keeps rows. The package writes no file and knows no agent.
package train
