package afunix

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

var hexNames = Names{base: 16}

// tableRun is a table on the server and what was measured of it.
type tableRun struct {
	*Table
	recorder
	m *cpus.Machine
}

func newTableRun(t testing.TB, cpuCount int, p TableParams) *tableRun {
	if p.Hash == "" {
		p.Hash = Checksum
	}
	r := &tableRun{m: newServer(t, cpuCount, 0, 1)}
	r.Table = NewTable(r.m, p)
	r.m.SetTracer(r)
	return r
}

// do lets one task do something, and checks the table.
func (r *tableRun) do(t testing.TB, body func(k *cpus.Thread)) {
	t.Helper()
	on(r.m, 0, "task", body)
	r.end(t)
}

func (r *tableRun) end(t testing.TB) {
	t.Helper()
	if o := r.m.Run(1000 * des.Second); o != cpus.Ended {
		t.Fatalf("run: %v at %v, failure %v", o, r.m.Sim.Now(), r.m.Failure())
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
}

// samples returns the values of a quantity.
func (r *tableRun) samples(name string) []int64 {
	id := r.m.Intern(name)
	var all []int64
	for _, e := range r.events {
		if e.Kind == cpus.TraceSample && e.Name == id {
			all = append(all, e.Arg)
		}
	}
	return all
}

func mustSetup(t testing.TB, table *Table, b Bound) {
	t.Helper()
	if err := table.Setup(b); err != nil {
		t.Fatal(err)
	}
}

// misses looks up names that nobody has, and returns what the searches took and how
// many sockets they compared.
func misses(t *testing.T, p TableParams, b Bound, calls int64) ([]des.Time, []int64) {
	t.Helper()
	r := newTableRun(t, 1, p)
	mustSetup(t, r.Table, b)
	r.do(t, func(k *cpus.Thread) {
		for i := range calls {
			if _, err := r.ConnectAbstract(k, hexNames.Name(100_000+i), Dgram); err != ErrRefused {
				t.Errorf("%v, want %v", err, ErrRefused)
			}
		}
	})
	return r.durations(r.m, "unix_find_other"), r.samples("nodes_visited")
}

func TestPathnameSocketsMakeNoDifferenceWhereTheyHangElsewhere(t *testing.T) {
	for _, layout := range Layouts {
		p := TableParams{Layout: layout}
		alone, visited := misses(t, p, Bound{Abstract: 5000, Names: hexNames}, 500)
		both, visitedBoth := misses(t, p, Bound{Abstract: 5000, Pathname: 5000, Names: hexNames}, 500)
		same := slices.Equal(alone, both) && slices.Equal(visited, visitedBoth)
		if want := layout == AbstractHalf; same != want {
			t.Errorf("%s: the same with and without pathname sockets: %t, want %t", layout, same, want)
		}
	}
}

func TestAMissComparesTheWholeChain(t *testing.T) {
	const abstract, paths = 20_000, 10_000
	for _, h := range Hashes {
		for _, layout := range Layouts {
			chains := spread(t, "%x", h, 0, abstract)
			_, visited := misses(t, TableParams{Layout: layout, Hash: h}, Bound{Abstract: abstract, Pathname: paths, Names: hexNames}, 1000)
			for i, got := range visited {
				want := int64(chains[abstractHash(h, hexNames.Name(int64(100_000+i)), Dgram)])
				if layout != AbstractHalf {
					// Inodes 1 to 10,000: the first 16 buckets but number 0 have one more.
					b := int64(abstractHash(h, hexNames.Name(int64(100_000+i)), Dgram))
					want += paths / half
					if b >= 1 && b <= paths%half {
						want++
					}
				}
				if got != want {
					t.Fatalf("%s, %s: lookup %d compares %d sockets, want %d", h, layout, i, got, want)
				}
			}
		}
	}
}

func TestAHitComparesSocketsUpToTheOneThatItFinds(t *testing.T) {
	r := newTableRun(t, 1, TableParams{Layout: AbstractHalf})
	// One bucket each: "ab" and "ba" would not have one checksum, "aXb" and "bXa" do.
	same := []string{"aXb", "bXa", "aXb.", "bXa."}
	var made []*Endpoint
	r.do(t, func(k *cpus.Thread) {
		for _, name := range same[:2] {
			e := r.Socket(k, Dgram)
			if err := r.BindAbstract(k, e, name); err != nil {
				t.Error(err)
			}
			made = append(made, e)
		}
		before := len(r.samples("nodes_visited"))
		for i, name := range same[:2] {
			if e, err := r.ConnectAbstract(k, name, Dgram); err != nil || e != made[i] {
				t.Errorf("%q: %v, %v", name, e, err)
			}
		}
		// The last one bound is the first compared.
		if got := r.samples("nodes_visited")[before:]; !slices.Equal(got, []int64{2, 1}) {
			t.Errorf("compared %v, want 2 and 1", got)
		}
	})
}

func TestAWarmSearchIsTwoCacheHitsASocket(t *testing.T) {
	for _, c := range []struct {
		sockets int
		price   des.Time
	}{
		// 20 sockets of 128 bytes; 5,000, 640 KB; 100,000, 12.8 MB.
		{20, serverCosts.L1Hit},
		{5000, serverCosts.L2Hit},
		{100_000, serverCosts.LLCHit},
	} {
		r := newTableRun(t, 1, TableParams{Layout: AbstractHalf, Hash: Uniform})
		mustSetup(t, r.Table, Bound{Abstract: c.sockets, Names: hexNames})
		const rounds, calls = 3, 2000
		r.do(t, func(k *cpus.Thread) {
			for i := range int64(rounds * calls) {
				_, _ = r.ConnectAbstract(k, hexNames.Name(100_000+i%calls), Dgram)
			}
		})
		took, visited := r.durations(r.m, "unix_find_socket_byname"), r.samples("nodes_visited")
		sum, nodes := des.Time(0), int64(0)
		for i := (rounds - 1) * calls; i < rounds*calls; i++ {
			sum += took[i]
			nodes += visited[i]
		}
		// The head of the chain is one more line, which nobody takes away. Now and then
		// a chain has its turn so soon that a nearer cache still has it.
		sum -= calls * serverCosts.L1Hit
		if each := sum / des.Time(nodes); each < 2*c.price*9/10 || each > 2*c.price {
			t.Errorf("%d sockets: %v each, want %v", c.sockets, each, 2*c.price)
		}
	}
}

func TestTheFirstSearchFindsTheChainInMemory(t *testing.T) {
	r := newTableRun(t, 1, TableParams{Layout: AbstractHalf, Hash: Uniform})
	mustSetup(t, r.Table, Bound{Abstract: 1000, Names: hexNames})
	r.do(t, func(k *cpus.Thread) {
		for range 2 {
			_, _ = r.ConnectAbstract(k, "fresh", Dgram)
		}
	})
	took, visited := r.durations(r.m, "unix_find_socket_byname"), r.samples("nodes_visited")
	head := serverCosts.DRAM
	if want := des.Time(2*visited[0])*serverCosts.DRAM + head; took[0] != want {
		t.Errorf("%v for %d sockets, want %v", took[0], visited[0], want)
	}
	if want := des.Time(2*visited[1])*serverCosts.L1Hit + serverCosts.L1Hit; took[1] != want {
		t.Errorf("again: %v for %d sockets, want %v", took[1], visited[1], want)
	}
}

func TestAnswersOfTheSystemCalls(t *testing.T) {
	for _, layout := range Layouts {
		r := newTableRun(t, 1, TableParams{Layout: layout})
		r.do(t, func(k *cpus.Thread) {
			check := func(what string, got, want error) {
				t.Helper()
				if !errors.Is(got, want) {
					t.Errorf("%s: %s: %v, want %v", layout, what, got, want)
				}
			}
			a, b, s := r.Socket(k, Dgram), r.Socket(k, Dgram), r.Socket(k, Stream)
			check("a name", r.BindAbstract(k, a, "x"), nil)
			check("a second name", r.BindAbstract(k, a, "y"), ErrInvalid)
			check("a name that is taken", r.BindAbstract(k, b, "x"), ErrAddrInUse)
			check("the name, of another kind", r.BindAbstract(k, s, "x"), nil)
			check("a name that is too long", r.BindAbstract(k, b, string(make([]byte, 108))), ErrInvalid)
			check("a path for a socket with a name", r.BindPathname(k, a, "/x"), ErrInvalid)
			_, err := r.ConnectPathname(k, "/x")
			check("the path that was refused", err, ErrNoEntry)
			check("a path", r.BindPathname(k, b, "/x"), nil)
			check("any name for a socket with a path", r.Autobind(k, b), nil)
			found, err := r.ConnectPathname(k, "/x")
			check("the path", err, nil)
			if found != b {
				t.Errorf("%s: found %v, want %v", layout, found, b)
			}
			r.Close(k, b)
			_, err = r.ConnectPathname(k, "/x")
			check("the path of a closed socket", err, ErrRefused)
			c := r.Socket(k, Dgram)
			check("a path whose file is left", r.BindPathname(k, c, "/x"), ErrAddrInUse)
			r.Close(k, a)
			check("a name that is free again", r.BindAbstract(k, c, "x"), nil)
		})
	}
}

func TestAutobindCountsOnOrStartsAnywhere(t *testing.T) {
	five := Names{base: 16, width: 5, zero: true}
	for _, layout := range Layouts {
		for _, from := range []string{AutobindCounter, AutobindRandom} {
			r := newTableRun(t, 1, TableParams{Layout: layout, Autobind: from})
			mustSetup(t, r.Table, Bound{Abstract: 300, Names: five})
			var got []string
			r.do(t, func(k *cpus.Thread) {
				for range 3 {
					e := r.Socket(k, Dgram)
					if err := r.Autobind(k, e); err != nil {
						t.Error(err)
					}
					got = append(got, e.name)
				}
			})
			// The counter tries the 300 names that are taken first.
			tries := len(r.samples("nodes_visited"))
			counted := slices.Equal(got, []string{five.Name(300), five.Name(301), five.Name(302)}) && tries == 303
			if want := from == AutobindCounter; counted != want {
				t.Errorf("%s, %s: names %q after %d tries", layout, from, got, tries)
			}
		}
	}
}

// With the counter CPUs that bind at the same time try the same numbers.
func TestAutobindWithACounterTriesMoreOftenTheMoreCPUsThereAre(t *testing.T) {
	tries := func(from string, cpuCount int) int {
		r := newTableRun(t, cpuCount, TableParams{Layout: AbstractHalf, Autobind: from})
		for i := range cpuCount {
			on(r.m, i, fmt.Sprint("binder", i), func(k *cpus.Thread) {
				for range 50 {
					if err := r.Autobind(k, r.Socket(k, Dgram)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		r.end(t)
		return len(r.samples("nodes_visited")) - 50*cpuCount
	}
	if n := tries(AutobindCounter, 1); n != 0 {
		t.Errorf("one CPU tries %d numbers in vain", n)
	}
	if counter, random := tries(AutobindCounter, 8), tries(AutobindRandom, 8); counter < 50 || random > 2 {
		t.Errorf("eight CPUs try %d numbers in vain with a counter, %d with random starts", counter, random)
	}
}

func TestSetupRefusesNamesThatAreTaken(t *testing.T) {
	dec := Names{}
	for _, c := range []struct {
		first, second Bound
		taken         bool
	}{
		{Bound{Abstract: 10, Names: hexNames}, Bound{Abstract: 10, Names: hexNames, From: 10}, false},
		{Bound{Abstract: 10, Names: hexNames}, Bound{Abstract: 10, Names: hexNames, From: 9}, true},
		{Bound{Abstract: 10, Names: hexNames}, Bound{Pathname: 10, Names: hexNames}, false},
		{Bound{Pathname: 10, Names: hexNames}, Bound{Pathname: 1, Names: hexNames, From: 9}, true},
		{Bound{Abstract: 10, Names: hexNames}, Bound{Abstract: 1, Names: dec, From: 9}, true},
		{Bound{Abstract: 10, Names: hexNames}, Bound{Abstract: 1, Names: dec, From: 10}, false},
		{Bound{Pathname: 10, Names: hexNames}, Bound{Pathname: 1, Names: dec, From: 9}, true},
		{Bound{}, Bound{Abstract: -1}, true},
	} {
		r := newTableRun(t, 1, TableParams{Layout: SharedHalf})
		mustSetup(t, r.Table, c.first)
		if err := r.Setup(c.second); (err != nil) != c.taken {
			t.Errorf("%+v, then %+v: %v", c.first, c.second, err)
		}
		if err := r.Check(); err != nil {
			t.Error(err)
		}
	}
}

func TestChainsAreSampledOnceABucket(t *testing.T) {
	for _, layout := range Layouts {
		r := newTableRun(t, 1, TableParams{Layout: layout})
		mustSetup(t, r.Table, Bound{Abstract: 3000, Pathname: 2560, Names: hexNames})
		r.SampleChains()
		want := spread(t, "%x", Checksum, 0, 3000)
		sum := 0
		for i, n := range r.samples("chain_length") {
			if layout != AbstractHalf {
				want[i] += 10
			}
			if int(n) != want[i] {
				t.Errorf("%s: bucket %d has %d, want %d", layout, i, n, want[i])
			}
			sum++
		}
		if sum != half {
			t.Errorf("%s: %d samples", layout, sum)
		}
	}
}
