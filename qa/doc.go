// Package qa holds the nouns that every other room of airqa speaks in: [Example] (one question of a
// benchmark), [Message] (one turn of a chat), [Action], [Observation], [Call] (one paid request), [Outcome],
// [Trajectory] (what happened on one question) and [Score]. They are plain data: the package reads no file,
// calls no model and knows no tool. It also holds the uuid rules of papers and their parts ([PaperUUID]).
package qa
