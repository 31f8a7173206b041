package workloads

import (
	"smpsim/cpus"
	"smpsim/kernelmodel/afunix"
)

// UnixTableEnv is what the loads on the table of AF_UNIX sockets need.
type UnixTableEnv struct {
	Table *afunix.Table
}

// UnixBindAbstract is the load unix_bind_abstract: it makes a datagram socket and
// binds it to the next abstract name. A name that is taken is an answer like
// another; the socket is closed.
type UnixBindAbstract struct {
	// Calls is how many; 0 means for ever. Name i is that of number From+i.
	Calls int64
	Names afunix.Names
	From  int64
	// ThenClose closes the socket again after each bind.
	ThenClose bool
	Pace
}

// Body returns the load as a thread's function.
func (l UnixBindAbstract) Body(env UnixTableEnv) func(k *cpus.Thread) {
	return func(k *cpus.Thread) {
		for turn, i := l.start(k, l.Calls), l.From; turn.next(k); i++ {
			e := env.Table.Socket(k, afunix.Dgram)
			if err := env.Table.BindAbstract(k, e, l.Names.Name(i)); err != nil || l.ThenClose {
				env.Table.Close(k, e)
			}
		}
	}
}

// UnixConnectAbstract is the load unix_connect_abstract: it looks up the next
// abstract name of a datagram socket, as connect() does, whether or not anybody
// has it.
type UnixConnectAbstract struct {
	// Calls is how many; 0 means for ever. Name i is that of number From+i.
	Calls int64
	Names afunix.Names
	From  int64
	Pace
}

// Body returns the load as a thread's function.
func (l UnixConnectAbstract) Body(env UnixTableEnv) func(k *cpus.Thread) {
	return func(k *cpus.Thread) {
		connect := k.Machine().Intern("connect")
		for turn, i := l.start(k, l.Calls), l.From; turn.next(k); i++ {
			entered := k.Enter(connect)
			// That nobody has the name is one of the two answers.
			_, _ = env.Table.ConnectAbstract(k, l.Names.Name(i), afunix.Dgram)
			k.Return(connect, entered)
		}
	}
}

// UnixAutobind is the load unix_autobind: it makes a datagram socket and lets the
// kernel give it a name. It ends when no name is left.
type UnixAutobind struct {
	// Calls is how many; 0 means for ever.
	Calls int64
	// ThenClose closes the socket again after each bind.
	ThenClose bool
	Pace
}

// Body returns the load as a thread's function.
func (l UnixAutobind) Body(env UnixTableEnv) func(k *cpus.Thread) {
	return func(k *cpus.Thread) {
		for turn := l.start(k, l.Calls); turn.next(k); {
			e := env.Table.Socket(k, afunix.Dgram)
			err := env.Table.Autobind(k, e)
			if err != nil || l.ThenClose {
				env.Table.Close(k, e)
			}
			if err != nil {
				return
			}
		}
	}
}
