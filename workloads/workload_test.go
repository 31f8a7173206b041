package workloads

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel/afunix"
	"smpsim/yamlfile"
)

func TestThePublishedExamplesCompile(t *testing.T) {
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var problems yamlfile.Problems
		root := yamlfile.Parse(file, text, &problems)
		if root == nil {
			t.Fatal(problems.Err())
		}
		var sockets []UnixSocket
		if setup := root.Get("setup"); setup != nil {
			for _, step := range setup.Items {
				if named := step.Get("sockets"); named != nil {
					for _, pair := range named.Pairs {
						sockets = append(sockets, UnixSocket{Name: pair.Key.Text, Kind: afunix.Dgram})
					}
				}
			}
		}
		src := &Source{Objects: root.Get("objects"), Syscalls: NewUnixCalls(sockets).Syscalls()}
		for _, pair := range root.Get("tasks").Pairs {
			start := pair.Value.Get("start")
			src.Tasks = append(src.Tasks, TaskSource{
				Name: pair.Key.Text, Count: 1, Loop: 1, Manual: start != nil && start.Text == "manual",
			})
			if do := pair.Value.Get("do"); do != nil {
				src.Tasks[len(src.Tasks)-1].Steps = do.Items
			}
		}
		if Compile(src, &problems) == nil {
			t.Errorf("%v", &problems)
		}
	}
}

func TestEachRunStartsAnew(t *testing.T) {
	src, w := compiled(t, `
objects: {x: {word: 3}, a: {word: [1, 2], line: both}, c: {counter: plain, value: 4, line: both}}
tasks: {t: {count: 2, loop: 2, do: [{read: {r: x}}, {write: {x: r + 1}}, {add: c}, {write: {"a[self]": r}}]}}`)
	var first string
	for range 3 {
		m := newMachine(1, 2)
		l := launch(src, w, m)
		got := describe(src, l, m.Run(des.Second).String())
		if first == "" {
			first = got
		}
		if got != first {
			t.Errorf("a run says\n%s\nand the next\n%s", first, got)
		}
	}
}

func TestResetPutsProgramsAndWordsBack(t *testing.T) {
	src, w := compiled(t, `
objects: {x: {word: 3}, a: {word: [1, 2]}}
tasks: {t: {do: [{read: {r: x}}, {write: {x: r + 1, "a[1]": r}}, {run: 1us}, {run: 2us}]}}`)
	m := newMachine(1, 1)
	l := launch(src, w, m)
	p := &l.group(w.Program("t")).procs[0]
	began := describe(src, l, "")
	m.Run(500 * des.Nanosecond)
	if describe(src, l, "") == began {
		t.Fatal("nothing has changed")
	}
	l.Reset()
	if got := describe(src, l, ""); got != began {
		t.Errorf("after a reset: %s\nwant %s", got, began)
	}
	if op := p.Next(m.Tasks()[0]); op.Kind != cpus.Load {
		t.Errorf("the program goes on with an op of kind %d, want its first", op.Kind)
	}
}

func TestReportCanPassFailuresOver(t *testing.T) {
	src, w := compiled(t, `
objects: {a: {word: [7, 8]}}
tasks: {t: {do: [set: {i: 2}, assert: i == 1, read: {r: "a[i]"}, set: {s: 5 / r}, write: {"a[i - 3]": 1}, set: {end: 1}]}}`)
	m := newMachine(1, 1)
	l := launch(src, w, m)
	var kinds []string
	l.Report = func(f *Failure) bool {
		kinds = append(kinds, string(f.Kind)+" "+f.What)
		return true
	}
	if outcome := m.Run(des.Second); outcome != cpus.Ended {
		t.Fatalf("the run %v: %v", outcome, m.Failure())
	}
	want := "assert does not hold, bug index 2 is not within 0 to 1, bug division by zero, bug index -1 is not within 0 to 1"
	if got := strings.Join(kinds, ", "); got != want {
		t.Errorf("reported %s\nwant %s", got, want)
	}
	if got := l.Registers(w.Program("t"), 0); got[0] != 2 || got[1] != 0 || got[2] != 0 || got[3] != 1 {
		t.Errorf("registers %v, want 2 0 0 1", got)
	}
}

func TestAFailureInWorkNamesItemAndWorker(t *testing.T) {
	src, w := compiled(t, `
objects: {w: {work: [assert: 1 == 2]}}
tasks: {t: {do: [{queue: w}, {flush: w}]}}`)
	m := newMachine(1, 2)
	defer m.Sim.Close()
	launch(src, w, m)
	m.Run(des.Second)
	var f *Failure
	if !errors.As(m.Failure(), &f) {
		t.Fatalf("failure %v, want one of the program", m.Failure())
	}
	if !strings.HasPrefix(f.Task, "w (kworker/") || f.Pos.String() != "f.yaml:2:22" {
		t.Errorf("failure in %q at %v", f.Task, f.Pos)
	}
}

