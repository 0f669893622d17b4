//go:build !linux

package worker_test

// system answers what only Linux can tell.
func system(word string) string { return "unknown request " + word }

const asParent = "AIRQA_TEST_AS_PARENT"

func parent() int { return 1 }
