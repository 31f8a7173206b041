package kernelmodel_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain sets what the property tests do unless the command line says
// otherwise: a thousand worlds each, and no files left behind.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.checks": "1000", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	os.Exit(m.Run())
}
