"""A thread settles a promise and releases it. Another releases the last reference. `deinit` destroys the payload."""
from engine import DONE, Promise, References

promise = Promise("promise")
references = References("references")

INITIAL = {"promise.word": 0, "promise.payload": 0, "references": 2}


def settler():
    # `AnyPromise.settle`
    state = yield from promise.lock()
    yield promise.payload.write(1)
    yield from promise.unlock(state | DONE)
    yield from release()


def client():
    # `Promise.result`
    if (yield from promise.acquired_state()) & DONE:
        yield promise.payload.read()
    yield from release()


def release():
    if not (yield from references.release()):
        return
    # `AnyPromise.deinit`
    assert (yield from promise.relaxed_state()) & DONE, "the value of a settled promise is not released"
    yield promise.payload.write(0)
    # The memory is released.
    yield promise.word.write(-1)


THREADS = [settler, client]
