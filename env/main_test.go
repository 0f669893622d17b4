package env_test

import (
	"os"
	"testing"

	"airqa/env/paperdb"
)

func TestMain(m *testing.M) {
	paperdb.WorkerMain()
	os.Exit(m.Run())
}
