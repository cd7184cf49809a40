"""A thread attaches an entry while another settles the source. The handler runs once, and sees the outcome.

The entry is new: its word and its fields are written without an ordering, and become known by the list of the source.
"""
from engine import CLOSED, DONE, Promise
from programs import Location

source = Promise("source")
entry = Promise("entry")
first = Location("source.list")
body = Location("entry.body")
runs = Location("runs")

# The memory of a new object contains anything.
UNKNOWN = 1 << 10
INITIAL = {
    "source.word": 0, "source.payload": 0, "source.list": 0,
    "entry.word": UNKNOWN, "entry.body": 0, "runs": 0,
}


def attacher():
    # `Entry.init`, `AnyPromise.hold`
    yield entry.word.store(0, "new-entry")
    yield body.write(1)
    # `AnyPromise.append`
    state = yield from source.lock()
    if not state & DONE:
        yield first.write(1)
        yield from source.unlock(state)
        return
    # `AnyPromise.appendLate`
    assert state & CLOSED, "nothing is in the list of a promise that is not closed"
    yield from source.unlock(state)
    yield from fire()


def settler():
    # `AnyPromise.settle`, `AnyPromise.endSection`
    state = yield from source.lock()
    yield source.payload.write(1)
    is_attached = yield first.read()
    yield first.write(0)
    yield from source.unlock(state | DONE if is_attached else state | DONE | CLOSED)
    if not is_attached:
        return
    yield from fire()
    # `AnyPromise.close`
    state = yield from source.lock()
    yield from source.unlock(state | CLOSED)


def fire():
    # `AnyPromise.activate`. The outcome is relaxed, because this thread has settled the source or has had its lock.
    assert (yield from source.relaxed_state()) & DONE, "the source of a fired entry is pending"
    state = yield from entry.lock()
    assert not state & UNKNOWN, "an entry is known before it has a state"
    assert (yield body.read()) == 1, "an entry is known before it has a body"
    yield from entry.unlock(state)
    # The handler reads the outcome.
    assert (yield source.payload.read()) == 1, "a handler runs before there is an outcome"
    yield runs.add(1, frozenset())


def canceller():
    # Another section of the source, which changes nothing here.
    state = yield from source.lock()
    yield from source.unlock(state)


THREADS = [attacher, settler, canceller]


def check(memory, results):
    assert memory["runs"] == 1, "a handler runs twice, or not at all"
