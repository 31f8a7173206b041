package experiment

// metricFuncs are the functions of a metric, in the order they are listed to users.
var metricFuncs = []struct{ name, doc string }{
	{"mean", "The mean of the metric's samples."},
	{"p50", "Their median."},
	{"p90", "Their 90th percentile."},
	{"p99", "Their 99th percentile."},
	{"p999", "Their 99.9th percentile."},
	{"min", "The smallest."},
	{"max", "The largest."},
	{"count", "How many there are."},
	{"throughput", "How many there are per second of virtual time."},
	{"wait", "The mean time waited for a lock."},
	{"hold", "The mean time a lock was held."},
	{"cpu_time", "Seconds of CPU per second of virtual time, summed over CPUs."},
}

// cpuTimes are the accounts that cpu_time knows.
var cpuTimes = []string{"user", "kernel", "spin", "irq", "switch", "idle"}

// findings are the kinds of findings an exploration can make. The first seven are
// compared in every expectation, the others when they are named.
var findings = []string{
	"assert", "check", "never", "deadlock", "livelock", "data-race", "bug",
	"lock-order", "irq-safety", "atomic-sleep", "lock-held", "lost-wakeup",
}

var (
	variantKey = key{name: "variant", shape: labelShape, doc: "Of this variant alone."}
	whereKey   = key{name: "where", shape: pathsShape, doc: "Of the cells where these swept paths have these values."}
	fileKey    = key{name: "file", required: true, shape: pictureShape, doc: "The picture's name in the output folder."}
	byKey      = key{name: "by", shape: pathShape, doc: "A curve for each variant, or for each value of a swept path."}
)

var plotShape = choice(
	alternative{doc: "A histogram.", keys: []key{
		{name: "histogram", shape: metricNameShape, doc: "The metric whose samples are counted."},
		byKey, variantKey, whereKey, fileKey,
	}},
	alternative{doc: "Lines over a swept path.", keys: []key{
		{name: "line", shape: metricShape, doc: "A function of a metric, such as mean(x)."},
		{name: "x", required: true, shape: pathShape, doc: "The swept path along the axis."},
		byKey, variantKey, whereKey, fileKey,
	}},
	alternative{doc: "A timeline.", keys: []key{
		{name: "timeline", shape: words("cpus"), doc: "What each CPU does."},
		{name: "window", required: true, shape: duration(1, longest), doc: "How much of the run is shown."},
		{name: "from", shape: duration(0, longest), def: "0ns", doc: "Where the window begins."},
		variantKey, whereKey, fileKey,
	}},
)

var compareShape = choice(metricAlternatives(
	variantKey, whereKey,
	key{name: "published", required: true, shape: amountShape, doc: "The published figure."},
	key{name: "minus", shape: labelShape, doc: "Subtract this variant's figure first."},
)...)

var expectShape = choice(append([]alternative{{doc: "What an exploration finds.", keys: []key{
	{name: "explore", shape: labelShape, doc: "The variant explored; base where a file has no variants."},
	whereKey,
	{name: "finds", shape: either(words("nothing"), list(1, words(findings...))), doc: "Exactly these kinds of findings."},
	{name: "traces", shape: count(0, unbounded), doc: "How many equivalence classes."},
	{name: "interleavings", shape: count(0, unbounded), doc: "How many interleavings."},
	{name: "failing", shape: count(0, unbounded), doc: "How many executions fail."},
	{name: "final_states", shape: count(0, unbounded), doc: "How many final states."},
}}}, metricAlternatives(
	variantKey, whereKey,
	key{name: "over", shape: labelShape, doc: "Divide by this variant's figure first."},
	key{name: "is", shape: amountShape, doc: "The figure, exactly or within."},
	key{name: "within", shape: percentShape, doc: "How far from is the figure may be."},
	key{name: "at_least", shape: amountShape, doc: "The smallest figure that will do."},
	key{name: "at_most", shape: amountShape, doc: "The largest figure that will do."},
)...)...)

// metricAlternatives is a mapping for each function of a metric, with further keys.
func metricAlternatives(more ...key) []alternative {
	alternatives := make([]alternative, 0, len(metricFuncs))
	for _, f := range metricFuncs {
		arg := metricNameShape
		if f.name == "cpu_time" {
			arg = words(cpuTimes...)
		}
		keys := append([]key{{name: f.name, shape: arg, doc: f.doc}}, more...)
		alternatives = append(alternatives, alternative{doc: f.doc, keys: keys})
	}
	return alternatives
}
