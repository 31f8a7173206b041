package afunix_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/kernelmodel/afunix"
)

// tableScene is tasks that make one call each on a table: "bind NAME N", with a socket
// that hangs in bucket N of those without a name, and then perhaps "close";
// "autobind any N"; "connect NAME". Names that begin with a slash are paths.
type tableScene struct {
	params afunix.TableParams
	calls  []string
	// holds says whether the answers, by task, can be right.
	holds func(answers []string) bool
}

// free makes sockets until one hangs in a bucket of those without a name, counted
// from the first of their half.
func free(table *afunix.Table, bucket int) *afunix.Endpoint {
	for range 256 {
		if e := table.NewEndpoint(afunix.Dgram); e.Bucket()%256 == bucket {
			return e
		}
	}
	panic(fmt.Sprintf("no socket can be in bucket %d", bucket))
}

// answer tells an error, and nil as "ok".
func answer(err error) string {
	for _, known := range []struct {
		err  error
		text string
	}{
		{afunix.ErrAddrInUse, "in use"}, {afunix.ErrRefused, "refused"}, {afunix.ErrNoEntry, "no entry"},
	} {
		if errors.Is(err, known.err) {
			return known.text
		}
	}
	if err != nil {
		return "unexpected"
	}
	return "ok"
}

func (s *tableScene) build(m *cpus.Machine) explore.Modelled {
	table := afunix.NewTable(m, s.params)
	answers := make([]string, len(s.calls))
	sockets := make([]*afunix.Endpoint, len(s.calls))
	var built explore.Modelled
	for i, call := range s.calls {
		f := strings.Fields(call)
		if len(f) > 2 {
			bucket, err := strconv.Atoi(f[2])
			if err != nil {
				panic(err)
			}
			sockets[i] = free(table, bucket)
		}
		e, path := sockets[i], strings.HasPrefix(f[1], "/")
		built.Tasks = append(built.Tasks, m.NewThread(&cpus.TaskSpec{Name: fmt.Sprintf("%d: %s", i, call)}, func(k *cpus.Thread) {
			var err error
			var found *afunix.Endpoint
			switch {
			case f[0] == "bind" && path:
				err = table.BindPathname(k, e, f[1])
			case f[0] == "bind":
				err = table.BindAbstract(k, e, f[1])
			case f[0] == "autobind":
				err = table.Autobind(k, e)
			case path:
				found, err = table.ConnectPathname(k, f[1])
			default:
				found, err = table.ConnectAbstract(k, f[1], afunix.Dgram)
			}
			answers[i] = answer(err)
			if found != nil {
				answers[i] += fmt.Sprint(" ", slices.Index(sockets, found))
			}
			if f[0] == "bind" && len(f) > 3 && err == nil {
				table.Close(k, e)
			}
		}))
	}
	built.Finally = []explore.ModelCheck{
		{What: "the table is right", Holds: func() (bool, error) { err := table.Check(); return err == nil, err }},
		{What: "the answers can be right", Holds: func() (bool, error) { return s.holds(answers), nil }},
	}
	built.Final = func(buf []byte) []byte { return append(buf, strings.Join(answers, ";")...) }
	return built
}

