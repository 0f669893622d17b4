// Package fuzzy scores how alike two texts are, from 0 to 100, to the point as the Python package fuzzywuzzy
// 0.18 does with python-Levenshtein 0.26 installed. [Ratio] and its relatives are the scores; [ByName] finds
// one by the name that an evaluator uses. Nothing here decides whether a score is enough.
package fuzzy
