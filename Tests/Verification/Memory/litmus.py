"""The classic litmus tests of weak memory, each with the verdict of RC11.

They test the search of `Scripts/search.py`. A test is `allowed` if some execution has the results that its
condition describes, and `forbidden` if none has. `races` and `hangs` are defects of an execution, and `fails` is an
assertion.
"""
import dataclasses
import typing

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

x = Location("x")
y = Location("y")
data = Location("data")


@dataclasses.dataclass
class Litmus:
    """A test."""

    name: str
    verdict: str
    threads: list
    # Whether the threads' results are those in question.
    condition: typing.Callable = lambda results: False
    # Asserts something at the end of each execution.
    check: typing.Callable | None = None

    @property
    def program(self):
        return Program({"x": 0, "y": 0, "data": 0}, self.threads, self.check)


def storing(*stores):
    """Returns a thread that stores, and has no result."""

    def writer():
        for location, value, ordering in stores:
            yield location.store(value, ordering)

    return writer


def loading(*loads):
    """Returns a thread that loads, and whose result is what it has read."""

    def reader():
        results = []
        for location, ordering in loads:
            results.append((yield location.load(ordering)))
        return tuple(results)

    return reader


def storing_and_loading(location, value, other, ordering, between=None):
    """Returns a thread that stores to one location and then loads another one."""

    def thread():
        yield location.store(value, ordering)
        if between is not None:
            yield fence(between)
        return (yield other.load(ordering))

    return thread


def loading_and_storing(location, other, value, ordering):
    """Returns a thread that loads one location and then stores to another one."""

    def thread():
        result = yield location.load(ordering)
        yield other.store(value, ordering)
        return result

    return thread


def publishing(ordering, before=None):
    """Returns a thread that writes the data, and then sets the flag `x`."""

    def publisher():
        yield data.write(1)
        if before is not None:
            yield fence(before)
        yield x.store(1, ordering)

    return publisher


def receiving(ordering, flag=1, after=None):
    """Returns a thread that reads the data if it sees the flag."""

    def receiver():
        seen = yield x.load(ordering)
        if seen != flag:
            return None
        if after is not None:
            yield fence(after)
        return (yield data.read())

    return receiver


def adding(ordering):
    def adder():
        return (yield x.add(1, ordering))

    return adder


def comparing(ordering, is_weak=False):
    def comparer():
        exchanged, _ = yield x.compare_exchange(0, 1, ordering, is_weak)
        return exchanged

    return comparer


def failing_exchange_that_saw():
    """A thread that reads the data if a compare-and-exchange, which acquires on failure, has seen the flag."""
    _, seen = yield x.compare_exchange(7, 8, frozenset({"failure"}))
    if not seen:
        return None
    return (yield data.read())


def relaxed_failing_exchange_that_saw():
    """The same, without acquiring on failure."""
    _, seen = yield x.compare_exchange(7, 8, ACQUIRING_AND_RELEASING)
    if not seen:
        return None
    return (yield data.read())


def locking(acquire, release):
    """Returns a thread that increments the data under a lock."""

    def locker():
        yield x.exchange(1, acquire, accepts=lambda old: old == 0)
        value = yield data.read()
        yield data.write(value + 1)
        yield x.store(0, release)

    return locker


def waiting():
    """A thread that waits for a value that no thread writes."""
    yield x.load(ACQUIRING, accepts=lambda value: value == 9)


def overwriting():
    """A thread that publishes with the flag, and then sets the flag again without an ordering."""
    yield data.write(1)
    yield x.store(1, RELEASING)
    yield x.store(2, RELAXED)


def all_were_added(memory, results):
    assert memory["x"] == 2, "an addition is lost"


def none_is_lost(memory, results):
    assert memory["x"] in (6, 5), "a store comes between an update and the value that this has read"


def all_were_counted(memory, results):
    assert memory["data"] == 2, "a section is lost"


def is_stale(results):
    """Two loads, of which the second has not read what was written before that which the first has read."""
    return results[-1] == (1, 0)


def both_are_old(results):
    return results[0] == 0 and results[1] == 0


