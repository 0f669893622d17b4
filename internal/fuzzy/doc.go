// Package fuzzy scores the similarity of two texts from 0 to 100, exactly like the Python package fuzzywuzzy 0.18 with
// python-Levenshtein 0.26. [Ratio] and its variants are the scores; [ByName] returns one by the name that evaluators
// use. Thresholds are the caller's.
package fuzzy
