package words

// Letters and Synonyms are the tables of Fold, for its definition in a test.
var Letters, Synonyms = letters, synonyms
