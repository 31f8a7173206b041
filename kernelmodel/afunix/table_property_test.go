package afunix

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"smpsim/cpus"
)

// entry is what a plain map would have under a name: nothing, a file of which
// nobody is the socket (yet, or any more), or a socket.
type entry struct {
	file   bool
	socket *Endpoint
}

// event is something that a system call does with a name at one instant between its
// beginning and its end, and the answer that this gives.
type event struct {
	what       string
	began, end int
	apply      func(e entry) (after entry, right bool)
}

// atomic reports whether the events of one name can be put in an order in which each
// happens between its beginning and its end, and a plain map would have given the
// answers.
func atomic(events []event) bool {
	type state struct {
		done uint64
		is   entry
	}
	seen := map[state]bool{}
	var try func(s state) bool
	try = func(s state) bool {
		if s.done == 1<<len(events)-1 {
			return true
		}
		if seen[s] {
			return false
		}
		seen[s] = true
		first := 1 << 62
		for i, e := range events {
			if s.done>>i&1 == 0 {
				first = min(first, e.end)
			}
		}
		var changes []state
		for i, e := range events {
			if s.done>>i&1 == 1 || e.began > first {
				continue
			}
			after, right := e.apply(s.is)
			next := state{s.done | 1<<i, after}
			switch {
			case !right:
			case after == s.is:
				// What changes nothing can as well come first.
				return try(next)
			default:
				changes = append(changes, next)
			}
		}
		return slices.ContainsFunc(changes, try)
	}
	return try(state{})
}

// history is the system calls of a run, by name.
type history struct {
	table  *Table
	clock  int
	events map[string][]event
}

// begin returns when a call begins.
func (h *history) begin() int {
	h.clock++
	return h.clock
}

// end notes the events of a call that has just ended.
func (h *history) end(name string, began int, events ...event) {
	h.clock++
	for _, e := range events {
		e.began, e.end = began, h.clock
		h.events[name] = append(h.events[name], e)
	}
}

// bound are the events of a bind that has given a name to a socket, or has not. With
// a path it makes the file first.
func bound(e *Endpoint, err error, path bool) []event {
	switch {
	case err == ErrAddrInUse:
		return []event{{what: "bind: in use", apply: func(is entry) (entry, bool) { return is, is != entry{} }}}
	case err != nil:
		return []event{{what: err.Error(), apply: func(is entry) (entry, bool) { return is, false }}}
	case !path:
		return []event{{what: "bind", apply: func(is entry) (entry, bool) { return entry{socket: e}, is == entry{} }}}
	}
	return []event{
		{what: "create", apply: func(is entry) (entry, bool) { return entry{file: true}, is == entry{} }},
		{what: "bind", apply: func(is entry) (entry, bool) { return entry{true, e}, is == entry{file: true} }},
	}
}

func (h *history) bind(k *cpus.Thread, e *Endpoint, name string) {
	began, path := h.begin(), strings.HasPrefix(name, "/")
	bind := h.table.BindAbstract
	if path {
		bind = h.table.BindPathname
	}
	err := bind(k, e, name)
	h.end(name, began, bound(e, err, path)...)
}

func (h *history) autobind(k *cpus.Thread, e *Endpoint) {
	began := h.begin()
	err := h.table.Autobind(k, e)
	h.end(e.name, began, bound(e, err, false)...)
}

func (h *history) connect(k *cpus.Thread, name string) {
	began, path := h.begin(), strings.HasPrefix(name, "/")
	var found *Endpoint
	var err error
	if path {
		found, err = h.table.ConnectPathname(k, name)
	} else {
		found, err = h.table.ConnectAbstract(k, name, Dgram)
	}
	h.end(name, began, event{what: fmt.Sprint("connect: ", found, err), apply: func(is entry) (entry, bool) {
		switch {
		case err == ErrNoEntry:
			return is, is == entry{}
		case err != nil:
			return is, is.socket == nil && is.file == path
		default:
			return is, is.socket == found
		}
	}})
}

