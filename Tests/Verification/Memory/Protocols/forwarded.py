"""A promise is collapsed into another one while that is settled and a client asks for the outcome (rule 3.3)."""
from engine import DONE, FORWARDED, Promise, ShortLock

adopter = Promise("adopter")
adopted = Promise("adopted")
stripe = ShortLock("stripe")

INITIAL = {"adopter.word": 0, "adopter.payload": 0, "adopted.word": 0, "adopted.payload": 0, "stripe": 0}


def collapser():
    # `AnyPromise.collapseNewestAdopter`, `AnyPromise.collapse`
    state = yield from adopted.lock()
    if state & DONE:
        yield from adopted.unlock(state)
        return
    # The look without the lock
    yield from adopter.relaxed_state()
    theirs = yield from adopter.try_lock()
    if theirs is None:
        yield from adopted.unlock(state)
        return
    yield adopter.payload.write("adopted")
    yield from stripe.acquire()
    yield from adopter.show(theirs | FORWARDED)
    yield from stripe.release()
    yield from adopter.unlock(theirs | FORWARDED)
    yield from adopted.unlock(state)


def settler():
    # `AnyPromise.settle`
    state = yield from adopted.lock()
    yield adopted.payload.write(1)
    yield from adopted.unlock(state | DONE)


def client():
    # `AnyPromise.resolved`, `AnyPromise.lastForwardee`, `Promise.result`
    if not (yield from adopter.acquired_state()) & FORWARDED:
        return
    assert (yield adopter.payload.read()) == "adopted", "a collapsed promise leads nowhere"
    if (yield from adopted.acquired_state()) & DONE:
        assert (yield adopted.payload.read()) == 1, "a settled promise has no payload"


THREADS = [collapser, settler, client]
