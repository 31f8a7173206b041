package workloads

import (
	"slices"

	"smpsim/kernelmodel/afunix"
	"smpsim/yamlfile"
)

// unixArgs are the arguments of a call while they are read.
type unixArgs struct {
	calls    *UnixCalls
	call     string
	node     *yamlfile.Node
	problems *yamlfile.Problems
	// ok: nothing was wrong so far.
	ok bool
	// names are the sockets that were read.
	names []int
}

// args begins to read the arguments of a call, which are a mapping with these keys.
func (c *UnixCalls) args(call string, n *yamlfile.Node, problems *yamlfile.Problems, keys ...string) *unixArgs {
	a := &unixArgs{calls: c, call: call, node: n, problems: problems}
	pairs, ok := n.Mapping(problems, call)
	a.ok = ok
	for _, pair := range pairs {
		if !slices.Contains(keys, pair.Key.Text) {
			problems.AddUnknown(pair.Key.Pos, call+": unknown key "+quote(pair.Key.Text), pair.Key.Text, keys)
			a.ok = false
		}
	}
	return a
}

// socket reads the name of a socket, and keeps it.
func (a *unixArgs) socket(what string, n *yamlfile.Node) (UnixSocket, bool) {
	name, ok := n.Str(a.problems, what)
	if !ok {
		a.ok = false
		return UnixSocket{}, false
	}
	all := a.calls.sockets
	i := slices.IndexFunc(all, func(s UnixSocket) bool { return s.Name == name })
	if i < 0 {
		a.ok = false
		if len(all) == 0 {
			a.problems.Addf(n.Pos, "%s: no socket is declared: write setup: [sockets: {%s: dgram}]", what, name)
			return UnixSocket{}, false
		}
		names := make([]string, len(all))
		for k := range all {
			names[k] = all[k].Name
		}
		a.problems.AddUnknown(n.Pos, what+": no socket is called "+quote(name), name, names)
		return UnixSocket{}, false
	}
	a.names = append(a.names, i)
	return all[i], true
}

// key reads the socket of a key that must be there.
func (a *unixArgs) key(key string) (UnixSocket, bool) {
	n := a.node.Get(key)
	if n == nil {
		if a.node.Kind == yamlfile.Mapping {
			a.problems.Addf(a.node.Pos, "%s: %s is missing", a.call, key)
		}
		a.ok = false
		return UnixSocket{}, false
	}
	return a.socket(a.call+": "+key, n)
}

// stream reads the socket of a key that must be a stream.
func (a *unixArgs) stream(key string) {
	if s, ok := a.key(key); ok && s.Kind != afunix.Stream {
		a.wrong(a.node.Get(key), "%s: %s must be a stream, and %s is not", a.call, key, s.Name)
	}
}

// flag reads a key that is true or false.
func (a *unixArgs) flag(key string) bool {
	n := a.node.Get(key)
	if n == nil {
		return false
	}
	value, ok := n.Bool(a.problems, a.call+": "+key)
	a.ok = a.ok && ok
	return value
}

func (a *unixArgs) wrong(n *yamlfile.Node, format string, args ...any) {
	a.problems.Addf(n.Pos, format, args...)
	a.ok = false
}

// binder returns the call, nil if something was wrong.
func (a *unixArgs) binder(do unixCall) SyscallBinder {
	if !a.ok {
		return nil
	}
	return a.calls.binder(a.names, do)
}

// maxPass is SCM_MAX_FD.
const maxPass = 253