func (h *history) close(k *cpus.Thread, e *Endpoint, name string) {
	began := h.begin()
	h.table.Close(k, e)
	h.end(name, began, event{what: "close", apply: func(is entry) (entry, bool) {
		return entry{file: is.file}, is.socket == e
	}})
}

// perform carries out actions, each a verb and perhaps a name, with sockets of the
// task's own.
func (h *history) perform(k *cpus.Thread, actions []string) {
	type named struct {
		e    *Endpoint
		name string
	}
	var mine []named
	for _, action := range actions {
		verb, name, _ := strings.Cut(action, " ")
		switch verb {
		case "bind":
			e := h.table.Socket(k, Dgram)
			h.bind(k, e, name)
			if e.has != noName {
				mine = append(mine, named{e, name})
			} else {
				h.table.Close(k, e)
			}
		case "autobind":
			e := h.table.Socket(k, Dgram)
			h.autobind(k, e)
			mine = append(mine, named{e, e.name})
		case "connect":
			h.connect(k, name)
		case "close":
			if len(mine) > 0 {
				h.close(k, mine[0].e, mine[0].name)
				mine = mine[1:]
			}
		}
	}
}

// tableActions are on few names, of which some share a bucket with the checksum.
var tableActions = []string{
	"bind aXb", "bind bXa", "bind c", "bind /a", "bind /b", "autobind",
	"connect aXb", "connect bXa", "connect c", "connect /a", "connect /b", "connect 00000", "connect 00001",
	"close", "close", "close",
}

func TestCallsOfManyCPUsHaveTheAnswersOfAPlainMap(t *testing.T) {
	for _, layout := range Layouts {
		rapid.Check(t, func(rt *rapid.T) {
			p := TableParams{
				Layout: layout, Hash: rapid.SampledFrom(Hashes).Draw(rt, "hash"),
				Autobind: rapid.SampledFrom([]string{AutobindCounter, AutobindRandom}).Draw(rt, "autobind"),
			}
			scripts := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(tableActions), 1, 9), 1, 6).Draw(rt, "tasks")
			r := newTableRun(t, len(scripts), p)
			h := &history{table: r.Table, events: map[string][]event{}}
			for i, script := range scripts {
				on(r.m, i, fmt.Sprint("task", i), func(k *cpus.Thread) { h.perform(k, script) })
			}
			r.end(t)
			for _, name := range slices.Sorted(maps.Keys(h.events)) {
				events := h.events[name]
				if atomic(events) {
					continue
				}
				for _, e := range events {
					rt.Logf("%d to %d: %s", e.began, e.end, e.what)
				}
				rt.Fatalf("no order of the calls on %q gives their answers", name)
			}
		})
	}
}

// The property above would see a wrong answer: of two binds one after the other that
// both get the name, and of a lookup after a bind that finds nobody.
func TestWrongAnswersHaveNoOrder(t *testing.T) {
	a, b := &Endpoint{}, &Endpoint{}
	bind := func(e *Endpoint, began, end int) event {
		return event{"bind", began, end, func(is entry) (entry, bool) { return entry{socket: e}, is == entry{} }}
	}
	nobody := func(began, end int) event {
		return event{"connect", began, end, func(is entry) (entry, bool) { return is, is.socket == nil }}
	}
	for _, c := range []struct {
		events []event
		right  bool
	}{
		{[]event{bind(a, 1, 2)}, true},
		{[]event{bind(a, 1, 4), bind(b, 2, 3)}, false},
		{[]event{bind(a, 1, 3), nobody(2, 4)}, true},
		{[]event{bind(a, 1, 2), nobody(3, 4)}, false},
	} {
		if got := atomic(c.events); got != c.right {
			t.Errorf("%v: %t", c.events, got)
		}
	}
}
