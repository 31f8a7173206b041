package cpus_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"smpsim/cpus"
	"smpsim/des"
)

// These tests hold the machine against queueing theory. Each repeats a run with
// different seeds and compares the mean with its formula by Student's t: a right
// machine fails one comparison with a chance of 10^-6. The mean must also be known
// to within 2%, so that a wrong one cannot hide.

// freeCosts are those of a machine on which nothing but computing takes time.
var freeCosts = func() cpus.Costs {
	c := roundCosts
	c.SwitchThread, c.SwitchProcess, c.WakeIdle, c.WakeWaker = 0, 0, 0, 0
	return c
}()

// agrees compares the mean of replicas with theory.
func agrees(t *testing.T, what string, replicas []float64, want float64) {
	t.Helper()
	n := float64(len(replicas))
	mean, deviation := stat.MeanStdDev(replicas, nil)
	standardError := deviation / math.Sqrt(n)
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	t.Logf("%s: %.4g, theory %.4g, standard error %.2g", what, mean, want, standardError)
	if off := math.Abs(mean - want); off > student.Quantile(1-5e-7)*standardError {
		t.Errorf("%s: %.6g, theory says %.6g: %.1f standard errors off", what, mean, want, off/standardError)
	}
	if half := student.Quantile(0.975) * standardError; half > 0.02*want {
		t.Errorf("%s: known to within %.1f%% only", what, 100*half/want)
	}
}

// replicate runs a simulation with n seeds.
func replicate(n int, run func(seed uint64) float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = run(uint64(i) + 1)
	}
	return all
}

// openQueue lets jobs come to servers CPUs in a Poisson stream and returns how
// long one stays on average, in units of the mean service time. Arrivals are a
// chain of sleeps on a CPU of its own.
func openQueue(seed uint64, servers, jobs int, utilization float64, service func(k *cpus.Thread) des.Time) float64 {
	sim := des.New(seed)
	m := cpus.New(sim, cpus.Spec{Topology: eightCPUs, Costs: freeCosts, CPUs: servers + 1, Policy: "fifo"})
	gap := des.Exp(des.Time(float64(us) / utilization / float64(servers)))
	var on []int
	for i := range servers {
		on = append(on, i)
	}
	set := setOf(m, on)
	warm, measured, total := jobs/10, 0, des.Time(0)
	m.Start(m.NewThread(&cpus.TaskSpec{Name: "arrivals", CPUs: setOf(m, []int{servers})}, func(k *cpus.Thread) {
		for i := range jobs {
			k.Sleep(gap.Sample(k.Stream()))
			came := k.Now()
			m.Start(m.NewThread(&cpus.TaskSpec{Name: fmt.Sprint("job", i), CPUs: set}, func(k *cpus.Thread) {
				k.RunUser(service(k))
				if i >= warm {
					measured++
					total += k.Now() - came
				}
			}))
		}
	}))
	if outcome := m.Run(des.Forever); outcome != cpus.Ended {
		panic(outcome.String())
	}
	sim.Close()
	return float64(total) / float64(measured) / float64(us)
}

func exponential(k *cpus.Thread) des.Time {
	d := des.Exp(us)
	return d.Sample(k.Stream())
}

// With utilization r a job stays 1/(1-r) mean service times.
func TestASingleCPUWithPoissonArrivalsIsMM1(t *testing.T) {
	for _, r := range []float64{0.3, 0.6} {
		got := replicate(20, func(seed uint64) float64 { return openQueue(seed, 1, 12_000, r, exponential) })
		agrees(t, fmt.Sprintf("M/M/1 at %.0f%%", 100*r), got, 1/(1-r))
	}
}

// With constant service a job waits half as long: it stays 1 + r/(2(1-r)).
func TestASingleCPUWithConstantServiceIsMD1(t *testing.T) {
	for _, r := range []float64{0.3, 0.6} {
		got := replicate(20, func(seed uint64) float64 {
			return openQueue(seed, 1, 12_000, r, func(*cpus.Thread) des.Time { return us })
		})
		agrees(t, fmt.Sprintf("M/D/1 at %.0f%%", 100*r), got, 1+r/(2*(1-r)))
	}
}

// With c servers a job waits with the chance of Erlang's C formula, and stays
// 1 + C/(c(1-r)). CPUs have a queue each and take from each other's, so that none
// idles while a job waits: the order of service does not change the mean.
func TestSeveralCPUsAreMMc(t *testing.T) {
	for _, c := range []struct {
		servers int
		r       float64
	}{{2, 0.6}, {4, 0.7}} {
		got := replicate(20, func(seed uint64) float64 { return openQueue(seed, c.servers, 12_000, c.r, exponential) })
		want := 1 + erlangC(c.servers, c.r)/(float64(c.servers)*(1-c.r))
		agrees(t, fmt.Sprintf("M/M/%d at %.0f%%", c.servers, 100*c.r), got, want)
	}
}

