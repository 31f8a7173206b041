package inet

import (
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

// alone returns what a function takes when one task calls getsockname() on a connected
// socket and nobody else does anything, once the lines are warm.
func alone(t *testing.T, v GetName, fn string) des.Time {
	t.Helper()
	m := newServer(t, 2, 0, 1)
	r := &recorder{}
	m.SetTracer(r)
	u := New(m, Params{GetName: v, Base: base}).Socket()
	u.Establish(here, there)
	on(m, 0, "caller", func(k *cpus.Thread) {
		for range 10 {
			if name := u.GetSockName(k); name != here {
				t.Errorf("%s: %v, want %v", v, name, here)
			}
		}
	})
	mustEnd(t, m)
	all := r.durations(m, fn)
	for _, d := range all[1:] {
		if d != all[len(all)-1] {
			t.Errorf("%s: warm calls of %s take %v", v, fn, all)
		}
	}
	return all[len(all)-1]
}

// The base is given, and all of the lock is the model's: with the costs of the
// contract's machine it takes less than published, since nothing here stands for the
// calls themselves, of which one is indirect.
func TestTheLocksShareFollowsFromItsOps(t *testing.T) {
	const published = 38230 * des.Picosecond
	c := newServer(t, 1, 0, 1).Costs
	lockless := alone(t, ReadOnce, "getsockname")
	if lockless != base {
		t.Errorf("lockless: %v, want the anchor, %v", lockless, base)
	}
	if got := alone(t, Unlocked, "getsockname"); got != lockless {
		t.Errorf("unlocked: %v, want as long as with marks, %v", got, lockless)
	}
	for _, w := range []struct {
		variant GetName
		want    des.Time
		why     string
	}{
		// Each section of slock is a locked operation, a store, and bottom halves off and
		// on. lock_sock() looks at owned and sets it; release_sock() looks at the backlog,
		// for what was put off, and for who waits, and clears owned.
		{LockSock, 2*(c.Atomic+c.PlainIncrement+c.BHPair) + 4*c.L1Hit + 2*c.PlainIncrement, "two sections"},
		{LockSockFast, c.Atomic + c.PlainIncrement + c.BHPair + c.L1Hit, "one section"},
		{Seqcount, 2 * c.L1Hit, "two loads"},
	} {
		share := alone(t, w.variant, "getsockname") - lockless
		if share != w.want {
			t.Errorf("%s: %v, want %v for %s", w.variant, share, w.want, w.why)
		}
		t.Logf("%-14s adds %v (%s); published for lock_sock: %v, ratio %.2f",
			w.variant, share, w.why, des.Time(published), share.Nanoseconds()/des.Time(published).Nanoseconds())
	}
}

func TestGetNameItselfTakesWhatItsOpsTake(t *testing.T) {
	c := newServer(t, 1, 0, 1).Costs
	if got := alone(t, ReadOnce, "inet_getname"); got != 2*c.L1Hit {
		t.Errorf("%v, want two loads", got)
	}
}

// crowd returns the mean of getsockname() with some callers on one socket or on one
// each, and what the run counted.
func crowd(t *testing.T, v GetName, callers int, shared bool, meanwhile ...func(k *cpus.Thread, u *Sock)) (des.Time, Stats) {
	t.Helper()
	const calls = 1000
	m := newServer(t, callers+len(meanwhile), 0, 1)
	r := &recorder{}
	m.SetTracer(r)
	n := New(m, Params{GetName: v, Base: base})
	var socks []*Sock
	ended := 0
	for i := range callers {
		if i == 0 || !shared {
			u := n.Socket()
			u.Establish(here, there)
			socks = append(socks, u)
		}
		u := socks[len(socks)-1]
		on(m, i, "caller", func(k *cpus.Thread) {
			for range calls {
				u.GetSockName(k)
			}
			ended++
		})
	}
	for i, act := range meanwhile {
		on(m, callers+i, "other", func(k *cpus.Thread) {
			for ended < callers {
				act(k, socks[0])
				k.RunUser(us + des.Time(k.Stream().Below(uint64(2*us))))
			}
		})
	}
	mustEnd(t, m)
	sum, all := des.Time(0), r.durations(m, "getsockname")
	for _, d := range all {
		sum += d
	}
	return sum / des.Time(len(all)), n.Stats()
}

func TestASharedSocketDegradesUnderItsLockAndSeparateOnesDoNot(t *testing.T) {
	one, _ := crowd(t, LockSock, 1, true)
	own, _ := crowd(t, LockSock, 8, false)
	if own > one+one/50 {
		t.Errorf("eight callers with a socket each: %v a call, one alone %v", own, one)
	}
	last := one
	for _, callers := range []int{2, 4, 8} {
		mean, s := crowd(t, LockSock, callers, true)
		if mean < last+last/4 {
			t.Errorf("%d callers on one socket: %v a call, with half as many %v", callers, mean, last)
		}
		t.Logf("lock_sock, %d callers on one socket: %v a call, alone %v, on eight sockets %v; %+v", callers, mean, one, own, s)
		last = mean
	}
	fast, _ := crowd(t, LockSockFast, 8, true)
	seq, _ := crowd(t, Seqcount, 8, true)
	free, _ := crowd(t, ReadOnce, 8, true)
	t.Logf("8 callers on one socket: lock_sock_fast %v, seqcount %v, read_once %v", fast, seq, free)
	if free > base+base/50 || seq > base+base/20 {
		t.Errorf("eight who only read: read_once %v, seqcount %v; want the anchor and a little, %v", free, seq, base)
	}
	if fast >= last {
		t.Errorf("eight callers: lock_sock_fast %v, lock_sock %v", fast, last)
	}
}

func TestDataThatComesWhileAReaderOwnsTheSocketGoesThroughTheBacklog(t *testing.T) {
	receive := func(k *cpus.Thread, u *Sock) { u.Receive(k) }
	for _, v := range GetNames {
		mean, s := crowd(t, v, 2, true, receive)
		t.Logf("%-14s %v a call, %+v", v, mean, s)
		if owns := v == LockSock; owns != (s.Backlogged > 0) || s.Received < 50 || s.Dropped != 0 {
			t.Errorf("%s: %+v", v, s)
		}
	}
}

func TestAnUnsafeReaderReturnsTornNamesAndASafeOneNone(t *testing.T) {
	toggle := func(k *cpus.Thread, u *Sock) {
		if u.State() == Close {
			if err := u.Connect(k, eth); err != nil {
				t.Error(err)
			}
		} else {
			u.Disconnect(k)
		}
	}
	for _, v := range GetNames {
		mean, s := crowd(t, v, 4, true, toggle)
		t.Logf("%-14s %v a call, %d torn of 4000", v, mean, s.Torn)
		if unsafe := v == Unlocked || v == ReadOnce; unsafe != (s.Torn > 0) {
			t.Errorf("%s: %d torn", v, s.Torn)
		}
	}
}

func TestAFullBacklogTakesNoMoreUntilItIsDrained(t *testing.T) {
	m := newServer(t, 2, 0, 1)
	n := New(m, Params{GetName: LockSock, Base: base})
	u := n.Socket()
	u.Establish(here, there)
	filled := false
	on(m, 0, "owner", func(k *cpus.Thread) {
		u.lockSock(k)
		for !filled {
			k.Run(us)
		}
		u.releaseSock(k)
		u.Receive(k)
	})
	on(m, 1, "softirq", func(k *cpus.Thread) {
		k.Run(us)
		for range backlogLimit + 10 {
			u.Receive(k)
		}
		filled = true
	})
	mustEnd(t, m)
	want := Stats{Received: backlogLimit + 11, Backlogged: backlogLimit, Dropped: 10}
	if s := n.Stats(); s != want || u.processed != backlogLimit+1 {
		t.Errorf("%+v, %d processed; want %+v and all but the dropped", s, u.processed, want)
	}
}