def disagree(results):
    return results[2] == (1, 0) and results[3] == (1, 0)


def message(store, load):
    return [storing((y, 1, RELAXED), (x, 1, store)), loading((x, load), (y, RELAXED))]


def buffers(ordering, between=None):
    return [storing_and_loading(x, 1, y, ordering, between), storing_and_loading(y, 1, x, ordering, between)]


def independent(store, load):
    writers = [storing((x, 1, store)), storing((y, 1, store))]
    return [*writers, loading((x, load), (y, load)), loading((y, load), (x, load))]


def independent_with_fences():
    def reader(first, second):
        def thread():
            one = yield first.load(RELAXED)
            yield fence(SEQUENTIALLY_CONSISTENT)
            other = yield second.load(RELAXED)
            return one, other

        return thread

    return [storing((x, 1, RELAXED)), storing((y, 1, RELAXED)), reader(x, y), reader(y, x)]


def writes_in_turn(ordering):
    """2+2W: at the end both locations have the value of the first store of each thread."""

    def observer():
        return None
        yield

    return [storing((x, 1, ordering), (y, 2, ordering)), storing((y, 1, ordering), (x, 2, ordering)), observer]


def causality(ordering_of_store, ordering_of_load):
    """WRC: a second thread passes on what it has read."""

    def passer():
        seen = yield x.load(ordering_of_load)
        yield y.store(seen, ordering_of_store)

    return [storing((x, 1, RELAXED)), passer, loading((y, ordering_of_load), (x, RELAXED))]


def reading_back():
    yield x.store(1, RELAXED)
    return (yield x.load(RELAXED))


def reading_then_writing():
    seen = yield x.load(RELAXED)
    yield x.store(1, RELAXED)
    return seen


def first_stores_are_last(memory, results):
    assert not (memory["x"] == 1 and memory["y"] == 1), "the first stores are the last"


