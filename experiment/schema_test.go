package experiment_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"smpsim/experiment"
)

// compileSchema returns what a validator of draft 7 says of a file's text.
func compileSchema(t testing.TB) func(text string) string {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(experiment.JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("experiment.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("experiment.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) string {
		var generic any
		if err := yaml.Unmarshal([]byte(text), &generic); err != nil {
			return "not asked: not YAML"
		}
		asJSON, err := json.Marshal(generic)
		if err != nil {
			return "not asked: no JSON form"
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(instance); err != nil {
			return "refuses"
		}
		return "accepts"
	}
}

func TestTheJSONSchemaAcceptsEveryExample(t *testing.T) {
	verdict := compileSchema(t)
	for _, file := range examples(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := verdict(string(text)); got != "accepts" {
			t.Errorf("%s: %s", file, got)
		}
	}
}

func TestTheJSONSchemaIsTheSameEachTime(t *testing.T) {
	if !bytes.Equal(experiment.JSONSchema(), experiment.JSONSchema()) {
		t.Error("two calls differ")
	}
}
