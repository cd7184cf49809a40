"""A thread cancels an entry whose source another thread settles, and the source has not finished (rule 2.11).

If the settling thread finds the entry in the list, one of the two makes the entry wait for the finish of the source.
The settling thread looks at the stage of the entry without an ordering. It leaves an entry that has ended to the
canceller.
"""
from engine import DONE, Promise
from programs import RELAXED, Location

source = Promise("source")
entry = Promise("entry")
listed = Location("source.list")
waits = Location("waits")

UNFINISHED = 16
ENDED = 32
INITIAL = {"source.word": 0, "entry.word": 0, "source.list": 1, "waits": 0}


def settler():
    # `AnyPromise.endSection`
    state = yield from source.lock()
    is_listed = yield listed.read()
    yield listed.write(0)
    yield from source.unlock(state | DONE | UNFINISHED)
    # `AnyPromise.activate`
    if is_listed and not (yield from entry.relaxed_state()) & ENDED:
        # `AnyPromise.passFinish`, `AnyPromise.holdFinish`
        state = yield from entry.lock()
        if not state & ENDED:
            yield waits.store(1, RELAXED)
        yield from entry.unlock(state)
    return is_listed


def canceller():
    # `EndedEntry.endHandler`
    state = yield from entry.lock()
    source_state = yield from source.acquired_state()
    yield from entry.unlock(state | ENDED)
    if not source_state & DONE:
        # `Departure.lockAndRemove`
        source_state = yield from source.lock()
        if not source_state & DONE:
            yield listed.write(0)
        yield from source.unlock(source_state)
    # `UnfinishedWork.note`
    if source_state & UNFINISHED:
        yield waits.store(1, RELAXED)


THREADS = [settler, canceller]


def check(memory, results):
    assert memory["waits"] or not results[0], "an entry has finished before its source has"
