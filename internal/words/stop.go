package words

import _ "embed"

//go:embed english.txt
var englishWords string

// english is the English stop list of scikit-learn: 318 words, historical spellings included.
var english = Set(englishWords)
