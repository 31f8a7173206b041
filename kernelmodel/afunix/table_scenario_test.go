package afunix

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"smpsim/cpus"
	"smpsim/des"
)

// TestTableScenarios plays the scripts in testdata_table and compares who took which
// bucket locks, and when. A script is one task a line, "task NAME cpu=N from=BUCKET
// path=PATH|name=NAME": it binds a socket that hangs in that bucket. The argument
// inode is the first that a file gets.
func TestTableScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata_table", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "bind" {
				d.Fatalf(t, "command %q, want bind", d.Cmd)
			}
			return playTable(t, d)
		})
	})
}

// lockWatch is a tracer that tells who takes and gives back which lock of a table.
type lockWatch struct {
	m     *cpus.Machine
	table *Table
	out   strings.Builder
}

// Trace writes the event. A lock is told by its holder: locks of one array have one
// name.
func (w *lockWatch) Trace(e cpus.TraceEvent) {
	var what string
	switch e.Kind {
	case cpus.TraceLockAcquired:
		what = "holds"
	case cpus.TraceContentionBegin:
		what = "waits, and holds"
	case cpus.TraceFuncEntry:
		what = "enters " + w.m.NameOf(e.Name) + " with"
	case cpus.TraceFuncReturn:
		what = "leaves " + w.m.NameOf(e.Name) + " with"
	default:
		return
	}
	if w.m.NameOf(e.Name) == "bindlock" {
		return // it is the socket's own
	}
	tasks := w.m.Tasks()
	task := tasks[slices.IndexFunc(tasks, func(t *cpus.Task) bool { return t.ID() == e.Task })]
	fmt.Fprintf(&w.out, "%10v %s %s %s\n", e.At, task.Name(), what, w.held(task))
}

// held lists the buckets whose locks a task holds.
func (w *lockWatch) held(task *cpus.Task) string {
	var all []string
	for i := range w.table.buckets {
		if w.table.buckets[i].lock.Holder() != task {
			continue
		}
		if w.table.params.Layout == GlobalTable {
			return "the table"
		}
		all = append(all, strconv.Itoa(i))
	}
	if all == nil {
		return "nothing"
	}
	return strings.Join(all, " and ")
}

func playTable(t *testing.T, d *datadriven.TestData) string {
	var layout string
	var inode uint64 = 1
	d.ScanArgs(t, "layout", &layout)
	d.MaybeScanArgs(t, "inode", &inode)
	if !slices.Contains(Layouts, Layout(layout)) {
		d.Fatalf(t, "layout %q, want one of %v", layout, Layouts)
	}
	p := TableParams{Layout: Layout(layout), Hash: Checksum}
	p.Unfixed.GivenOrder, p.Unfixed.NoSameBucket = d.HasArg("given-order"), d.HasArg("no-same-bucket")
	m := newServer(t, 2, 0, 1)
	w := &lockWatch{m: m, table: NewTable(m, p)}
	m.SetTracer(w)
	w.table.files.made = inode - 1
	for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
		f := strings.Fields(line)
		if len(f) != 5 {
			d.Fatalf(t, "%q: want task, a name, cpu, from, and path or name", line)
		}
		cpu, err := strconv.Atoi(strings.TrimPrefix(f[2], "cpu="))
		if err != nil {
			d.Fatalf(t, "%q: %v", line, err)
		}
		from, err := strconv.Atoi(strings.TrimPrefix(f[3], "from="))
		if err != nil {
			d.Fatalf(t, "%q: %v", line, err)
		}
		e := endpointIn(w.table, from)
		kind, name, _ := strings.Cut(f[4], "=")
		on(m, cpu, f[1], func(k *cpus.Thread) {
			bind := w.table.BindAbstract
			if kind == "path" {
				bind = w.table.BindPathname
			}
			err := bind(k, e, name)
			fmt.Fprintf(&w.out, "%10v %s is in bucket %d, error %v\n", k.Now(), f[1], e.Bucket(), err)
		})
	}
	outcome := m.Run(des.Second)
	fmt.Fprintf(&w.out, "%v", outcome)
	if err := m.Failure(); err != nil {
		fmt.Fprintf(&w.out, ": %v", err)
	} else if err := w.table.Check(); err != nil {
		fmt.Fprintf(&w.out, "; %v", err)
	}
	w.out.WriteByte('\n')
	return w.out.String()
}

// endpointIn makes sockets until one hangs in a bucket of those without a name.
func endpointIn(t *Table, bucket int) *Endpoint {
	for range half {
		if e := t.NewEndpoint(Dgram); e.Bucket() == bucket {
			return e
		}
	}
	panic(fmt.Sprintf("no socket without a name can be in bucket %d", bucket))
}
