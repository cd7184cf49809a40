"""A thread makes a pending promise and a settled one, and passes both to another thread by means of the program.

Their words have no ordering when they are made. The program orders the two threads, as it must to pass anything.
"""
from engine import CLOSED, DONE, Promise
from programs import ACQUIRING, RELEASING, Location

pending = Promise("pending")
settled = Promise("settled")
passed = Location("passed")

# The memory of a new object contains anything.
UNKNOWN = 1 << 10
INITIAL = {"pending.word": UNKNOWN, "settled.word": UNKNOWN, "settled.payload": 0, "passed": 0}


def maker():
    # `AnyPromise.init`
    yield pending.word.store(0, "new-promise")
    yield settled.payload.write(1)
    yield settled.word.store(DONE | CLOSED, "new-settled-promise")
    yield passed.store(1, RELEASING)


def client():
    if not (yield passed.load(ACQUIRING)):
        return
    # `Promise.result`
    assert not (yield from pending.acquired_state()) & (UNKNOWN | DONE), "a new promise is not pending"
    assert (yield from settled.acquired_state()) & DONE, "a promise that was made settled is pending"
    assert (yield settled.payload.read()) == 1, "a promise that was made settled has no payload"
    # `AnyPromise.attach`
    state = yield from pending.lock()
    assert not state & UNKNOWN, "a promise is known before it has a state"
    yield from pending.unlock(state)


THREADS = [maker, client]
