"""Enumerates the executions of small concurrent programs under RC11, the repaired memory model of C11.

Swift's atomics have the orderings of C11. RC11 (Lahav and others, "Repairing sequential consistency in C/C++11", 2017)
states which executions they permit, and forbids values out of thin air. Release sequences are those of C++20.

A program has threads and locations. A thread is a generator function that yields operations, receives the value that
each of them has read, and keeps no other state. It checks these values with `assert`. An execution is *wrong* if an
assertion fails, if two plain accesses or a plain and an atomic access race, if a thread waits for a value that never
comes, or if a thread does not end.

How the search works: an execution is built one event after the other, each after those that it has read from, so its
events are in an order that contains program order and reads-from. RC11 forbids cycles of these two, so each execution
can be built so. A store, a fence or a plain access of any thread is added as soon as it is the next operation of its
thread: it depends on no choice of another thread, except the place of the store in the order of its location, and all
places are tried. Only the reads of atomic locations branch over the threads and over what they read. Executions that
were reached before are not continued.
"""
import dataclasses
import typing

# An ordering is the set of its effects. `failure` acquires if a compare-and-exchange fails.
RELAXED = frozenset()
ACQUIRING = frozenset({"acquire"})
RELEASING = frozenset({"release"})
ACQUIRING_AND_RELEASING = ACQUIRING | RELEASING
SEQUENTIALLY_CONSISTENT = ACQUIRING_AND_RELEASING | {"sequential"}

# A thread that takes more steps counts as one that does not end.
MOST_STEPS = 64


@dataclasses.dataclass(frozen=True)
class Operation:
    """The next step of a thread."""

    kind: str
    location: str = ""
    # An ordering, or the name of one that the run of the program chooses.
    ordering: frozenset | str = RELAXED
    # The value of a store or a plain write.
    value: typing.Any = None
    # Returns the new value for the old one, or `None` if the update writes nothing then.
    change: typing.Callable | None = None
    # Whether the thread accepts a value. It waits until it can read a value that it accepts.
    accepts: typing.Callable | None = None
    # Whether the update may write nothing although it could.
    is_weak: bool = False


class Location:
    """Makes the operations on one location."""

    def __init__(self, name):
        self.name = name

    def load(self, ordering, accepts=None):
        """An atomic load. Receives the value. With `accepts`, a loop that ends with such a value."""
        return Operation("load", self.name, ordering, accepts=accepts)

    def store(self, value, ordering):
        """An atomic store."""
        return Operation("store", self.name, ordering, value=value)

    def update(self, change, ordering, accepts=None):
        """An atomic read-modify-write. Receives the old value. Writes what `change` returns, unless that is `None`."""
        return Operation("update", self.name, ordering, change=change, accepts=accepts)

    def exchange(self, value, ordering, accepts=None):
        """An atomic exchange. Receives the old value."""
        return self.update(lambda old: value, ordering, accepts)

    def add(self, number, ordering):
        """An atomic addition. Receives the old value."""
        return self.update(lambda old: old + number, ordering)

    def compare_exchange(self, expected, desired, ordering, is_weak=False):
        """A compare-and-exchange. Receives whether it has written, and the old value. A weak one may fail always."""
        change = lambda old: desired if old == expected else None  # noqa: E731
        return Operation("compare", self.name, ordering, change=change, is_weak=is_weak)

    def read(self):
        """A plain read. Receives the value."""
        return Operation("read", self.name)

    def write(self, value):
        """A plain write."""
        return Operation("write", self.name, value=value)


def fence(ordering):
    """A fence."""
    return Operation("fence", ordering=ordering)


class Program:
    """Threads, and the locations with their initial values."""

    def __init__(self, initial, threads, check=None):
        """`check`, if any, is called at the end of each execution with the last values and the threads' results."""
        self.initial = initial
        self.threads = threads
        self.check = check


@dataclasses.dataclass(frozen=True)
class Event:
    """An operation that was performed. Its identity is one bit, for sets of events."""

    bit: int
    thread: int
    operation: Operation
    ordering: frozenset
    reads: bool
    writes: bool
    value: typing.Any
    # The event that wrote what this one has read.
    source: "Event | None"
    # The events that happen before this one.
    past: int
    # For a write: the events that an acquiring read of it is ordered after.
    published: int

    @property
    def location(self):
        return self.operation.location

    @property
    def is_plain(self):
        return self.operation.kind in ("read", "write")

    @property
    def is_sequential(self):
        return "sequential" in self.ordering


