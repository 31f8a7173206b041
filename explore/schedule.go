package explore

import (
	"fmt"
	"strconv"
	"strings"
)

// Schedule says who does each step of an execution, from Reset on. With the System it
// determines the execution, so that it is all a replay needs.
type Schedule []Agent

// longestSchedule bounds what a token may ask for: a typo in a count must not take
// the machine's memory.
const longestSchedule = 1 << 24

// String returns the schedule's token: agents in order, a run of one agent written
// with its length, as in "0x3.1.2x10"; "-" for no step at all.
func (s Schedule) String() string {
	if len(s) == 0 {
		return "-"
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		run := i + 1
		for run < len(s) && s[run] == s[i] {
			run++
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strconv.Itoa(int(s[i])))
		if run-i > 1 {
			b.WriteByte('x')
			b.WriteString(strconv.Itoa(run - i))
		}
		i = run
	}
	return b.String()
}

// ParseSchedule reads a token. It refuses schedules of more than 2^24 steps.
func ParseSchedule(token string) (Schedule, error) {
	if token == "-" {
		return Schedule{}, nil
	}
	var s Schedule
	for part := range strings.SplitSeq(token, ".") {
		agent, times, repeated := strings.Cut(part, "x")
		a, err := natural(agent, 1<<31-1)
		if err != nil {
			return nil, fmt.Errorf("schedule %q: agent %w", clipped(token), err)
		}
		n := 1
		if repeated {
			if n, err = natural(times, longestSchedule); err != nil {
				return nil, fmt.Errorf("schedule %q: count %w", clipped(token), err)
			}
		}
		if n == 0 || len(s)+n > longestSchedule {
			return nil, fmt.Errorf("schedule %q: %d steps in all, allowed are 1 to %d for a run and the whole",
				clipped(token), len(s)+n, longestSchedule)
		}
		for range n {
			s = append(s, Agent(a))
		}
	}
	return s, nil
}

// natural reads a decimal number of at most limit, digits alone.
func natural(text string, limit int) (int, error) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a number", clipped(text))
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > limit {
		return 0, fmt.Errorf("%s is more than %d", clipped(text), limit)
	}
	return n, nil
}

// clipped keeps a long token from filling the terminal.
func clipped(text string) string {
	if len(text) <= 40 {
		return text
	}
	return text[:37] + "..."
}

// preempts reports whether going on with next takes the CPU from previous, which
// could have gone on.
func preempts(previous, next Agent, enabled []Agent) bool {
	return previous != next && has(enabled, previous)
}

// has reports whether an agent is in a list. Lists are short and in ascending order.
func has(agents []Agent, a Agent) bool {
	for _, b := range agents {
		if b == a {
			return true
		}
	}
	return false
}
