"""Two threads close a ring of adoptions together. At least one of them finds it (rule 3.2).

Each appends its promise to the other's list, and then looks for consumers of its own promise, under its lock. It looks
without a lock whether the other promise waits for its handler alone, and so for no promise.
"""
from engine import Promise
from programs import Location

one = Promise("one")
two = Promise("two")
list_of_one = Location("one.list")
list_of_two = Location("two.list")

CONSUMED = 16
RUNNING = 32
INITIAL = {"one.word": RUNNING, "two.word": RUNNING, "one.list": 0, "two.list": 0}


def adopt(promise, entries, adopted, adopted_entries, looks_under_lock=True):
    # `AnyPromise.beginAdopting`
    state = yield from promise.lock()
    yield from promise.unlock(state & ~RUNNING)
    # `AnyPromise.append`
    state = yield from adopted.lock()
    yield adopted_entries.write(1)
    yield from adopted.unlock(state | CONSUMED)
    # `AnyPromise.lookAgain`
    if looks_under_lock:
        state = yield from promise.lock()
        yield from promise.unlock(state)
    else:
        state = yield from promise.acquired_state()
    # `AnyPromise.checkAdoption`
    if not state & CONSUMED:
        return False
    # `AnyPromise.waitsForHandlerAlone`
    if (yield from adopted.acquired_state()) & RUNNING:
        return False
    # `AnyPromise.search`
    state = yield from promise.lock()
    is_found = yield entries.read()
    yield from promise.unlock(state)
    return bool(is_found)


def first():
    return (yield from adopt(one, list_of_one, two, list_of_two))


def second():
    return (yield from adopt(two, list_of_two, one, list_of_one))


def first_without_lock():
    return (yield from adopt(one, list_of_one, two, list_of_two, looks_under_lock=False))


def second_without_lock():
    return (yield from adopt(two, list_of_two, one, list_of_one, looks_under_lock=False))


THREADS = [first, second]
# Each thread may read an old state, even on x86-64.
BROKEN = {"looks without the lock": [first_without_lock, second_without_lock]}


def check(memory, results):
    assert any(results), "no thread finds a ring"
