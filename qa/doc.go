// Package qa defines the common types of airqa: [Example] (one question of a benchmark), [Message] (one turn of a
// chat), [Action], [Observation], [Call] (one paid request), [Outcome], [Trajectory] (the record of one question) and
// [Score]. They are plain data: the package reads no file, calls no model and depends on no tool. It also defines the
// UUID rules of papers and their parts ([PaperUUID]), and how many items are asked about at the same time ([Batch]).
package qa
