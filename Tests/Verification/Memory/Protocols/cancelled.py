"""A thread ends an entry whose source another thread settles. Both agree on which came first (rule 2.5).

The canceller reads the state of the source without its lock. It may read an old one only if the settling thread has yet
to lock the entry, and will find it ended.
"""
from engine import DONE, Promise
from programs import Location

source = Promise("source")
entry = Promise("entry")
body = Location("entry.body")

ENDED = 16
SCHEDULED = 32
INITIAL = {"source.word": 0, "source.payload": 0, "entry.word": 0, "entry.body": 1}


def settler():
    # `AnyPromise.settle`
    state = yield from source.lock()
    yield source.payload.write(1)
    yield from source.unlock(state | DONE)
    # `AnyPromise.activate`
    state = yield from entry.lock()
    if state & ENDED:
        assert (yield body.read()) == 0, "an entry that has ended keeps its handler"
        yield from entry.unlock(state)
        return "drops"
    yield from entry.unlock(state | SCHEDULED)
    return "schedules"


def canceller():
    # `EndedEntry.endHandler`
    state = yield from entry.lock()
    source_state = yield from source.acquired_state()
    if source_state & DONE:
        # `AnyPromise.amount`
        assert (yield source.payload.read()) == 1, "a settled source has no outcome"
    else:
        assert not state & SCHEDULED, "the source of a scheduled entry is pending"
    yield body.write(0)
    yield from entry.unlock(state | ENDED)


def client():
    # `AnyPromise.summary` reads the state of the source, and its payload.
    if (yield from source.acquired_state()) & DONE:
        yield source.payload.read()


THREADS = [settler, canceller, client]
