package afunix_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/kernelmodel/afunix"
)

// scene is a handful of sockets that threads make system calls on. All threads share
// one table of descriptors, with one of each socket. When they have ended, one more
// opens a socket and closes it, which calls the collector if anything is in flight.
type scene struct {
	// sockets are their names; those in capitals are streams.
	sockets string
	// before are calls that are made one after the other before the threads begin, and
	// threads are the calls of each.
	before  []call
	threads [][]call
}

// stage is a scene that is being played.
type stage struct {
	net   *afunix.Net
	names []string
	socks map[string]*afunix.Sock
	// results are those of the calls of each thread, in order.
	results [][]string
}

// call is a system call by a thread; it returns its result.
type call func(k *cpus.Thread, p *afunix.Process, s *stage) string

// result is what a call says that received or made sockets.
func result(err error, fds ...*afunix.Sock) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(fds)
}

// send lets a socket pass others to another, by its name or, for "", to the peer.
func send(from, to string, pass ...string) call {
	return func(k *cpus.Thread, p *afunix.Process, s *stage) string {
		var fds []*afunix.Sock
		for _, name := range pass {
			fds = append(fds, s.socks[name])
		}
		return result(p.SendmsgTo(k, s.socks[from], s.socks[to], 1, fds))
	}
}

// receive takes a message if there is one, and closes what came with it.
func receive(on string) call {
	return func(k *cpus.Thread, p *afunix.Process, s *stage) string {
		fds, err := p.RecvmsgFlags(k, s.socks[on], nil, afunix.DontWait)
		for _, fd := range fds {
			_ = p.Close(k, fd)
		}
		return result(err, fds...)
	}
}

// peek looks at a message if there is one, and keeps what came with it.
func peek(on string) call {
	return func(k *cpus.Thread, p *afunix.Process, s *stage) string {
		fds, err := p.RecvmsgFlags(k, s.socks[on], nil, afunix.DontWait|afunix.Peek)
		return result(err, fds...)
	}
}

func closes(name string) call {
	return func(k *cpus.Thread, p *afunix.Process, s *stage) string { return result(p.Close(k, s.socks[name])) }
}

func listen(on string) call {
	return func(k *cpus.Thread, p *afunix.Process, s *stage) string { return result(p.Listen(k, s.socks[on])) }
}

func connect(from, to string) call {
	return func(k *cpus.Thread, p *afunix.Process, s *stage) string {
		return result(p.ConnectTo(k, s.socks[from], s.socks[to]))
	}
}

// accept takes a connection if there is one, and closes it.
func accept(on string) call {
	return func(k *cpus.Thread, p *afunix.Process, s *stage) string {
		u, err := p.Accept(k, s.socks[on], afunix.DontWait)
		if err == nil {
			_ = p.Close(k, u)
		}
		return result(err)
	}
}

// build makes the scene with a collector.
func (c *scene) build(m *cpus.Machine, p afunix.Params) explore.Modelled {
	s := &stage{net: afunix.New(m, p), socks: make(map[string]*afunix.Sock)}
	s.names = strings.Fields(c.sockets)
	for _, name := range s.names {
		kind := afunix.Dgram
		if strings.ToUpper(name) == name {
			kind = afunix.Stream
		}
		s.socks[name] = s.net.NamedSocket(kind, name)
	}
	built := explore.Modelled{Check: s.net.Check, Final: s.final}
	// Each thread sets a word of its own when it has ended.
	thread := func(name string, calls []call, after ...*cpus.Word) *cpus.Word {
		ended := m.NewWord(name+" has ended", 0)
		begins := m.NewPoll(name+" begins", after, allSet(after))
		i, who := len(s.results), s.net.NewProcess("root")
		s.results = append(s.results, nil)
		who.ShareFiles()
		built.Tasks = append(built.Tasks, m.NewThread(&cpus.TaskSpec{Name: name}, func(k *cpus.Thread) {
			if len(after) > 0 {
				k.Call(begins, 0)
			}
			for _, do := range calls {
				s.results[i] = append(s.results[i], do(k, who, s))
			}
			k.Store(ended, 1)
		}))
		return ended
	}
	first := thread("first", c.before)
	var all []*cpus.Word
	for i, calls := range c.threads {
		all = append(all, thread(fmt.Sprintf("t%d", i+1), calls, first))
	}
	thread("last", []call{func(k *cpus.Thread, p *afunix.Process, _ *stage) string {
		return result(p.Close(k, p.OpenSocket(k, afunix.Dgram)))
	}}, all...)
	built.Finally = []explore.ModelCheck{{What: "all garbage is freed", Holds: func() (bool, error) { return s.net.Garbage() == 0, nil }}}
	return built
}

// allSet holds when all words are set.
type allSet []*cpus.Word

func (s allSet) Holds(*cpus.Task) bool {
	return !slices.ContainsFunc(s, func(w *cpus.Word) bool { return w.Value == 0 })
}

// final is how the scene ends.
func (s *stage) final(buf []byte) []byte {
	for _, name := range s.names {
		u := s.socks[name]
		buf = fmt.Appendf(buf, "%s %v %d ", name, u.Released(), u.Queued())
	}
	st := s.net.Stats()
	return fmt.Appendf(buf, "%q %d %d %d %d", s.results, st.Entered, st.Collections, st.InFlight, st.Freed)
}

// explored explores a scene, and returns what was found, sorted.
func (c *scene) explored(t testing.TB, p afunix.Params, o explore.Options) (*explore.Result, []string) {
	t.Helper()
	return exploredModel(t, func(m *cpus.Machine) explore.Modelled { return c.build(m, p) }, o)
}

func exploredModel(t testing.TB, build func(m *cpus.Machine) explore.Modelled, o explore.Options) (*explore.Result, []string) {
	t.Helper()
	r, err := explore.Explore(func() explore.System { return explore.NewModel(explore.ModelSpec{Build: build}) }, o)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range r.Findings {
		all = append(all, fmt.Sprintf("%s: %s", f.Kind, f.What))
	}
	slices.Sort(all)
	return r, all
}
