package pyliteral_test

import (
	"fmt"

	"airqa/internal/pyliteral"
)

func ExampleParse() {
	v, _ := pyliteral.Parse(`{'models': ["BERT", 'T5'], 'score': 85.30}`, pyliteral.Options{})
	fmt.Println(pyliteral.Repr(v))
	_, err := pyliteral.Parse("[BERT, T5]", pyliteral.Options{})
	fmt.Println(err)
	// Output:
	// {'models': ['BERT', 'T5'], 'score': 85.3}
	// line 1, column 2: names are not values: did you mean 'BERT'?
}

func ExampleParseCall() {
	reply := "[Action]: Retrieve(query='dropout', limit=4) and then we see"
	c, _ := pyliteral.ParseCall(reply, 10, pyliteral.Options{})
	fmt.Println(c.Name, c.Keywords[0].Name, c.Keywords[0].Value, reply[c.End:])
	// Output: Retrieve query dropout  and then we see
}