@dataclasses.dataclass(frozen=True)
class View:
    """The state of one thread."""

    # The results of its operations, each with the bit of the event that was read.
    steps: tuple = ()
    # The events that happen before the next one.
    past: int = 0
    # The events that an acquiring fence would add to that.
    unacquired: int = 0
    # The events that happened before the last releasing fence, and this.
    fenced: int = 0


class Wrong(Exception):
    """An execution is wrong."""


class Execution:
    """A set of events: an execution, or the beginning of one."""

    def __init__(self, events, order, views):
        self.events = events
        # The writes to each location, in their order.
        self.order = order
        self.views = views

    @property
    def key(self):
        """Determines the execution, whatever the order in which it was built."""
        sources = tuple(tuple(source for _, source in view.steps) for view in self.views)
        results = tuple(tuple(result for result, _ in view.steps) for view in self.views)
        return sources, results, tuple(tuple(write.bit for write in writes) for writes in self.order.values())

    @property
    def memory(self):
        """The last value of each location."""
        return {location: writes[-1].value for location, writes in self.order.items()}

    def first_readable(self, location, past):
        """Returns the index of the first write that an event with that past may read: coherence forbids older ones."""
        writes = self.order[location]
        known = {event.bit if event.writes else event.source.bit
                 for event in self.events if event.location == location and event.bit & past}
        return max(index for index, write in enumerate(writes) if write.bit in known)

    def is_updated(self, location, index):
        """Whether an update has read that write. No other write may come between the two."""
        writes = self.order[location]
        return index + 1 < len(writes) and writes[index + 1].source is writes[index]

    def check_race(self, names, thread, location, past, writes, is_plain):
        """Raises an error if an access races with an event."""
        for event in self.events:
            if event.location == location and not event.bit & past and (is_plain or event.is_plain):
                if writes or event.writes:
                    raise Wrong(f"a race for {location}: {names[event.thread]} and {names[thread]}")

    def is_sequential(self):
        """Whether there is an order of the sequentially consistent events: `psc` of RC11 is acyclic."""
        ends = [event for event in self.events if event.is_sequential]
        if len(ends) < 2:
            return True
        edges = {event.bit: set() for event in ends}
        before = self.before_sequentially()
        for first in ends:
            for last in ends:
                if self.precedes_sequentially(first, last, before):
                    edges[first.bit].add(last.bit)
        return is_acyclic(edges)

    def before_sequentially(self):
        """The pairs of events of the relation `scb` of RC11, as bits."""
        pairs = set()
        for first in self.events:
            for last in self.events:
                if first is last:
                    continue
                happens = first.bit & last.past
                is_local = first.location == last.location and first.location
                if happens and (first.thread in (0, last.thread) or is_local or self.is_between(first, last)):
                    pairs.add((first.bit, last.bit))
                if is_local and last.writes and self.comes_before(first, last):
                    pairs.add((first.bit, last.bit))
        return pairs

    def is_between(self, first, last):
        """Whether steps to and from other locations connect the two across threads."""
        after = [event for event in self.events if event.thread == first.thread and first.bit & event.past
                 and event.location != first.location]
        until = [event for event in self.events if event.thread == last.thread and event.bit & last.past
                 and event.location != last.location]
        return any(one.bit & other.past for one in after for other in until)

    def comes_before(self, first, last):
        """Whether a write is before another one, or a read has read a write that is."""
        writes = [write.bit for write in self.order[last.location]]
        write = first.bit if first.writes else first.source.bit
        return writes.index(write) < writes.index(last.bit)

    def precedes_sequentially(self, first, last, before):
        """Whether `psc` of RC11 orders two sequentially consistent events."""
        starts = {first.bit}
        finals = {last.bit}
        if first.operation.kind == "fence":
            starts |= {event.bit for event in self.events if first.bit & event.past}
        if last.operation.kind == "fence":
            finals |= {event.bit for event in self.events if event.bit & last.past}
        if any((one, other) in before for one in starts for other in finals):
            return True
        if first.operation.kind != "fence" or last.operation.kind != "fence":
            return False
        return bool(first.bit & last.past) or self.is_connected(starts, finals)

    def is_connected(self, starts, finals):
        """Whether communication leads from an event of the one set to one of the other."""
        for one in self.events:
            for other in self.events:
                if one.bit in starts and other.bit in finals and one.location == other.location and one.location:
                    if self.communicates(one, other):
                        return True
        return False

    def communicates(self, one, other):
        """Whether `eco` of RC11 leads from one access of a location to another one."""
        writes = [write.bit for write in self.order[one.location]]
        start = writes.index(one.bit if one.writes else one.source.bit)
        end = writes.index(other.bit if other.writes else other.source.bit)
        return start < end or start == end and one.writes and not other.writes


