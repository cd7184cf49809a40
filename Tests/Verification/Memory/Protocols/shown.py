"""A thread shows a promise settled while it still has its lock. Another reads the payload at that moment."""
from engine import DONE, Promise, ShortLock

promise = Promise("promise")
stripe = ShortLock("stripe")

INITIAL = {"promise.word": 0, "promise.payload": 0, "stripe": 0}


def settler():
    # `AnyPromise.endSection`
    state = yield from promise.lock()
    yield promise.payload.write(1)
    # `AnyPromise.place`
    yield from stripe.acquire()
    yield from promise.show(state | DONE)
    yield from stripe.release()
    yield from promise.unlock(state | DONE)


def client():
    # `Promise.result`
    if (yield from promise.acquired_state()) & DONE:
        assert (yield promise.payload.read()) == 1, "a settled promise has no payload"


def walker():
    # `TourWalk.walkNextPiece` reads the state under the stripe.
    yield from stripe.acquire()
    yield from promise.relaxed_state()
    yield from stripe.release()


THREADS = [settler, client, walker]
