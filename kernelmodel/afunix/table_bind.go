package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// files is the file system as far as sockets go: the inode of each path. Each path
// is in a directory of its own, so that no lock of one is contended.
type files struct {
	shared cpus.Shared
	inodes map[string]uint64
	made   uint64
}

// create makes a file.
func (f *files) create(path string) (inode uint64, err error) {
	if _, exists := f.inodes[path]; exists {
		return 0, ErrAddrInUse
	}
	f.made++
	f.inodes[path] = f.made
	return f.made, nil
}

// BindAbstract is bind() of a socket to an abstract name, of at most 107 bytes. It
// returns [ErrAddrInUse] if another of the kind has it, and [ErrInvalid] if the socket has
// a name, or that is too long.
func (t *Table) BindAbstract(k *cpus.Thread, e *Endpoint, name string) error {
	if len(name) > maxName {
		return ErrInvalid
	}
	entered := t.enter(k, t.fn.bindAbstract)
	lock := t.bindlock(e.slot)
	k.Call(lock, kernelmodel.Lock)
	err := ErrInvalid
	if e.has == noName {
		err = t.take(k, e, name)
	}
	k.Call(lock, kernelmodel.Unlock)
	t.leave(k, t.fn.bindAbstract, entered)
	return err
}

// take gives e, whose bindlock is held, an abstract name if that is free. Nobody
// comes between the look and the change, as both locks are held throughout.
func (t *Table) take(k *cpus.Thread, e *Endpoint, name string) error {
	from, to := int(e.bucket), t.abstract(name, e.kind)
	t.lockTwo(k, from, to)
	return t.takeLocked(k, e, name, from, to)
}

// takeLocked does it once both locks are held, and gives them back.
func (t *Table) takeLocked(k *cpus.Thread, e *Endpoint, name string, from, to int) error {
	var err error
	if t.findByName(k, to, name, e.kind) != nil {
		err = ErrAddrInUse
	} else {
		t.remove(k, from, e)
		e.has, e.name, e.mark, e.bucket = abstractName, name, fingerprint(name, e.kind), int32(to)
		t.insert(k, e)
	}
	t.unlockTwo(k, from, to)
	return err
}

// BindPathname is bind() of a socket to a path, of which it makes the file; that
// stays when the socket is closed. It returns [ErrAddrInUse] if there is one, and
// [ErrInvalid] if the socket has a name.
func (t *Table) BindPathname(k *cpus.Thread, e *Endpoint, path string) error {
	entered := t.enter(k, t.fn.bindPathname)
	err := t.bindBSD(k, e, path)
	t.leave(k, t.fn.bindPathname, entered)
	return err
}

func (t *Table) bindBSD(k *cpus.Thread, e *Endpoint, path string) error {
	k.Updates(&t.files.shared)
	inode, err := t.files.create(path)
	if err != nil {
		return err
	}
	lock := t.bindlock(e.slot)
	k.Call(lock, kernelmodel.Lock)
	if e.has != noName {
		k.Call(lock, kernelmodel.Unlock)
		k.Updates(&t.files.shared)
		delete(t.files.inodes, path)
		return ErrInvalid
	}
	from, to := int(e.bucket), t.pathname(inode)
	t.lockTwo(k, from, to)
	t.remove(k, from, e)
	e.has, e.inode, e.mark, e.bucket = pathName, inode, uint32(inode), int32(to)
	t.insert(k, e)
	t.unlockTwo(k, from, to)
	if at := t.byInode(inode); at != to {
		// Until it is in the table of paths, too, nobody finds it.
		b := &t.buckets[at]
		kernelmodel.SpinLock(k, b.lock)
		t.insertIn(k, at, e)
		kernelmodel.SpinUnlock(k, b.lock)
	}
	k.Call(lock, kernelmodel.Unlock)
	return nil
}

// autobindNames are the names that autobind gives: five hexadecimal digits.
var autobindNames = Names{base: 16, width: 5, zero: true}

// autobindMask bounds the numbers that autobind tries.
const autobindMask = 0xfffff

// Autobind is bind() without a name: the socket gets one that is free. It returns
// nil where the socket has a name already, and [ErrNoSpace] if all are taken.
func (t *Table) Autobind(k *cpus.Thread, e *Endpoint) error {
	entered := t.enter(k, t.fn.autobind)
	lock := t.bindlock(e.slot)
	k.Call(lock, kernelmodel.Lock)
	var err error
	if e.has == noName {
		err = t.takeAny(k, e)
	}
	k.Call(lock, kernelmodel.Unlock)
	t.leave(k, t.fn.autobind, entered)
	return err
}

// takeAny tries one number after the other. With the counter all CPUs try the same
// ones, and all but one of them in vain; with a random start they rarely meet.
func (t *Table) takeAny(k *cpus.Thread, e *Endpoint) error {
	counts := t.params.Autobind == AutobindCounter
	number := int64(0)
	if !counts {
		number = int64(k.Stream().Below(autobindMask + 1))
	}
	for range autobindMask + 1 {
		if counts {
			// The kernel reads the counter without a lock, and counts on under it.
			number = k.LoadPlain(t.ordinal)
		} else {
			number = (number + 1) & autobindMask
		}
		if t.takeNumber(k, e, number, counts) == nil {
			return nil
		}
	}
	return ErrNoSpace
}

func (t *Table) takeNumber(k *cpus.Thread, e *Endpoint, number int64, counts bool) error {
	name := autobindNames.Name(number)
	from, to := int(e.bucket), t.abstract(name, e.kind)
	t.lockTwo(k, from, to)
	if counts {
		k.StorePlain(t.ordinal, (k.LoadPlain(t.ordinal)+1)&autobindMask)
	}
	return t.takeLocked(k, e, name, from, to)
}
