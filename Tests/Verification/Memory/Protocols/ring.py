"""Two threads close a ring of adoptions together. At least one of them finds it (rule 3.2).

Each appends its promise to the other's list, and then looks for consumers of its own promise, under its lock.
"""
from engine import Promise
from executions import Location

one = Promise("one")
two = Promise("two")
list_of_one = Location("one.list")
list_of_two = Location("two.list")

CONSUMED = 16
INITIAL = {"one.word": 0, "two.word": 0, "one.list": 0, "two.list": 0}


def adopt(promise, entries, adopted, adopted_entries):
    # `AnyPromise.append`
    state = yield from adopted.lock()
    yield adopted_entries.write(1)
    yield from adopted.unlock(state | CONSUMED)
    # `AnyPromise.lookAgain`
    state = yield from promise.lock()
    yield from promise.unlock(state)
    # `AnyPromise.checkAdoption`
    if not state & CONSUMED:
        return False
    state = yield from promise.lock()
    is_found = yield entries.read()
    yield from promise.unlock(state)
    return bool(is_found)


def first():
    return (yield from adopt(one, list_of_one, two, list_of_two))


def second():
    return (yield from adopt(two, list_of_two, one, list_of_one))


THREADS = [first, second]


def check(memory, results):
    assert any(results), "no thread finds a ring"