func (s *tableScene) explored(t *testing.T, o explore.Options) *explore.Result {
	t.Helper()
	r, err := explore.Explore(func() explore.System { return explore.NewModel(explore.ModelSpec{Build: s.build}) }, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// one reports whether exactly one of two binds has got the name, and whoever looked
// it up found that one or nobody.
func one(answers []string) bool {
	won := slices.Index(answers[:2], "ok")
	if won < 0 || answers[1-won] != "in use" {
		return false
	}
	return slices.Contains([]string{"refused", "no entry", fmt.Sprint("ok ", won)}, answers[2])
}

// own reports whether both binds have got their names, and whoever looked up the
// first found it or nobody.
func own(answers []string) bool {
	return answers[0] == "ok" && answers[1] == "ok" && slices.Contains([]string{"refused", "no entry", "ok 0"}, answers[2])
}

// tableScenes are right in every layout. In those that close, the socket goes first.
var tableScenes = []struct {
	name  string
	calls []string
	holds func(answers []string) bool
}{
	{"two want one abstract name", []string{"bind x 1", "bind x 2", "connect x"}, one},
	{"two want abstract names of one bucket", []string{"bind aXb 1", "bind bXa 2", "connect aXb"}, own},
	{"two want one path", []string{"bind /x 1", "bind /x 2", "connect /x"}, one},
	// The first two files have the inodes 1 and 2: where pathname sockets share the half
	// of those without a name, a bind goes up, down, or stays where it is.
	{"two want paths of each other's buckets", []string{"bind /x 1", "bind /y 2", "connect /x"}, own},
	{"one binds and closes", []string{"bind x 1 close", "bind y 2", "connect x"}, own},
	{"one binds a path and closes", []string{"bind /x 1 close", "bind y 2", "connect /x"}, own},
}

// In every interleaving a name has one owner at most, lookups find him or nobody,
// every socket hangs where it belongs, nobody waits for ever, and plain accesses do
// not race.
func TestBindAndLookupAreRightInAllInterleavings(t *testing.T) {
	for _, layout := range afunix.Layouts {
		for _, c := range tableScenes {
			s := tableScene{afunix.TableParams{Layout: layout, Hash: afunix.Checksum}, c.calls, c.holds}
			r := s.explored(t, explore.Options{Strategy: explore.DPOR(), Races: true})
			if len(r.Findings) > 0 || !r.Complete || r.Blocked != 0 {
				t.Errorf("%s: %s: complete %t %v, %d blocked, found %v", layout, c.name, r.Complete, r.Limits, r.Blocked, r.Findings)
			}
		}
	}
}

// With a counter two CPUs try one number, and the second tries again: both get a name
// of their own. The counter is read without the lock under which it is written, which
// is a race, and nothing else is wrong.
func TestAutobindGivesEachItsOwnNameInAllInterleavings(t *testing.T) {
	for _, layout := range afunix.Layouts {
		for _, from := range []string{afunix.AutobindCounter, afunix.AutobindRandom} {
			s := tableScene{
				afunix.TableParams{Layout: layout, Hash: afunix.Checksum, Autobind: from},
				[]string{"autobind any 1", "autobind any 2", "bind 00000 3"},
				func(answers []string) bool {
					return answers[0] == "ok" && answers[1] == "ok" && slices.Contains([]string{"ok", "in use"}, answers[2])
				},
			}
			r := s.explored(t, explore.Options{Strategy: explore.DPOR(), Races: true})
			races := 0
			for _, f := range r.Findings {
				if f.Kind != explore.DataRace || !strings.Contains(f.What, "ordernum") {
					t.Errorf("%s, %s: %v", layout, from, f)
				}
				races++
			}
			if !r.Complete || (races > 0) != (from == afunix.AutobindCounter) {
				t.Errorf("%s, %s: complete %t, %d races", layout, from, r.Complete, races)
			}
		}
	}
}

// Binds of paths wait for each other for ever if each takes its old bucket's lock
// first, or a lock that it has; where the old buckets are all in one half and the new
// ones in another, they cannot.
func TestMistakesWithTwoLocksAreFoundWhereTheyAreMistakes(t *testing.T) {
	paths := []string{"bind /x 1", "bind /y 2", "connect /x"}
	for _, c := range []struct {
		layout  afunix.Layout
		unfixed afunix.TableUnfixed
		kind    explore.Kind
	}{
		{afunix.AbstractHalf, afunix.TableUnfixed{GivenOrder: true}, explore.Deadlock},
		{afunix.AbstractHalf, afunix.TableUnfixed{NoSameBucket: true}, explore.Deadlock},
		{afunix.SharedHalf, afunix.TableUnfixed{GivenOrder: true}, ""},
		{afunix.SharedHalf, afunix.TableUnfixed{NoSameBucket: true}, ""},
		{afunix.GlobalTable, afunix.TableUnfixed{GivenOrder: true, NoSameBucket: true}, ""},
	} {
		s := tableScene{afunix.TableParams{Layout: c.layout, Hash: afunix.Checksum, Unfixed: c.unfixed}, paths, own}
		r := s.explored(t, explore.Options{Strategy: explore.DPOR()})
		found := slices.ContainsFunc(r.Findings, func(f explore.Found) bool { return f.Kind == c.kind })
		if !r.Complete || found != (c.kind != "") || !found && len(r.Findings) > 0 {
			t.Errorf("%s, %+v: complete %t, found %v", c.layout, c.unfixed, r.Complete, r.Findings)
		}
	}
}

// What reduction gets wrong shows: random interleavings are of a class that it has
// not seen.
func TestReducedExplorationOfTheTableSeesEveryEnd(t *testing.T) {
	for _, layout := range afunix.Layouts {
		for _, c := range tableScenes {
			s := tableScene{afunix.TableParams{Layout: layout, Hash: afunix.Checksum}, c.calls, c.holds}
			reduced := s.explored(t, explore.Options{Strategy: explore.DPOR(), CheckDeterminism: true})
			random := s.explored(t, explore.Options{Strategy: explore.Random(1), Executions: 100, Classes: true})
			if *random.Traces > reduced.Executions {
				t.Errorf("%s: %s: random interleavings are of %d classes, reduced exploration saw %d", layout, c.name, *random.Traces, reduced.Executions)
			}
		}
	}
}
