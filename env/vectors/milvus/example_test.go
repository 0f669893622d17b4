package milvus_test

import (
	"fmt"

	"airqa/env/vectors/milvus"
)

func ExampleParseURL() {
	cfg, err := milvus.ParseURL("milvus://ann:secret@db.example/papers?tls=true&prefix=demo_")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cfg.Address, cfg.Database, cfg.Prefix)
	fmt.Println(cfg)
	// Output:
	// db.example:19530 papers demo_
	// milvus://ann@db.example:19530/papers?prefix=demo_&tls=true
}
