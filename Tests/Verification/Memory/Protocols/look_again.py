"""A thread appends an adopter to a list while another ends it, and a third may settle the adopted promise.

One of them takes the adopter out of the list. Each thread writes one thing and then reads the other, which is safe
because both read under a lock.
"""
from engine import DONE, Promise
from programs import Location

adopter = Promise("adopter")
adopted = Promise("adopted")
listed = Location("adopted.list")
stage = Location("adopter.isToLookAgain")

ENDED = 16
INITIAL = {"adopter.word": 0, "adopted.word": 0, "adopted.list": 0, "adopter.isToLookAgain": 1}


def handler():
    # `AnyPromise.append`
    state = yield from adopted.lock()
    if state & DONE:
        yield from adopted.unlock(state)
        return
    yield listed.write(1)
    yield from adopted.unlock(state)
    # `AnyPromise.lookAgain`
    state = yield from adopter.lock()
    if not state & ENDED:
        yield stage.write(0)
    yield from adopter.unlock(state)
    if state & ENDED:
        yield from remove()


def canceller():
    # `EndedEntry.end`
    state = yield from adopter.lock()
    yield stage.read()
    yield from adopter.unlock(state | ENDED)
    yield from remove()


def remove():
    # `Departure.lockAndRemove`
    state = yield from adopted.lock()
    if (yield listed.read()):
        yield listed.write(0)
    yield from adopted.unlock(state)


def settler():
    # `AnyPromise.endSection`
    state = yield from adopted.lock()
    yield listed.write(0)
    yield from adopted.unlock(state | DONE)


THREADS = [handler, canceller, settler]


def check(memory, results):
    assert not memory["adopted.list"], "an adopter that has ended stays in a list"