def is_acyclic(edges):
    """Whether a graph has no cycle."""
    left = dict(edges)
    while left:
        ends = [node for node, successors in left.items() if not successors & left.keys()]
        if not ends:
            return False
        for node in ends:
            del left[node]
    return True


class Search:
    """All executions of a program."""

    def __init__(self, program, orderings=None, is_reduced=True):
        """Searches. Stops at the first wrong execution, whose events are in `wrong`, and its defect in `defect`.

        If the search is not reduced, it branches over the threads at every event. That is slow, and finds the same.
        """
        self.program = program
        self.is_reduced = is_reduced
        self.orderings = orderings or {}
        self.names = ["the initial value", *(thread.__name__ for thread in program.threads)]
        self.defect = None
        self.wrong = None
        # The threads' results in all executions, and the number of these.
        self.outcomes = set()
        self.count = 0
        self.next_steps = {}
        # The names of orderings that the program has used.
        self.used = set()
        pending = [self.start()]
        known = set()
        while pending:
            execution = pending.pop()
            if execution.key in known:
                continue
            known.add(execution.key)
            try:
                pending += [longer for longer in self.extend(execution) if longer.is_sequential()]
            except Wrong as error:
                self.defect = str(error)
                self.wrong = execution
                return

    def start(self):
        """Returns the execution that has only the initial values."""
        events = []
        for index, (location, value) in enumerate(self.program.initial.items()):
            operation = Operation("write", location, value=value)
            events.append(Event(1 << index, 0, operation, RELAXED, False, True, value, None, 0, 0))
        past = sum(event.bit for event in events)
        views = (View(past=past),) * (len(self.program.threads) + 1)
        return Execution(tuple(events), {event.location: (event,) for event in events}, views)

    def next_step(self, thread, steps):
        """Returns the next operation of a thread that has received these results, or its own result in a tuple."""
        key = thread, tuple(result for result, _ in steps)
        if key not in self.next_steps:
            self.next_steps[key] = self.replay(*key)
        return self.next_steps[key]

    def replay(self, thread, results):
        generator = self.program.threads[thread - 1]()
        try:
            operation = next(generator)
            for result in results:
                operation = generator.send(result)
            return operation
        except StopIteration as end:
            return (end.value,)
        except AssertionError as error:
            return Wrong(f"{self.names[thread]}: {error or 'an assertion fails'}")

    def extend(self, execution):
        """Returns the executions with one more event, or records the end."""
        steps = [self.next_step(thread, execution.views[thread].steps)
                 for thread in range(1, len(execution.views))]
        for step in steps:
            if isinstance(step, Wrong):
                raise step
        operations = [(thread, step) for thread, step in enumerate(steps, 1) if isinstance(step, Operation)]
        for thread, operation in operations:
            if self.is_reduced and operation.kind in ("store", "fence", "read", "write"):
                return list(self.perform(execution, thread, operation))
        longer = [new for thread, operation in operations for new in self.perform(execution, thread, operation)]
        if not operations:
            self.end(execution, tuple(step[0] for step in steps))
        elif not longer:
            raise Wrong(f"hangs: {', '.join(self.names[thread] for thread, _ in operations)}")
        return longer

    def end(self, execution, results):
        self.count += 1
        self.outcomes.add(results)
        if self.program.check:
            try:
                self.program.check(execution.memory, results)
            except AssertionError as error:
                raise Wrong(f"at the end: {error or 'an assertion fails'}") from error

    def ordering_of(self, operation):
        if isinstance(operation.ordering, str):
            self.used.add(operation.ordering)
            return self.orderings[operation.ordering]
        return operation.ordering

    def perform(self, execution, thread, operation):
        """Yields the executions in which a thread has performed its next operation."""
        past = execution.views[thread].past
        ordering = self.ordering_of(operation)
        location = operation.location
        if operation.kind == "fence":
            yield self.fenced(execution, thread, operation, ordering)
            return
        is_plain = operation.kind in ("read", "write")
        writes = operation.kind not in ("load", "read")
        execution.check_race(self.names, thread, location, past, writes, is_plain)
        order = execution.order[location]
        first = execution.first_readable(location, past)
        if operation.kind == "read":
            yield self.with_event(execution, thread, operation, ordering, order[-1], None, None)
        elif operation.kind == "write":
            yield self.with_event(execution, thread, operation, ordering, None, operation.value, len(order))
        elif operation.kind == "store":
            for index in range(first, len(order)):
                if not execution.is_updated(location, index):
                    yield self.with_event(execution, thread, operation, ordering, None, operation.value, index + 1)
        else:
            for index in range(first, len(order)):
                yield from self.reading(execution, thread, operation, ordering, index)

    def reading(self, execution, thread, operation, ordering, index):
        """Yields the executions in which a load or an update has read the write with that index."""
        source = execution.order[operation.location][index]
        if operation.accepts and not operation.accepts(source.value):
            return
        new = operation.change(source.value) if operation.change else None
        if new is not None and not execution.is_updated(operation.location, index):
            yield self.with_event(execution, thread, operation, ordering, source, new, index + 1)
        if new is None or operation.is_weak:
            if operation.change:
                ordering = ACQUIRING if "failure" in ordering else RELAXED
            yield self.with_event(execution, thread, operation, ordering, source, None, None)

    def fenced(self, execution, thread, operation, ordering):
        view = execution.views[thread]
        past = view.past | (view.unacquired if "acquire" in ordering else 0)
        bit = self.bit_of(thread, view)
        event = Event(bit, thread, operation, ordering, False, False, None, None, past, 0)
        fenced = past | bit if "release" in ordering else view.fenced
        view = View(view.steps + ((None, None),), past | bit, view.unacquired, fenced)
        return self.with_view(execution, thread, event, execution.order, view)

    def with_event(self, execution, thread, operation, ordering, source, value, place):
        """Returns the execution with an access. It has read from `source`, if any, and has its place in the order."""
        view = execution.views[thread]
        past = view.past
        unacquired = view.unacquired
        if source and operation.kind != "read":
            unacquired |= source.published
            if "acquire" in ordering:
                past |= source.published
        bit = self.bit_of(thread, view)
        writes = place is not None
        published = 0
        if writes and operation.kind != "write":
            published = past | bit if "release" in ordering else view.fenced
            # The release sequence of a write goes on with the updates that read it.
            published |= source.published if source else 0
        event = Event(bit, thread, operation, ordering, source is not None, writes, value, source, past, published)
        order = execution.order
        if writes:
            writes_before = order[event.location]
            order = order | {event.location: (*writes_before[:place], event, *writes_before[place:])}
        result = source.value if source else None
        if operation.kind == "compare":
            result = writes, source.value
        step = result, source.bit if source else None
        view = View(view.steps + (step,), past | bit, unacquired, view.fenced)
        return self.with_view(execution, thread, event, order, view)

    def bit_of(self, thread, view):
        """Returns the bit of a thread's next event. It does not depend on the order in which events are added."""
        if len(view.steps) == MOST_STEPS:
            raise Wrong(f"{self.names[thread]} does not end")
        return 1 << (MOST_STEPS * thread + len(view.steps))

    def with_view(self, execution, thread, event, order, view):
        views = execution.views[:thread] + (view,) + execution.views[thread + 1:]
        return Execution(execution.events + (event,), order, views)

    def trace(self):
        """The events of the wrong execution, one on each line."""
        lines = []
        for event in self.wrong.events:
            if not event.thread:
                continue
            operation = event.operation
            ordering = operation.ordering if isinstance(operation.ordering, str) else "+".join(sorted(event.ordering))
            read = f" reads {event.source.value} of {self.names[event.source.thread]}" if event.reads else ""
            written = f" writes {event.value}" if event.writes else ""
            lines.append(f"{self.names[event.thread]}: {operation.kind} {operation.location} "
                         f"[{ordering}]{read}{written}")
        return lines
