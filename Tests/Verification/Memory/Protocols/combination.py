"""Three threads settle the inputs of a combinator. The one that counts down to 0 reads the outcomes of all.

It reads an input through its state. If it could read an old state, an acquiring load would order nothing.
"""
from engine import DONE, Promise
from programs import Location

one = Promise("one")
two = Promise("two")
three = Promise("three")
remaining = Location("remaining")

INITIAL = {
    "one.word": 0, "one.payload": 0, "two.word": 0, "two.payload": 0, "three.word": 0, "three.payload": 0,
    "remaining": 3,
}


def settle(promise):
    # `AnyPromise.settle`
    state = yield from promise.lock()
    yield promise.payload.write(1)
    yield from promise.unlock(state | DONE)
    # `Combination.inputSettled`
    if (yield remaining.add(-1, "countdown")) != 1:
        return 0
    # The rule of `Promise.allSettled`
    yield from read_outcome(one)
    yield from read_outcome(two)
    yield from read_outcome(three)
    # `Combination.depart`
    assert (yield remaining.load("countdown-look")) == 0, "the thread that has counted down to 0 sees more"
    return 1


def read_outcome(promise):
    # `AnyPromise.settledError`: `resolved`, then `storedError`
    yield from promise.acquired_state()
    assert (yield from promise.relaxed_state()) & DONE, "an input that was counted is pending"
    assert (yield promise.payload.read()) == 1, "an input that was counted has no outcome"


def first():
    return (yield from settle(one))


def second():
    return (yield from settle(two))


def third():
    return (yield from settle(three))


THREADS = [first, second, third]


def check(memory, results):
    assert sum(results) == 1, "not one of the inputs is the last"
