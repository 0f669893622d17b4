// Package ask answers questions that people type, about papers of their own. It reads their PDFs into a cache
// ([Library]), runs the questions in an ordinary run directory ([Asking.Run]), finds the sources of the answers, and
// prints them as text, JSON or a page ([Result]). A conversation ([Conversation]) makes earlier questions and answers
// part of the next question's text, so that the run directory holds everything that the model saw.
//
// Nothing is scored: there are no gold answers.
package ask