func (c *UnixCalls) readSendmsg(n *yamlfile.Node, problems *yamlfile.Problems) SyscallBinder {
	a := c.args("sendmsg", n, problems, "from", "to", "pass")
	from, _ := a.key("from")
	addressed := n.Get("to") != nil
	if addressed {
		to, ok := a.key("to")
		switch {
		case !ok || from.Name == "":
		case from.Kind == afunix.Stream:
			a.wrong(n.Get("to"), "sendmsg: to: %s is a stream and sends to whom it is connected: leave it out", from.Name)
		case to.Kind != from.Kind:
			a.wrong(n.Get("to"), "sendmsg: to: %s is a stream, and %s sends datagrams", to.Name, from.Name)
		}
	}
	passed := len(a.names)
	if pass := n.Get("pass"); pass != nil {
		items, ok := pass.Sequence(problems, "sendmsg: pass")
		a.ok = a.ok && ok
		if len(items) > maxPass {
			a.wrong(pass, "sendmsg: pass: %d sockets, at most %d go with a message", len(items), maxPass)
		}
		for _, item := range items {
			a.socket("sendmsg: pass", item)
		}
	}
	return a.binder(func(c *caller, socks []*afunix.Sock) {
		var to *afunix.Sock
		if addressed {
			to = socks[1]
		}
		_ = c.task.SendmsgTo(c.Thread, socks[0], to, 1, socks[passed:])
	})
}

func (c *UnixCalls) readRecvmsg(n *yamlfile.Node, problems *yamlfile.Problems) SyscallBinder {
	a := c.args("recvmsg", n, problems, "on", "peek", "keep", "nonblock")
	a.key("on")
	flags := afunix.Flags(0)
	if a.flag("peek") {
		flags |= afunix.Peek
	}
	if a.flag("nonblock") {
		flags |= afunix.DontWait
	}
	keep := a.flag("keep")
	return a.binder(func(c *caller, socks []*afunix.Sock) {
		c.fds, _ = c.task.RecvmsgFlags(c.Thread, socks[0], c.fds[:0], flags)
		if keep {
			return
		}
		for _, fd := range c.fds {
			_ = c.task.Close(c.Thread, fd)
		}
	})
}

func (c *UnixCalls) readClose(n *yamlfile.Node, problems *yamlfile.Problems) SyscallBinder {
	a := &unixArgs{calls: c, call: "close", node: n, problems: problems, ok: true}
	a.socket("close", n)
	return a.binder(func(c *caller, socks []*afunix.Sock) { _ = c.task.Close(c.Thread, socks[0]) })
}

func (c *UnixCalls) readListen(n *yamlfile.Node, problems *yamlfile.Problems) SyscallBinder {
	a := &unixArgs{calls: c, call: "listen", node: n, problems: problems, ok: true}
	if s, ok := a.socket("listen", n); ok && s.Kind != afunix.Stream {
		a.wrong(n, "listen: only a stream listens, and %s is none", s.Name)
	}
	return a.binder(func(c *caller, socks []*afunix.Sock) { _ = c.task.Listen(c.Thread, socks[0]) })
}

func (c *UnixCalls) readConnect(n *yamlfile.Node, problems *yamlfile.Problems) SyscallBinder {
	a := c.args("connect", n, problems, "from", "to")
	from, known := a.key("from")
	to, ok := a.key("to")
	if known && ok && from.Kind != to.Kind {
		a.wrong(n.Get("to"), "connect: %s and %s are of different kinds", from.Name, to.Name)
	}
	return a.binder(func(c *caller, socks []*afunix.Sock) { _ = c.task.ConnectTo(c.Thread, socks[0], socks[1]) })
}

func (c *UnixCalls) readAccept(n *yamlfile.Node, problems *yamlfile.Problems) SyscallBinder {
	a := c.args("accept", n, problems, "on", "as", "nonblock")
	a.stream("on")
	on := len(a.names)
	a.stream("as")
	flags := afunix.Flags(0)
	if a.flag("nonblock") {
		flags |= afunix.DontWait
	}
	if !a.ok {
		return nil
	}
	name := a.names[on]
	if name == a.names[0] {
		a.wrong(n.Get("as"), "accept: as must be another name than on")
		return nil
	}
	c.accepted[name] = true
	a.names = a.names[:on]
	return a.binder(func(c *caller, socks []*afunix.Sock) {
		if u, err := c.task.Accept(c.Thread, socks[0], flags); err == nil {
			c.give(name, u)
		}
	})
}
