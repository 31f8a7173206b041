package inet

import (
	"flag"
	"os"
	"testing"
)

// TestMain sets what the property tests do unless the command line says otherwise: many
// worlds each, and no files left behind among the scripts.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.checks": "200", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	os.Exit(m.Run())
}
