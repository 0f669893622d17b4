package sources_test

import (
	"fmt"

	"airqa/ingest/sources"
)

func ExampleParse() {
	for _, text := range []string{"arXiv:2005.11401v4", "https://aclanthology.org/2023.acl-long.1.pdf first paper", "file:///etc/passwd"} {
		item, err := sources.Parse(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(item.URL, item.Name)
	}
	// Output:
	// https://arxiv.org/pdf/2005.11401v4 2005.11401v4
	// https://aclanthology.org/2023.acl-long.1.pdf first_paper
	// URL file:///etc/passwd: only http and https are supported, not file
}
