package afunix

// list is a circular doubly linked list in the manner of the kernel's
// list_head: the links are inside the elements, so that an element moves from
// list to list without an allocation, and nothing needs to know which it is in.
// [list.init] must be called before use.
type list[T any] struct {
	head link[T]
}

// link is an element's place in a list. Outside of any it is zero.
type link[T any] struct {
	next, prev *link[T]
	of         *T
}

func (l *list[T]) init() { l.head.next, l.head.prev = &l.head, &l.head }

func (l *list[T]) empty() bool { return l.head.next == &l.head }

// first returns the first element, nil if there is none.
func (l *list[T]) first() *T { return l.head.next.of }

// last returns the last element, nil if there is none.
func (l *list[T]) last() *T { return l.head.prev.of }

// pushBack adds of, whose link e is, at the end.
func (l *list[T]) pushBack(e *link[T], of *T) {
	e.of = of
	e.insertAfter(l.head.prev)
}

// moveBack takes e out of the list it is in and adds it at the end of l.
func (l *list[T]) moveBack(e *link[T]) {
	e.unlink()
	e.insertAfter(l.head.prev)
}

// splice moves everything in l to the end of to.
func (l *list[T]) splice(to *list[T]) {
	if l.empty() {
		return
	}
	first, last := l.head.next, l.head.prev
	l.init()
	first.prev, last.next = to.head.prev, &to.head
	to.head.prev.next = first
	to.head.prev = last
}

func (e *link[T]) insertAfter(at *link[T]) {
	e.prev, e.next = at, at.next
	at.next.prev = e
	at.next = e
}

func (e *link[T]) unlink() {
	e.prev.next, e.next.prev = e.next, e.prev
	e.next, e.prev = nil, nil
}

// linked reports whether the element is in a list.
func (e *link[T]) linked() bool { return e.next != nil }

// after returns the element behind e in its list, nil at the end.
func (e *link[T]) after() *T { return e.next.of }

// before returns the element in front of e in its list, nil at the start.
func (e *link[T]) before() *T { return e.prev.of }
