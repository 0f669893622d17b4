// Package ask answers questions that people type, about papers of their own. It reads their PDFs into a cache
// ([Library]), runs the questions in an ordinary run directory ([Asking.Run]), finds the sources of the answers, and
// prints them as text, JSON or a page ([Result]). A conversation ([Conversation]) makes earlier questions and answers
// part of the next question's text, so that the run directory holds everything that the model saw.
//
// Nothing is scored: there are no gold answers.
//
// Sources are the passages, table rows, figures and query results that support an answer among the recorded observations
// of its trajectory. The search compares words and numbers. It cannot prove that a passage supports an answer;
// [Source.Match] is how much they have in common. Only what the model saw counts: not the parts of results that were cut
// off. Texts of sources come from papers and models, and are not safe to print as they are.
package ask
