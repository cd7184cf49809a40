"""Three threads wake the watch of a promise. Two have reported progress, and the third has settled the promise.

One of them at a time works on the watch, whose field says where it is registered. At the end it is registered nowhere.
"""
from engine import DONE, Promise
from programs import Location

promise = Promise("promise")
requests = Location("requests")
registration = Location("registration")

INITIAL = {"promise.word": 0, "requests": 0, "registration": 0}


def work():
    # `ProgressWatch.work`
    if (yield requests.add(1, "watch-request")) != 0:
        return
    handled = 1
    is_idle = False
    while not is_idle:
        yield from look_again()
        is_idle, handled = yield requests.compare_exchange(handled, 0, "watch-idle")


def look_again():
    # `ProgressWatch.lookAgain`
    if (yield from promise.acquired_state()) & DONE:
        # `PathWatch.unregister`
        if (yield registration.read()):
            yield registration.write(0)
    else:
        # `PathWatch.computeProgress`
        yield registration.write(1)


def reporter():
    yield from work()


def other_reporter():
    yield from work()


def settler():
    # `AnyPromise.settle`, `ProgressWatch.wake`
    state = yield from promise.lock()
    yield from promise.unlock(state | DONE)
    yield from work()


THREADS = [reporter, other_reporter, settler]


def check(memory, results):
    assert memory["registration"] == 0, "the watch of a settled promise stays registered"
    assert memory["requests"] == 0, "the watch is never idle again"
