package yamlfile

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// checkCharacters finds what no YAML file may hold, at its exact place, because the
// library gives none for it.
func checkCharacters(at Pos, data []byte, problems *Problems) bool {
	pos := at
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			problems.Addf(pos, "byte 0x%02x is not UTF-8 text", data[i])
			return false
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f, r > 0x7f && r < 0xa0 && r != 0x85,
			r == 0xfffe, r == 0xffff:
			problems.Addf(pos, "control character %U in the text", r)
			return false
		}
		i += size
		pos.Column++
		if r == '\n' {
			pos.Line, pos.Column = pos.Line+1, 1
		}
	}
	return true
}

// syntaxProblem turns the library's error into a positioned mistake. Its text gives
// no column, and for many errors the line before the real one; the marks it worked
// from are exact, so they are read out of the decoder.
func syntaxProblem(at Pos, data []byte, err error, dec *yaml.Decoder, problems *Problems) {
	message, pos := strings.TrimPrefix(err.Error(), "yaml: "), at
	if marks, ok := readMarks(dec); ok {
		switch {
		case marks.problem == "":
			pos = marks.event.after(at)
		case marks.context != "":
			began := marks.contextStart.after(at)
			message = fmt.Sprintf("%s, %s that starts at %d:%d", marks.problem, marks.context, began.Line, began.Column)
			pos = marks.found.after(at)
			if marks.found.line >= bytes.Count(data, []byte("\n"))+1 {
				pos = began // the text ended before what began here did
			}
		default:
			message, pos = marks.problem, marks.found.after(at)
		}
	}
	message = "not YAML: " + message
	if strings.Contains(message, "',' or") {
		message += "; in flow style a value with commas or brackets must be quoted"
	}
	problems.Addf(pos, "%s", message)
}

// mark is a place as the library counts it, from 0.
type mark struct{ line, column int }

func (m mark) after(at Pos) Pos { return at.plus(m.line+1, m.column+1) }

type marks struct {
	problem, context           string
	found, contextStart, event mark
}

// readMarks reads the unexported state of yaml.v3's parser. The library is frozen;
// should a field be missing all the same, the caller falls back to the error's text.
func readMarks(dec *yaml.Decoder) (m marks, ok bool) {
	outer := reflect.ValueOf(dec).Elem().FieldByName("parser")
	if outer.Kind() != reflect.Pointer || outer.Elem().Kind() != reflect.Struct {
		return m, false
	}
	inner, event := outer.Elem().FieldByName("parser"), outer.Elem().FieldByName("event")
	if inner.Kind() != reflect.Struct || event.Kind() != reflect.Struct {
		return m, false
	}
	ok = true
	text := func(v reflect.Value) string {
		ok = ok && v.Kind() == reflect.String
		if !ok {
			return ""
		}
		return v.String()
	}
	place := func(v reflect.Value) mark {
		if ok = ok && v.Kind() == reflect.Struct; !ok {
			return mark{}
		}
		line, column := v.FieldByName("line"), v.FieldByName("column")
		if ok = line.CanInt() && column.CanInt(); !ok {
			return mark{}
		}
		return mark{int(line.Int()), int(column.Int())}
	}
	m = marks{
		problem: text(inner.FieldByName("problem")), context: text(inner.FieldByName("context")),
		found: place(inner.FieldByName("problem_mark")), contextStart: place(inner.FieldByName("context_mark")),
		event: place(event.FieldByName("start_mark")),
	}
	return m, ok
}
