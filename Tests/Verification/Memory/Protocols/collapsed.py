"""A client attaches an entry to an adopter and releases it. Another thread finds the adopter unique, and collapses it.

The test for uniqueness has no ordering. The lock of the adopter, which is tried after it, orders the list.
"""
from engine import FORWARDED, Promise, References
from programs import RELAXED, Location

adopter = Promise("adopter")
references = References("references")
first = Location("adopter.list")

INITIAL = {"adopter.word": 0, "adopter.payload": 0, "references": 2, "adopter.list": 0}


def client():
    # `AnyPromise.append`
    state = yield from adopter.lock()
    yield first.write(1)
    yield from adopter.unlock(state)
    yield from release()


def collapser():
    # `PromisePointer.isUnique`
    if (yield references.number.load(RELAXED)) != 1:
        return
    theirs = yield from adopter.try_lock()
    if theirs is None:
        return
    assert (yield first.read()) == 1, "an entry stays with a collapsed promise"
    yield first.write(0)
    yield adopter.payload.write("adopted")
    yield from adopter.unlock(theirs | FORWARDED)
    yield from release()


def release():
    if (yield from references.release()):
        # `AnyPromise.deinit`, and the memory is released.
        assert (yield from adopter.relaxed_state()) & FORWARDED, "a deallocated promise has an old state"
        yield adopter.word.write(-1)


THREADS = [client, collapser]