RA = ACQUIRING_AND_RELEASING
SC = SEQUENTIALLY_CONSISTENT
TESTS = [
    Litmus("MP relaxed", "allowed", message(RELAXED, RELAXED), is_stale),
    Litmus("MP release, relaxed", "allowed", message(RELEASING, RELAXED), is_stale),
    Litmus("MP relaxed, acquire", "allowed", message(RELAXED, ACQUIRING), is_stale),
    Litmus("MP release, acquire", "forbidden", message(RELEASING, ACQUIRING), is_stale),
    Litmus("MP plain, release, acquire", "forbidden", [publishing(RELEASING), receiving(ACQUIRING)],
           lambda results: results[1] == 0),
    Litmus("MP plain, relaxed, acquire", "races", [publishing(RELAXED), receiving(ACQUIRING)]),
    Litmus("MP plain, release, relaxed", "races", [publishing(RELEASING), receiving(RELAXED)]),
    Litmus("MP plain, two fences", "forbidden", [publishing(RELAXED, RELEASING), receiving(RELAXED, 1, ACQUIRING)],
           lambda results: results[1] == 0),
    Litmus("MP plain, releasing fence, acquire", "forbidden", [publishing(RELAXED, RELEASING), receiving(ACQUIRING)],
           lambda results: results[1] == 0),
    Litmus("MP plain, only a releasing fence", "races", [publishing(RELAXED, RELEASING), receiving(RELAXED)]),
    Litmus("MP plain, only an acquiring fence", "races", [publishing(RELAXED), receiving(RELAXED, 1, ACQUIRING)]),
    Litmus("SB relaxed", "allowed", buffers(RELAXED), both_are_old),
    Litmus("SB release, acquire", "allowed", buffers(RA), both_are_old),
    Litmus("SB sequentially consistent", "forbidden", buffers(SC), both_are_old),
    Litmus("SB two fences", "forbidden", buffers(RELAXED, SC), both_are_old),
    Litmus("SB two acquiring and releasing fences", "allowed", buffers(RELAXED, RA), both_are_old),
    Litmus("SB one of two is sequentially consistent", "allowed",
           [storing_and_loading(x, 1, y, SC), storing_and_loading(y, 1, x, RA)], both_are_old),
    Litmus("LB relaxed", "forbidden", [loading_and_storing(x, y, 1, RELAXED), loading_and_storing(y, x, 1, RELAXED)],
           lambda results: results == (1, 1)),
    Litmus("IRIW release, acquire", "allowed", independent(RELEASING, ACQUIRING), disagree),
    Litmus("IRIW sequentially consistent", "forbidden", independent(SC, SC), disagree),
    Litmus("IRIW fences", "forbidden", independent_with_fences(), disagree),
    Litmus("CoRR relaxed", "forbidden", [storing((x, 1, RELAXED)), loading((x, RELAXED), (x, RELAXED))], is_stale),
    Litmus("CoRR, two readers", "forbidden",
           [storing((x, 1, RELAXED)), storing((x, 2, RELAXED)),
            loading((x, RELAXED), (x, RELAXED)), loading((x, RELAXED), (x, RELAXED))],
           lambda results: results[2] == (1, 2) and results[3] == (2, 1)),
    Litmus("CoWR relaxed", "forbidden", [reading_back], lambda results: results[0] == 0),
    Litmus("CoRW relaxed", "forbidden", [reading_then_writing], lambda results: results[0] == 1),
    Litmus("2+2W relaxed", "fails", writes_in_turn(RELAXED), check=first_stores_are_last),
    Litmus("2+2W release", "fails", writes_in_turn(RELEASING), check=first_stores_are_last),
    Litmus("2+2W sequentially consistent", "holds", writes_in_turn(SC), check=first_stores_are_last),
    Litmus("WRC relaxed", "allowed", causality(RELAXED, RELAXED), is_stale),
    Litmus("WRC release, acquire", "forbidden", causality(RELEASING, ACQUIRING), is_stale),
    Litmus("release sequence with an update", "forbidden",
           [publishing(RELEASING), adding(RELAXED), receiving(ACQUIRING, 2)], lambda results: results[2] == 0),
    Litmus("release sequence with two updates", "forbidden",
           [publishing(RELEASING), adding(RELAXED), adding(RELAXED), receiving(ACQUIRING, 3)],
           lambda results: results[3] == 0),
    Litmus("no release sequence with a store of another thread", "races",
           [publishing(RELEASING), storing((x, 2, RELAXED)), receiving(ACQUIRING, 2)]),
    Litmus("no release sequence with a store of the same thread", "races", [overwriting, receiving(ACQUIRING, 2)]),
    Litmus("two additions", "holds", [adding(RELAXED), adding(RELAXED)], check=all_were_added),
    Litmus("an addition and a store", "holds", [adding(RELAXED), storing((x, 5, RELAXED))], check=none_is_lost),
    Litmus("two additions, one old value", "forbidden", [adding(RELAXED), adding(RELAXED)],
           lambda results: results[0] == results[1]),
    Litmus("two exchanges, two win", "forbidden", [comparing(RELAXED), comparing(RELAXED)],
           lambda results: results[0] and results[1]),
    Litmus("two exchanges, none wins", "forbidden", [comparing(RELAXED), comparing(RELAXED)],
           lambda results: not results[0] and not results[1]),
    Litmus("two weak exchanges, none wins", "allowed", [comparing(RELAXED, True), comparing(RELAXED, True)],
           lambda results: not results[0] and not results[1]),
    Litmus("a failing exchange acquires", "forbidden", [publishing(RELEASING), failing_exchange_that_saw],
           lambda results: results[1] == 0),
    Litmus("a failing exchange does not acquire", "races", [publishing(RELEASING), relaxed_failing_exchange_that_saw]),
    Litmus("a lock", "holds", [locking(ACQUIRING, RELEASING), locking(ACQUIRING, RELEASING)], check=all_were_counted),
    Litmus("a lock that does not acquire", "races", [locking(RELAXED, RELEASING), locking(RELAXED, RELEASING)]),
    Litmus("a lock that does not release", "races", [locking(ACQUIRING, RELAXED), locking(ACQUIRING, RELAXED)]),
    Litmus("a value that never comes", "hangs", [storing((x, 1, RELAXED)), waiting]),
]
