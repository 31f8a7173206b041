package experiment

import (
	"smpsim/yamlfile"
)

// decodeCell turns a checked value into a cell. It meets no mistakes: whatever the
// schema lets pass has a field here.
func decodeCell(v *value) Cell {
	c := Cell{
		Machine: decodeMachine(v.get("machine")),
		Kernel:  decodeKernel(v.get("kernel")),
		Stop:    Stop{AfterPS: v.get("stop").numberOf("after", 0), Events: v.get("stop").numberOf("events", 0)},
		Check:   decodeCheck(v.get("check")),
		Explore: decodeExplore(v.get("explore")),
	}
	for _, f := range v.get("objects").fields {
		o := Object{Name: f.name, Type: f.value.decided, Pos: f.value.node.Pos}
		if o.Type == spinlock {
			o.Type = f.value.textOf(spinlock)
		}
		c.Objects = append(c.Objects, o)
	}
	for _, step := range v.get("setup").items {
		c.Setup = append(c.Setup, decodeSetup(step))
	}
	for _, f := range v.get("tasks").fields {
		c.Tasks = append(c.Tasks, decodeTask(f.name, f.value))
	}
	return c
}

// numberOf is the number of a field, or otherwise if there is none.
func (v *value) numberOf(name string, otherwise int64) int64 {
	if f := v.get(name); f != nil {
		return f.number
	}
	return otherwise
}

// textOf is the text of a field, or empty if there is none.
func (v *value) textOf(name string) string {
	if f := v.get(name); f != nil {
		return f.text
	}
	return ""
}

// orWord is a number, or what a word in its place stands for.
func (v *value) orWord(word int64) int64 {
	if v.shape.form == formWord {
		return word
	}
	return v.number
}

// distribution is the distribution of v, or none if it is something else.
func (v *value) distribution() yamlfile.Distribution {
	d, _ := v.parsed.(yamlfile.Distribution)
	return d
}

func (v *value) texts() []string {
	if v == nil {
		return nil
	}
	texts := make([]string, 0, len(v.items))
	for _, item := range v.items {
		texts = append(texts, item.text)
	}
	return texts
}

func (v *value) nodes() []*yamlfile.Node {
	if v == nil {
		return nil
	}
	return v.node.Items
}

func decodeMachine(v *value) Machine {
	scheduler := v.get("scheduler")
	m := Machine{
		Preset: v.textOf("preset"),
		CPUs:   int(v.get("cpus").orWord(0)),
		HZ:     int(v.numberOf("hz", 0)),
		Scheduler: Scheduler{
			Policy:  scheduler.textOf("policy"),
			SlicePS: scheduler.get("slice").orWord(0),
			SlackPS: scheduler.numberOf("slack", 0),
			Script:  scheduler.get("script").texts(),
		},
	}
	devices := v.get("interrupts")
	for i := 0; devices != nil && i < len(devices.items); i++ {
		d := devices.items[i]
		m.Interrupts = append(m.Interrupts, Device{
			Name: d.textOf("name"), Context: d.textOf("context"), CPU: int(d.get("cpu").orWord(-1)),
			Every: d.get("every").distribution(), Length: d.get("length").distribution(),
		})
	}
	for _, f := range v.get("costs").fields {
		m.Costs = append(m.Costs, Cost{Path: f.name, Value: f.value.node})
	}
	return m
}

func decodeKernel(v *value) Kernel {
	unix, inet := v.get("af_unix"), v.get("inet")
	return Kernel{
		AFUnix: AFUnix{
			GC:        unix.textOf("gc"),
			Trigger:   unix.numberOf("trigger", 0),
			Inflight:  unix.textOf("inflight_count"),
			Unfixed:   unix.get("unfixed").texts(),
			SaneLimit: unix.get("sane_limit").orWord(-1),
			Table:     unix.textOf("table"),
			Hash:      unix.textOf("hash"),
		},
		Inet: Inet{GetName: inet.textOf("getname"), BasePS: inet.numberOf("base", 0)},
	}
}

func decodeSetup(v *value) SetupStep {
	if sockets := v.get("sockets"); sockets != nil {
		var s SetupStep
		for _, f := range sockets.fields {
			s.Sockets = append(s.Sockets, Socket{Name: f.name, Type: f.value.text, Pos: f.value.node.Pos})
		}
		return s
	}
	if f := v.get("in_flight"); f != nil {
		return SetupStep{InFlight: &InFlight{
			Sockets: int(f.numberOf("sockets", 0)), User: f.textOf("user"), Graph: f.textOf("graph"),
		}}
	}
	b := v.get("bind")
	return SetupStep{Bind: &Bound{
		Abstract: int(b.numberOf("abstract", 0)), Pathname: int(b.numberOf("pathname", 0)),
		Names: b.textOf("names"), From: b.numberOf("from", 0),
	}}
}

func decodeTask(name string, v *value) Task {
	t := Task{
		Name: name, Pos: v.node.Pos,
		Run: v.textOf("run"), Do: v.get("do").nodes(),
		Count: int(v.numberOf("count", 0)), Loop: v.get("loop").orWord(Forever),
		Bind: decodeBind(v.get("bind")), Nice: int(v.numberOf("nice", 0)), Class: v.textOf("class"),
		Manual: v.get("start").shape.form == formWord, StartPS: v.numberOf("start", 0),
		User: v.textOf("user"), Kthread: v.numberOf("kthread", 0) == 1,
		Priority: int(v.numberOf("priority", 1)),
		Context:  v.textOf("context"), Interrupts: v.textOf("interrupts"),
	}
	if every := v.get("every"); every != nil {
		d := every.distribution()
		t.Every = &d
	}
	endless := false
	for _, f := range v.fields {
		if f.name == "run" || findKey(taskKeys, f.name) != nil || f.name == "do" {
			continue
		}
		p := LoadParam{Name: f.name, Text: f.value.text, Number: f.value.orWord(0), Distribution: f.value.distribution()}
		if f.value.text == "forever" {
			p.Number, endless = Forever, true
		}
		t.Params = append(t.Params, p)
	}
	t.Background = t.Kthread || t.Context != "task" || endless && isBackground(t.Run)
	return t
}

func decodeBind(v *value) Bind {
	if v.shape.form == formWord {
		return Bind{Kind: BindKind(v.text)}
	}
	b := Bind{Kind: Listed}
	for _, item := range v.items {
		b.CPUs = append(b.CPUs, int(item.number))
	}
	return b
}

func decodeCheck(v *value) Check {
	return Check{
		Always: v.get("always").nodes(), Finally: v.get("finally").nodes(), Never: v.get("never").nodes(),
		Races: v.textOf("races") == "report",
	}
}

func decodeExplore(v *value) *Explore {
	if v == nil {
		return nil
	}
	return &Explore{
		Strategy: v.textOf("strategy"), Memory: v.textOf("memory"),
		EndAfterFinding: v.textOf("after_finding") == "end", RMWCommute: v.numberOf("rmw_commute", 0) == 1,
		Executions: v.numberOf("executions", 0), Steps: v.numberOf("steps", 0),
		Remember:    v.numberOf("remember", 0),
		Preemptions: int(v.numberOf("preemptions", 2)), Depth: int(v.numberOf("depth", 3)), Schedule: v.textOf("schedule"),
	}
}