// erlangC is the chance that all of c servers are busy at utilization r.
func erlangC(c int, r float64) float64 {
	load, term, sum := float64(c)*r, 1.0, 0.0
	for k := range c {
		sum += term
		term *= load / float64(k+1)
	}
	term /= 1 - r
	return term / (sum + term)
}

// closedQueue lets n tasks think and then use one lock, again and again, and
// returns how many uses are over in a mean service time. Each has a CPU of its own.
func closedQueue(seed uint64, n int, think, hold des.Dist, handoff des.Time, sleeps bool) float64 {
	sim := des.New(seed)
	m := cpus.New(sim, cpus.Spec{Topology: eightCPUs, Costs: freeCosts, CPUs: n, Policy: "fifo"})
	g := &gate{m: m, sleeps: sleeps, handoff: handoff}
	uses := 0
	for i := range n {
		m.Start(m.NewThread(&cpus.TaskSpec{Name: "t", Index: int32(i), Numbered: true, CPUs: setOf(m, []int{i})}, func(k *cpus.Thread) {
			for {
				k.RunUser(think.Sample(k.Stream()))
				k.Call(g, gateLock)
				k.Run(hold.Sample(k.Stream()))
				k.Call(g, gateUnlock)
				uses++
			}
		}))
	}
	m.Run(ms)
	before := uses
	m.Run(21 * ms)
	sim.Close()
	return float64(uses-before) / float64(20*ms/us)
}

// The lock is the repairman and the tasks are his machines: with service rate 1,
// thinking rate z and n tasks the lock is in use for the part 1-p0 of the time,
// 1/p0 being the sum over k of n!/(n-k)! z^k.
func TestOneLockWithThinkTimeIsTheMachineRepairman(t *testing.T) {
	for _, sleeps := range []bool{false, true} {
		for _, n := range []int{1, 3, 8} {
			const z = 0.25
			sum, term := 0.0, 1.0
			for k := 0; k <= n; k++ {
				sum += term
				term *= float64(n-k) * z
			}
			got := replicate(10, func(seed uint64) float64 {
				return closedQueue(seed, n, des.Exp(4*us), des.Exp(us), 0, sleeps)
			})
			agrees(t, fmt.Sprintf("%d tasks, sleeping %v", n, sleeps), got, 1-1/sum)
		}
	}
}

// A saturated lock is used once in a hold and a hand-over, to the picosecond.
func TestASaturatedLockIsUsedOnceAHoldAndAHandOver(t *testing.T) {
	for _, handoff := range []des.Time{0, 250 * ns, us} {
		got := closedQueue(1, 8, des.Const(2*us), des.Const(us), handoff, false)
		want := float64(us) / float64(us+handoff)
		// Twenty thousand spans of time, cut at both ends.
		if math.Abs(got-want) > 1.0/20_000 {
			t.Errorf("hand-over %v: %.6f uses a microsecond, want %.6f", handoff, got, want)
		}
	}
}

// Tasks that think and compute on one CPU are the machine repairman's as well; by
// the fair policy or in slices too, since what is left of an exponential time is
// exponential again.
func TestOneCPUSharedByThinkersIsTheMachineRepairman(t *testing.T) {
	const n, z = 5, 0.25
	sum, term := 0.0, 1.0
	for k := 0; k <= n; k++ {
		sum += term
		term *= float64(n-k) * z
	}
	for _, policy := range []string{"fair", "fifo", "round-robin"} {
		got := replicate(10, func(seed uint64) float64 {
			costs := freeCosts
			costs.Tick = 0
			sim := des.New(seed)
			m := cpus.New(sim, cpus.Spec{Topology: eightCPUs, Costs: costs, CPUs: 1, HZ: 1_000_000, Policy: policy, Slice: 500 * ns})
			think, compute := des.Exp(4*us), des.Exp(us)
			for i := range n {
				m.Start(m.NewThread(&cpus.TaskSpec{Name: "t", Index: int32(i), Numbered: true}, func(k *cpus.Thread) {
					for {
						k.Sleep(think.Sample(k.Stream()))
						k.RunUser(compute.Sample(k.Stream()))
					}
				}))
			}
			m.Run(ms)
			before := m.CPU(0).Account(cpus.User)
			m.Run(21 * ms)
			sim.Close()
			return float64(m.CPU(0).Account(cpus.User)-before) / float64(20*ms)
		})
		agrees(t, policy, got, 1-1/sum)
	}
}