func TestTasksWithALoadCanBeStartedAndJoined(t *testing.T) {
	src, w := compiled(t, `
tasks:
  t: {do: [{run: 1us}, {start: load}, {join: load}, {set: {done: 1}}]}
  load: {start: manual, count: 2, run: something}`)
	m := newMachine(1, 3)
	l := launch(src, w, m)
	ran := 0
	for i := range 2 {
		l.AddTask("load", i, m.NewThread(&cpus.TaskSpec{Name: "load", Index: int32(i), Numbered: true}, func(k *cpus.Thread) {
			k.Run(5 * des.Microsecond)
			ran++
		}))
	}
	if outcome := m.Run(des.Second); outcome != cpus.Ended || ran != 2 || l.Registers(w.Program("t"), 0)[0] != 1 {
		t.Errorf("%v after %d loads, registers %v", outcome, ran, l.Registers(w.Program("t"), 0))
	}
}

// nap is a system call as a kernel model would register it: nap: {for: 1us}.
func nap(args *yamlfile.Node, problems *yamlfile.Problems) SyscallBinder {
	n := args.Get("for")
	if n == nil {
		problems.Addf(args.Pos, "nap: for is missing")
		return nil
	}
	d, ok := n.Duration(problems, "nap: for", 0, int64(des.Second))
	if !ok {
		return nil
	}
	return func(m *cpus.Machine) cpus.Behavior {
		return m.Func(func(k *cpus.Thread) {
			k.Sleep(des.Time(d))
			k.Run(des.Microsecond)
		})
	}
}

func TestSystemCallsOfModelsRunWithinPrograms(t *testing.T) {
	compile := func(text string) (*Source, *Workload, *yamlfile.Problems) {
		var problems yamlfile.Problems
		src := parsed(text, &problems)
		src.Syscalls = map[string]Syscall{"nap": nap}
		return src, Compile(src, &problems), &problems
	}
	src, w, problems := compile(`
objects: {x: {word: 0}}
tasks: {t: {count: 2, loop: 3, do: [{call: {nap: {for: 10us}}}, {atomic: {r: "add_return(x, 1)"}}]}}`)
	if w == nil {
		t.Fatal(problems)
	}
	m := newMachine(1, 2)
	defer m.Sim.Close()
	l := launch(src, w, m)
	if outcome := m.Run(des.Second); outcome != cpus.Ended || l.Words()[0].Value != 6 {
		t.Errorf("%v with %v", outcome, l.Words())
	}
	_, w, problems = compile(`
tasks: {t: {do: [{call: {nop: {for: 1us}}}, {call: {nap: {}}}, {call: {nap: {for: 1us}, pan: {}}}, {call: nap}]}}`)
	want := `f.yaml:2:26: call: unknown system call "nop"; did you mean "nap"?; allowed: nap
f.yaml:2:58: nap: for is missing
f.yaml:2:71: call: expected one system call, found 2
f.yaml:2:107: call: expected a mapping, found "nap"`
	if w != nil || problems.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", problems, want)
	}
}

func TestSamplesComeFromAFileBesideTheExperiment(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.txt": "# measured\n5us\n5us\n\n", "bad.txt": "5us\n7\n-1us\nabc\n", "empty.txt": "#\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compile := func(text string) (*Source, *Workload, *yamlfile.Problems) {
		var problems yamlfile.Problems
		root := yamlfile.Parse(filepath.Join(dir, "f.yaml"), []byte(text), &problems)
		src := &Source{Tasks: []TaskSource{{Name: "t", Count: 1, Loop: 1, Steps: root.Items}}}
		return src, Compile(src, &problems), &problems
	}
	src, w, problems := compile("[run: empirical(good.txt)]")
	if w == nil {
		t.Fatal(problems)
	}
	m := newMachine(1, 1)
	launch(src, w, m)
	if m.Run(des.Second); m.Sim.Now() != 5*des.Microsecond {
		t.Errorf("it ran for %v, want 5us", m.Sim.Now())
	}
	_, w, problems = compile("[run: empirical(bad.txt), run: empirical(empty.txt), run: empirical(none.txt)]")
	want := `bad.txt:2:1: "7" has no unit, and a duration needs one; allowed: ps, ns, us, ms, s
bad.txt:3:1: "-1us" is not within 0s to 3600s
bad.txt:4:1: "abc" is not a number
f.yaml:1:32: run: "empty.txt" has no durations
f.yaml:1:59: run: cannot read "none.txt": no such file or directory`
	if got := strings.ReplaceAll(problems.Error(), dir+string(filepath.Separator), ""); w != nil || got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestStepsTellWhatAnOpIs(t *testing.T) {
	_, w := compiled(t, `
objects: {x: {word: 0}, y: {word: 0}, l: {spinlock: mcs}}
tasks: {t: {do: [{lock: l}, {read_plain: {r: x, s: y}}, {release: {y: 1}}]}}`)
	l := w.Link(newMachine(1, 1))
	task := l.NewTask(w.Program("t"), &cpus.TaskSpec{})
	p := &l.group(w.Program("t")).procs[0]
	for _, want := range []struct {
		text, object string
		index        int
		access       Access
	}{
		{"lock: l", "l", 0, Reads | Writes | Acquires},
		{"read_plain: {r: x}", "x", 1, Reads | Plain},
		{"read_plain: {s: y}", "y", 1, Reads | Plain},
		{"release: {y: 1}", "y", 2, Writes | Releases},
	} {
		s := w.Steps[p.Next(task).Label]
		if s.Text != want.text || w.Objects[s.Objects[0]].Name != want.object || s.Index != want.index || s.Access != want.access {
			t.Errorf("step %+v, want %+v", s, want)
		}
	}
}
