package afunix

import (
	"fmt"
	"slices"
	"testing"

	"smpsim/cpus"
	"smpsim/des"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// action is one thing that a process does in a random test. Numbers select
// among what there is, modulo its count.
type action struct {
	what          string
	at, to, carry int
	carries       int
	pause         des.Time
}

var actions = rapid.Custom(func(t *rapid.T) action {
	return action{
		what:    rapid.SampledFrom([]string{"send", "send", "send", "receive", "peek", "close", "close", "plain", "pause", "collect"}).Draw(t, "what"),
		at:      rapid.IntRange(0, 15).Draw(t, "at"),
		to:      rapid.IntRange(0, 15).Draw(t, "to"),
		carry:   rapid.IntRange(0, 15).Draw(t, "carry"),
		carries: rapid.IntRange(1, 3).Draw(t, "carries"),
		pause:   des.Time(rapid.IntRange(0, 20).Draw(t, "pause")) * us,
	}
})

// player is a process that does random things with descriptors of its own.
type player struct {
	n    *Net
	p    *Process
	all  []*Sock
	held []*Sock
	from *Sock
}

// newPlayer returns a process that holds a descriptor of each of the sockets in
// held, and can send to all.
func newPlayer(n *Net, user string, held, all []*Sock) *player {
	for _, u := range held {
		u.Dup()
	}
	return &player{n: n, p: n.NewProcess(user), all: all, held: slices.Clone(held), from: n.Socket(Dgram)}
}

func (p *player) do(k *cpus.Thread, a action) {
	if a.what == "pause" {
		k.Sleep(a.pause)
		return
	}
	if a.what == "collect" {
		p.p.Close(k, p.p.OpenSocket(k, Dgram))
		k.Sleep(a.pause * 10)
		return
	}
	if a.what == "plain" {
		p.from.Connect(p.all[a.to%len(p.all)])
		_ = p.p.Sendmsg(k, p.from, 1, nil)
		return
	}
	if len(p.held) == 0 {
		return
	}
	switch u := p.held[a.at%len(p.held)]; a.what {
	case "send":
		// To any socket that still exists, as if it were bound to a name.
		p.from.Connect(p.all[a.to%len(p.all)])
		var fds []*Sock
		for i := range a.carries {
			fds = append(fds, p.held[(a.carry+i)%len(p.held)])
		}
		_ = p.p.Sendmsg(k, p.from, 1, fds)
	case "receive":
		// Nothing comes between the look into the queue and the removal.
		if u.queued > 0 {
			p.held, _ = p.p.unixRecvmsg(k, u, p.held, 0)
			p.p.taskWork(k)
		}
	case "peek":
		if u.queued > 0 {
			p.held, _ = p.p.unixRecvmsg(k, u, p.held, Peek)
			p.p.taskWork(k)
		}
	case "close":
		i := a.at % len(p.held)
		p.held = slices.Delete(p.held, i, i+1)
		p.p.Close(k, u)
	}
}

// reachable is the reference: the sockets that some process can get hold of, by
// a descriptor of its own or by receiving, with the messages that wait there.
func (n *Net) reachable() map[*Sock][][]int64 {
	found := map[*Sock][][]int64{}
	var visit func(u *Sock)
	visit = func(u *Sock) {
		if _, ok := found[u]; ok {
			return
		}
		found[u] = nil
		for s := u.receive.first(); s != nil; s = s.entry.after() {
			var carried []int64
			for _, child := range s.fds {
				carried = append(carried, child.id)
				visit(child)
			}
			found[u] = append(found[u], carried)
		}
	}
	for _, u := range n.socks {
		if u.descriptors > 0 {
			visit(u)
		}
	}
	return found
}

// finish calls the collector as a close() does, waits until everything is
// quiet, and returns what is wrong with who and what is left.
func finish(k *cpus.Thread, n *Net) error {
	k.Sleep(50 * ms)
	want := n.reachable()
	p := n.NewProcess("root")
	p.Close(k, p.OpenSocket(k, Dgram))
	k.Sleep(50 * ms)
	for _, u := range n.socks {
		if _, ok := want[u]; !ok {
			return fmt.Errorf("socket %d is unreachable and was not freed", u.id)
		}
	}
	got := n.reachable()
	for u := range want {
		if u.released {
			return fmt.Errorf("socket %d was freed and is reachable", u.id)
		}
	}
	if d := cmp.Diff(contents(want), contents(got)); d != "" {
		return fmt.Errorf("what waits in reachable queues has changed:\n%s", d)
	}
	return nil
}

// contents names sockets by number.
func contents(queues map[*Sock][][]int64) map[int64][][]int64 {
	named := map[int64][][]int64{}
	for u, q := range queues {
		named[u.id] = q
	}
	return named
}

// play runs scripts, one task and CPU each, then collects.
func play(t testing.TB, seed uint64, p Params, sockets int, scripts [][]action) (*cpus.Machine, *Net, *recorder, error) {
	m := newServer(t, len(scripts)+1, 1000, seed)
	r := &recorder{}
	m.SetTracer(r)
	n := New(m, p)
	all := make([]*Sock, sockets)
	for i := range all {
		all[i] = n.Socket(Dgram)
	}
	left := len(scripts)
	var verdict error
	for i, script := range scripts {
		who := newPlayer(n, fmt.Sprint("user", i%2), all, all)
		on(m, i, fmt.Sprint("player", i), func(k *cpus.Thread) {
			for _, a := range script {
				who.do(k, a)
			}
			left--
		})
	}
	for _, u := range all {
		u.fcount--
		u.descriptors--
	}
	on(m, len(scripts), "collector", func(k *cpus.Thread) {
		for left > 0 {
			k.Sleep(ms)
		}
		verdict = finish(k, n)
	})
	if o := m.Run(100 * des.Second); o != cpus.Ended {
		return m, n, r, fmt.Errorf("%v at %v: %w", o, m.Sim.Now(), m.Failure())
	}
	if verdict == nil {
		verdict = n.Check()
	}
	return m, n, r, verdict
}

func TestCollectorFreesExactlyWhatNobodyCanReach(t *testing.T) {
	for _, v := range Variants {
		t.Run(string(v), func(t *testing.T) {
			freed := int64(0)
			rapid.Check(t, func(rt *rapid.T) {
				p := Params{
					GC: v, InflightCount: rapid.SampledFrom([]string{"atomic", "plain"}).Draw(rt, "count"),
					Trigger: rapid.SampledFrom([]int64{0, 3, DefaultTrigger}).Draw(rt, "trigger"),
				}
				sockets := rapid.IntRange(1, 8).Draw(rt, "sockets")
				script := rapid.SliceOfN(actions, 0, 30).Draw(rt, "actions")
				_, n, _, err := play(t, 1, p, sockets, [][]action{script})
				if err != nil {
					rt.Fatal(err)
				}
				freed += n.Stats().Freed
			})
			if freed == 0 {
				t.Error("no case has freed anything")
			}
		})
	}
}

func TestCollectorFreesExactlyWhatNobodyCanReachWhileManyPassAndClose(t *testing.T) {
	for _, v := range Variants {
		t.Run(string(v), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				sane := int64(rapid.IntRange(0, 4).Draw(rt, "sane"))
				p := Params{GC: v, Trigger: int64(rapid.IntRange(0, 4).Draw(rt, "trigger")), SaneUser: &sane}
				sockets := rapid.IntRange(1, 8).Draw(rt, "sockets")
				scripts := rapid.SliceOfN(rapid.SliceOfN(actions, 0, 20), 2, 4).Draw(rt, "scripts")
				if _, _, _, err := play(t, 1, p, sockets, scripts); err != nil {
					rt.Fatal(err)
				}
			})
		})
	}
}
