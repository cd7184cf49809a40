"""The axioms of RC11 as relations between events, and random programs, to test the search of `Scripts/search.py`.

The search builds executions step by step, and skips most orders of the steps. Here every candidate is written down:
each choice of a source for each read, and of the order of the writes. Then the axioms say whether it is an execution.
This takes long, so the programs are small and have no branches.
"""
import dataclasses
import itertools
import random

from programs import (
    ACQUIRING,
    ACQUIRING_AND_RELEASING,
    RELAXED,
    RELEASING,
    SEQUENTIALLY_CONSISTENT,
    Location,
    Program,
    fence,
)

ORDERINGS = {
    "load": [RELAXED, ACQUIRING, SEQUENTIALLY_CONSISTENT],
    "store": [RELAXED, RELEASING, SEQUENTIALLY_CONSISTENT],
    "update": [RELAXED, ACQUIRING, RELEASING, ACQUIRING_AND_RELEASING, SEQUENTIALLY_CONSISTENT],
    "fence": [ACQUIRING, RELEASING, ACQUIRING_AND_RELEASING, SEQUENTIALLY_CONSISTENT],
    "read": [RELAXED],
    "write": [RELAXED],
}


@dataclasses.dataclass(frozen=True)
class Access:
    """An event. Threads are numbered from 1. Thread 0 has written the initial values."""

    thread: int
    index: int
    kind: str
    location: str
    ordering: frozenset
    # The value of a store, or the number that an update adds.
    number: int

    @property
    def reads(self):
        return self.kind in ("load", "update", "read")

    @property
    def writes(self):
        return self.kind in ("store", "update", "write")

    def has(self, effect):
        return effect in self.ordering


# MARK: - Relations, as sets of pairs


def compose(*relations):
    """Returns the pairs that are connected by one step of each relation, in this order."""
    result = relations[0]
    for relation in relations[1:]:
        successors = {}
        for one, other in relation:
            successors.setdefault(one, []).append(other)
        result = {(start, end) for start, middle in result for end in successors.get(middle, ())}
    return result


def closure(relation):
    """Returns the transitive closure."""
    result = set(relation)
    while True:
        longer = result | compose(result, relation)
        if longer == result:
            return result
        result = longer


def is_irreflexive(relation):
    return all(one != other for one, other in relation)


def is_acyclic(relation):
    return is_irreflexive(closure(relation))


class Candidate:
    """Events, what the reads read, and the order of the writes of each location."""

    def __init__(self, events, reads_from, order):
        self.events = events
        identity = {(event, event) for event in events}
        self.identity = identity
        self.program_order = {
            (one, other) for one in events for other in events
            if one.thread == other.thread != 0 and one.index < other.index or one.thread == 0 != other.thread
        }
        self.reads_from = {(write, read) for read, write in reads_from.items()}
        self.order = {
            pair for writes in order.values() for pair in itertools.combinations(writes, 2)
        }
        sources = {(read, write) for write, read in self.reads_from}
        self.from_read = {(read, write) for read, write in compose(sources, self.order) if read != write}
        self.communication = closure(self.reads_from | self.order | self.from_read)
        self.happens_before = closure(self.program_order | self.synchronises())

    def only(self, condition):
        return {(event, event) for event in self.events if condition(event)}

    def synchronises(self):
        """The pairs of a releasing event and an acquiring one that synchronise."""
        identity = self.identity
        fences = self.only(lambda event: event.kind == "fence")
        atomic_writes = self.only(lambda event: event.writes and event.kind != "write")
        atomic_reads = self.only(lambda event: event.reads and event.kind != "read")
        updates = self.only(lambda event: event.kind == "update")
        sequence = compose(atomic_writes, identity | closure(compose(self.reads_from, updates)))
        releasing = self.only(lambda event: event.has("release"))
        acquiring = self.only(lambda event: event.has("acquire"))
        before = compose(releasing, identity | compose(fences, self.program_order))
        after = compose(identity | compose(self.program_order, fences), acquiring)
        return compose(before, sequence, self.reads_from, atomic_reads, after)

    def is_consistent(self):
        """Whether the axioms of RC11 permit the execution."""
        # An update is one event here and two in RC11, of which the read happens before the write.
        coherence = compose(self.happens_before, self.identity | self.communication) | self.communication
        atomicity = compose(self.from_read, self.order)
        return (is_irreflexive(coherence) and is_irreflexive(atomicity) and is_acyclic(self.sequential())
                and is_acyclic(self.program_order | self.reads_from))

    def sequential(self):
        """The relation `psc` of RC11."""
        happens = self.happens_before
        perhaps = self.identity | happens
        elsewhere = {(one, other) for one, other in self.program_order if one.location != other.location}
        at_one_place = {(one, other) for one, other in happens if one.location == other.location and one.location}
        before = (self.program_order | compose(elsewhere, happens, elsewhere) | at_one_place
                  | self.order | self.from_read)
        accesses = self.only(lambda event: event.has("sequential"))
        fences = self.only(lambda event: event.has("sequential") and event.kind == "fence")
        base = compose(accesses | compose(fences, perhaps), before, accesses | compose(perhaps, fences))
        between_fences = compose(fences, happens | compose(happens, self.communication, happens), fences)
        return base | between_fences

    def has_race(self):
        return any(
            one.location == other.location and one.location and (one.writes or other.writes)
            and ("read" in (one.kind, other.kind) or "write" in (one.kind, other.kind))
            and one.thread != other.thread
            and (one, other) not in self.happens_before and (other, one) not in self.happens_before
            for one in self.events for other in self.events
        )


