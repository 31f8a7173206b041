package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// JSONSchema is the schema of experiment files as a JSON Schema of draft 7, which
// editors use to complete and check a file as it is written. It accepts every file
// that this package accepts; what needs more than one look at a file, such as whether
// a name exists, it leaves to this package.
func JSONSchema() []byte {
	root := objectSchema(slices.Concat(fileKeys, cellKeys), nil)
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "smpsim experiment"
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(root); err != nil {
		panic(fmt.Sprintf("experiment: the schema has no JSON form: %v", err))
	}
	return b.Bytes()
}

// A tree of these is a schema; encoding/json sorts their keys.
type schema = map[string]any

// objectSchema is a mapping. The keys in known have their schema elsewhere.
func objectSchema(keys []key, known map[string]bool) schema {
	properties, required := schema{}, []string{}
	for i := range keys {
		k := &keys[i]
		if k.required {
			required = append(required, k.name)
		}
		if known[k.name] {
			properties[k.name] = true
			continue
		}
		one := k.shape.schema()
		one["description"] = k.doc
		if k.def != "" && k.defTimed == "" && k.defExplored == "" {
			one["default"] = k.def
		}
		properties[k.name] = one
	}
	s := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// reference is a value that stands in place of a scalar.
var reference = schema{"type": "string", "pattern": `^\$[A-Za-z0-9_.]+$`}

// or is any of the alternatives, or a reference to another path.
func or(alternatives ...any) schema { return schema{"anyOf": append(alternatives, reference)} }

func pattern(p string) schema { return schema{"type": "string", "pattern": p} }

// Spellings of quantities. The ranges that they leave open are for the reader.
const (
	decimalPattern = `(0|[1-9][0-9]*)(\.[0-9]+)?`
	timePattern    = decimalPattern + `(ps|ns|us|ms|s)`
	countPattern   = decimalPattern + `([kMG]|[KMG]i)?`
)

func (s *shape) schema() schema {
	switch s.form {
	case formMapping:
		return objectSchema(s.keys, nil)
	case formChoice:
		return s.choiceSchema()
	case formNamed:
		return schema{
			"type": "object", "additionalProperties": s.item.schema(),
			"propertyNames": pattern(spellings[s.names.form].pattern.String()),
		}
	case formList:
		return schema{"type": "array", "items": s.item.schema(), "minItems": s.low}
	case formEither:
		alternatives := make([]any, 0, len(s.either))
		for _, one := range s.either {
			alternatives = append(alternatives, one.schema())
		}
		return schema{"anyOf": alternatives}
	case formSteps:
		step := schema{"anyOf": []any{schema{"type": "string"}, schema{"type": "object", "minProperties": 1}}}
		return schema{"type": "array", "items": step, "minItems": s.low}
	case formTree:
		nested := schema{"type": "object"}
		return schema{"type": "object", "additionalProperties": schema{"anyOf": []any{s.item.schema(), nested}}}
	case formPaths:
		return schema{"type": "object", "propertyNames": pattern(spellings[formPath].pattern.String())}
	default:
		return s.scalarSchema()
	}
}

func (s *shape) scalarSchema() schema {
	switch s.form {
	case formText, formCondition:
		return schema{"type": []string{"string", "number", "boolean"}}
	case formWord:
		return or(schema{"enum": s.words})
	case formBool:
		return or(schema{"type": "boolean"})
	case formCount:
		sign := ""
		if s.low < 0 {
			sign = "-?"
		}
		whole := schema{"type": "integer", "minimum": s.low, "maximum": s.high}
		return or(whole, pattern("^"+sign+countPattern+"$"))
	case formDuration:
		return or(pattern("^" + timePattern + "$"))
	case formDistribution:
		return or(pattern("^"+timePattern+"$"), pattern(`^ *(exp|uniform|lognormal|empirical) *\(.+\) *$`))
	case formSize:
		return or(schema{"type": "integer", "minimum": s.low, "maximum": s.high}, pattern("^"+decimalPattern+"([kMG]|[KMG]i|[KMG]iB|B)?$"))
	case formPercent:
		return pattern("^" + decimalPattern + "%$")
	case formAmount:
		return schema{"anyOf": []any{schema{"type": "number"}, pattern("^-?" + timePattern + "$"), pattern("^-?" + countPattern + "$")}}
	case formCost:
		return or(schema{"type": "integer", "minimum": 0}, pattern("^"+decimalPattern+"[A-Za-z]+$"))
	case formMetric:
		return pattern(`^ *[a-z0-9_]+ *\(.+\) *$`)
	default:
		p := spellings[s.form].pattern.String()
		return schema{"anyOf": []any{pattern(p), reference, schema{"type": "integer", "minimum": 0}}}
	}
}

// choiceSchema is a mapping that one of its keys decides: what that key, or a word
// behind it, brings along stands in an if and then, so that editors name the right keys.
func (s *shape) choiceSchema() schema {
	var anyOf, allOf []any
	var common []key
	known := make(map[string]bool)
	for _, a := range s.alternatives {
		for _, k := range a.keys {
			if !known[k.name] && len(candidateKeys(s, k.name)) == 1 {
				known[k.name] = true
				common = append(common, k)
			}
		}
	}
	then := func(when schema, keys []key) {
		allOf = append(allOf, schema{"if": when, "then": objectSchema(keys, known)})
	}
	for _, a := range s.alternatives {
		deciding := []string{a.name()}
		anyOf = append(anyOf, schema{"required": deciding})
		opens := a.keys[0].shape.opens
		if opens == nil {
			then(schema{"required": deciding}, a.keys)
		}
		for _, word := range a.keys[0].shape.words {
			if more, ok := opens[word]; ok {
				is := schema{a.name(): schema{"const": word}}
				then(schema{"required": deciding, "properties": is}, more)
			}
		}
	}
	whole := objectSchema(common, nil)
	delete(whole, "additionalProperties")
	delete(whole, "required")
	whole["anyOf"], whole["allOf"] = anyOf, allOf
	return whole
}
