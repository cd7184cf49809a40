"""A thread settles the last input of a combinator, whose result another thread has cancelled (rule 2.11).

The input has not finished, and the thread that settles it finds the result settled, so it leaves the rest to the
canceller. That one finds no input to depart from, and must see that the input has not finished.
"""
from engine import DONE, Promise
from programs import RELAXED, Location

UNFINISHED = 16

one = Promise("one")
result = Promise("result")
remaining = Location("remaining")
use = Location("use")
waits = Location("waits")

INITIAL = {"one.word": 0, "result.word": 0, "remaining": 1, "use": 0, "waits": 0}


def settler():
    # `Finish.noteUse`, in `Finish.init`
    yield use.store(1, "use-set")
    # `AnyPromise.settle`
    state = yield from one.lock()
    yield from one.unlock(state | DONE | UNFINISHED)
    # `AnyPromise.passFinish`, `AnyPromise.holdFinish`
    state = yield from result.lock()
    if not state & DONE:
        yield waits.store(1, RELAXED)
    yield from result.unlock(state)
    # `Combination.inputSettled`
    yield remaining.add(-1, "countdown")


def canceller():
    # `Cancellation.settle`
    state = yield from result.lock()
    yield from result.unlock(state | DONE)
    # `Combination.depart`. If an input is left, the lock of its observer orders the rest.
    if (yield remaining.load("countdown-look")) != 0:
        return 0
    # `UnfinishedWork.await`
    if (yield use.load("use-look")) and (yield from one.acquired_state()) & UNFINISHED:
        yield waits.store(1, RELAXED)
    return 1


THREADS = [settler, canceller]


def check(memory, results):
    assert memory["waits"] or not results[1], "a result has finished before an input has"
