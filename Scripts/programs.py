"""Small concurrent programs, of which `search.py` finds all executions.

A program has threads and locations. A thread is a generator function that yields operations, receives the value that
each of them has read, and keeps no other state. It checks these values with `assert`.
"""
import dataclasses
import typing

# An ordering is the set of its effects. `failure` acquires if a compare-and-exchange fails.
RELAXED = frozenset()
ACQUIRING = frozenset({"acquire"})
RELEASING = frozenset({"release"})
ACQUIRING_AND_RELEASING = ACQUIRING | RELEASING
SEQUENTIALLY_CONSISTENT = ACQUIRING_AND_RELEASING | {"sequential"}


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
