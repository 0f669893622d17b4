package python_test

import (
	"fmt"

	"airqa/internal/python"
)

func ExampleParse() {
	v, _ := python.Parse(`{'models': ["BERT", 'T5'], 'score': 85.30}`, python.Options{})
	fmt.Println(python.Repr(v))
	_, err := python.Parse("[BERT, T5]", python.Options{})
	fmt.Println(err)
	// Output:
	// {'models': ['BERT', 'T5'], 'score': 85.3}
	// line 1, column 2: names are not values: did you mean 'BERT'?
}

func ExampleParseCall() {
	reply := "[Action]: Retrieve(query='dropout', limit=4) and then we see"
	c, _ := python.ParseCall(reply, 10, python.Options{})
	fmt.Println(c.Name, c.Keywords[0].Name, c.Keywords[0].Value, reply[c.End:])
	// Output: Retrieve query dropout  and then we see
}
