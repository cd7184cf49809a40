"""A thread settles a promise. Another sees it settled, and reads the payload without the lock (rule 8.2)."""
from engine import DONE, Promise

promise = Promise("promise")

INITIAL = {"promise.word": 0, "promise.payload": 0}


def settler():
    # `AnyPromise.settle`
    state = yield from promise.lock()
    yield promise.payload.write(1)
    yield from promise.unlock(state | DONE)


def client():
    # `Promise.result`, `Promise.error`
    if not (yield from promise.acquired_state()) & DONE:
        return
    # `AnyPromise.storedError`
    assert (yield from promise.relaxed_state()) & DONE, "a settled promise is pending again"
    assert (yield promise.payload.read()) == 1, "a settled promise has no payload"


def locker():
    # A section between the settlement and the load does not end the release sequence.
    state = yield from promise.lock()
    yield from promise.unlock(state)


THREADS = [settler, client, locker]