# MARK: - Random programs


def random_threads(seed):
    """Returns the events of a random program, thread by thread."""
    source = random.Random(seed)
    threads = []
    for thread in range(1, source.choice([2, 2, 3]) + 1):
        events = []
        for index in range(source.choice([1, 2, 2, 3]) if thread < 3 else 1):
            kind = source.choice(["load", "load", "store", "store", "update", "fence", "read", "write"])
            location = "" if kind == "fence" else "data" if kind in ("read", "write") else source.choice("xy")
            events.append(Access(thread, index, kind, location, source.choice(ORDERINGS[kind]), 10 * thread + index))
        threads.append(events)
    return threads


def program_of(threads):
    """Returns the program for the search."""
    return Program({"x": 0, "y": 0, "data": 0}, [thread_of(events) for events in threads])


def thread_of(events):
    def thread():
        results = []
        for event in events:
            result = yield operation_of(event)
            if event.reads:
                results.append(result)
        return tuple(results)

    return thread


def operation_of(event):
    location = Location(event.location)
    return {
        "load": lambda: location.load(event.ordering),
        "store": lambda: location.store(event.number, event.ordering),
        "update": lambda: location.add(event.number, event.ordering),
        "fence": lambda: fence(event.ordering),
        "read": location.read,
        "write": lambda: location.write(event.number),
    }[event.kind]()


def outcomes_of(threads):
    """Returns the results of all executions that the axioms permit, or `None` if one of these has a race."""
    initial = [Access(0, index, "write", location, RELAXED, 0) for index, location in enumerate(("x", "y", "data"))]
    events = initial + [event for thread in threads for event in thread]
    reads = [event for event in events if event.reads]
    writes = {start.location: [event for event in events if event.writes and event.location == start.location]
              for start in initial}
    outcomes = set()
    # The initial value is first in each order.
    orders = itertools.product(*(itertools.permutations(written[1:]) for written in writes.values()))
    for orders_of_writes in orders:
        order = {location: (writes[location][0], *rest) for location, rest in zip(writes, orders_of_writes)}
        for sources in itertools.product(*(writes[read.location] for read in reads)):
            reads_from = dict(zip(reads, sources))
            if any(read is write for read, write in reads_from.items()):
                continue
            candidate = Candidate(events, reads_from, order)
            if not candidate.is_consistent():
                continue
            if candidate.has_race():
                return None
            outcomes.add(tuple(
                tuple(value_written(reads_from[event], reads_from) for event in thread if event.reads)
                for thread in threads))
    return outcomes


def value_written(event, reads_from):
    """Returns what a write has written. An update adds to what it has read."""
    if event.kind == "update":
        return event.number + value_written(reads_from[event], reads_from)
    return event.number
