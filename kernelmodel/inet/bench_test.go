package inet

import (
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

// bench lets callers on CPUs of their own do something with one socket, b.N times
// together.
func bench(b *testing.B, v GetName, callers int, act func(k *cpus.Thread, u *Sock)) {
	b.Helper()
	m := newServer(b, callers, 250, 1)
	u := New(m, Params{GetName: v, Base: base}).Socket()
	u.Establish(here, there)
	for i := range callers {
		n := b.N / callers
		if i == 0 {
			n += b.N % callers
		}
		on(m, i, "caller", func(k *cpus.Thread) {
			for range n {
				act(k, u)
			}
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	if o := m.Run(des.Forever); o != cpus.Ended {
		b.Fatal(o)
	}
}

// BenchmarkGetSockName is the price of simulating one call: alone, and among eight on
// one socket.
func BenchmarkGetSockName(b *testing.B) {
	ask := func(k *cpus.Thread, u *Sock) { u.GetSockName(k) }
	for _, v := range GetNames {
		b.Run(string(v)+"/1", func(b *testing.B) { bench(b, v, 1, ask) })
		b.Run(string(v)+"/8", func(b *testing.B) { bench(b, v, 8, ask) })
	}
}

// BenchmarkConnect is the price of simulating a connect() and a disconnect.
func BenchmarkConnect(b *testing.B) {
	bench(b, LockSock, 1, func(k *cpus.Thread, u *Sock) {
		u.Disconnect(k)
		if err := u.Connect(k, eth); err != nil {
			b.Error(err)
		}
	})
}

// BenchmarkReceive is the price of simulating a segment of data that finds no owner.
func BenchmarkReceive(b *testing.B) {
	bench(b, LockSock, 1, func(k *cpus.Thread, u *Sock) { u.Receive(k) })
}
