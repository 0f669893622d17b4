//go:build !linux

package sandbox_test

// system answers requests that only Linux supports.
func system(word string) string { return "unknown request " + word }

const asParent = "AIRQA_TEST_AS_PARENT"

func parent() int { return 1 }
