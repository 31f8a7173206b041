package afunix

import (
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

// BenchmarkSendmsg is the price of simulating one call that passes nothing,
// below the trigger.
func BenchmarkSendmsg(b *testing.B) {
	for _, v := range Variants {
		b.Run(string(v), func(b *testing.B) {
			benchSends(b, Params{GC: v, Trigger: DefaultTrigger}, Graph{Open, 100, "mallory"}, true)
		})
	}
}

// BenchmarkCollection is the price of simulating one call that collects 32768
// sockets first.
func BenchmarkCollection(b *testing.B) {
	for _, shape := range []Shape{Open, Closed} {
		b.Run(string(shape)+"/remembered", func(b *testing.B) {
			benchSends(b, Params{GC: Inline}, Graph{shape, 32768, "mallory"}, true)
		})
		b.Run(string(shape)+"/done", func(b *testing.B) {
			benchSends(b, Params{GC: Inline}, Graph{shape, 32768, "mallory"}, false)
		})
	}
}

func benchSends(b *testing.B, p Params, g Graph, remember bool) {
	m := newServer(b, 2, 0, 1)
	n := New(m, p)
	if !remember {
		n.forgetful()
	}
	if err := n.Setup(g); err != nil {
		b.Fatal(err)
	}
	from, to := n.Socketpair(Dgram)
	to.Discard()
	on(m, 0, "sane", func(k *cpus.Thread) {
		p := n.NewProcess("alice")
		// What is made at first use is made.
		for range 10 {
			_ = p.Sendmsg(k, from, 1, nil)
		}
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			_ = p.Sendmsg(k, from, 1, nil)
		}
		b.StopTimer()
	})
	if o := m.Run(des.Forever); o != cpus.Ended {
		b.Fatal(o)
	}
}

// BenchmarkRoundTrip is the price of simulating the passing of four descriptors
// and their receipt, among 1 or 16 tasks that do the same.
func BenchmarkRoundTrip(b *testing.B) {
	for _, tasks := range []int{1, 16} {
		for _, v := range []Variant{Merged, SCC} {
			b.Run(string(v)+"/"+map[int]string{1: "1", 16: "16"}[tasks], func(b *testing.B) {
				m := newServer(b, 16, 250, 1)
				n := New(m, Params{GC: v, Trigger: DefaultTrigger})
				for cpu := range tasks {
					from, to := n.Socketpair(Dgram)
					on(m, cpu, "passer", func(k *cpus.Thread) {
						p := n.NewProcess("alice")
						fds := []*Sock{n.Socket(Dgram), n.Socket(Dgram), n.Socket(Dgram), n.Socket(Dgram)}
						var got []*Sock
						for range b.N / tasks {
							_ = p.Sendmsg(k, from, 1, fds)
							got = p.Recvmsg(k, to, got[:0])
							for _, u := range got {
								p.Close(k, u)
							}
						}
					})
				}
				b.ReportAllocs()
				b.ResetTimer()
				if o := m.Run(des.Forever); o != cpus.Ended {
					b.Fatal(o)
				}
			})
		}
	}
}
