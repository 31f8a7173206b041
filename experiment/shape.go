package experiment

import "math"

// form is what a value looks like in the file.
type form uint8

const (
	formText         form = iota + 1 // any text
	formName                         // letters, digits and underscores: usable in expressions
	formLabel                        // names a variant: also dots, dashes and plus signs
	formFolder                       // names the experiment: letters, digits, dashes
	formWord                         // one of words
	formCount                        // a whole number from low to high
	formDuration                     // picoseconds from low to high
	formDistribution                 // a duration that may be random
	formSize                         // bytes; a number without unit counts bytes
	formPercent                      // millionths of the whole
	formBool                         // true or false
	formAmount                       // a number or a duration, as something to compare with
	formCost                         // any quantity: the machine's preset knows which
	formMetric                       // a function of a metric: mean(x)
	formMetricName                   // a metric by itself: x
	formPath                         // a dotted path
	formPicture                      // a plain file name that ends in .png
	formCondition                    // an expression, compiled elsewhere

	formMapping // the keys in keys
	formChoice  // the keys of one of alternatives
	formNamed   // names of the form names, each with a value of shape item
	formList    // low to high values of shape item
	formEither  // a value of one of either
	formSteps   // program steps, compiled elsewhere
	formTree    // mappings of names, nested, that end in values of shape item
	formPaths   // dotted paths, each with a value that is read elsewhere
)

// shape says what a value may be. Fields that its form does not mention are zero.
type shape struct {
	form         form
	words        []string         // formWord
	opens        map[string][]key // formWord: all keys of the mapping that a word stands in, if it decides them
	low, high    int64            // ranges, and lengths of a list
	keys         []key            // formMapping
	alternatives []alternative    // formChoice
	names        *shape           // formNamed
	item         *shape           // formNamed, formList, formTree
	either       []*shape         // formEither, tried in order
}

// key is a key of a mapping.
type key struct {
	name        string
	doc         string // one sentence, shown by editors
	shape       *shape
	required    bool
	filled      bool   // left out, it is an empty mapping or list, so that its own defaults apply
	def         string // the value when it is left out, as it would be written; empty for none
	defTimed    string // in place of def where stop.after is given and the file does not explore
	defExplored string // in place of def where the file explores
}

// alternative is one of the mappings that a choice allows, known by its first key.
type alternative struct {
	doc  string
	keys []key
}

func (a alternative) name() string { return a.keys[0].name }

// env is what defaults depend on.
type env struct {
	timed    bool // stop.after is given
	explores bool // there is an explore section
}

// missing is the text of a key that was left out, or empty if it has no default.
func (k *key) missing(e env) string {
	switch {
	case e.timed && !e.explores && k.defTimed != "":
		return k.defTimed
	case e.explores && k.defExplored != "":
		return k.defExplored
	default:
		return k.def
	}
}

// Bounds of what nothing else bounds.
const (
	largest   = 1e12 // counts: sums of them stay exact
	longest   = 1e18 // picoseconds, eleven days: the clock does not overflow
	unbounded = math.MaxInt64
)

func words(w ...string) *shape        { return &shape{form: formWord, words: w} }
func count(low, high int64) *shape    { return &shape{form: formCount, low: low, high: high} }
func duration(low, high int64) *shape { return &shape{form: formDuration, low: low, high: high} }
func list(low int64, item *shape) *shape {
	return &shape{form: formList, low: low, high: maxList, item: item}
}
func few(item *shape) *shape         { return &shape{form: formList, high: maxNamed, item: item} }
func either(shapes ...*shape) *shape { return &shape{form: formEither, either: shapes} }
func mapping(keys ...key) *shape     { return &shape{form: formMapping, keys: keys} }
func choice(alternatives ...alternative) *shape {
	return &shape{form: formChoice, alternatives: alternatives}
}

func named(names, item *shape) *shape {
	return &shape{form: formNamed, names: names, item: item, high: maxNamed}
}

// Limits that no experiment meets and no reader should have to go beyond.
const (
	maxList  = 100_000
	maxNamed = 1000
	maxName  = 64 // characters
)

var (
	textShape         = &shape{form: formText}
	nameShape         = &shape{form: formName}
	labelShape        = &shape{form: formLabel}
	folderShape       = &shape{form: formFolder}
	boolShape         = &shape{form: formBool}
	distributionShape = &shape{form: formDistribution}
	percentShape      = &shape{form: formPercent}
	sizeShape         = &shape{form: formSize, high: largest}
	amountShape       = &shape{form: formAmount}
	costShape         = &shape{form: formCost}
	metricShape       = &shape{form: formMetric}
	metricNameShape   = &shape{form: formMetricName}
	pathShape         = &shape{form: formPath}
	pictureShape      = &shape{form: formPicture}
	conditionShape    = &shape{form: formCondition}
	stepsShape        = &shape{form: formSteps, low: 1, high: maxList}
	pathsShape        = &shape{form: formPaths, high: maxNamed}
	flagShape         = mapping() // written {}: there is nothing to say
)
