"""Executions of small concurrent programs, and when RC11 permits them.

Swift's atomics have the orderings of C11. RC11 (Lahav and others, "Repairing sequential consistency in C/C++11", 2017)
states which executions they permit, and forbids values out of thin air. Release sequences are those of C++20.
"""
import dataclasses
import typing

from programs import Operation


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
    """An execution is wrong: `search.py` says when."""


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
