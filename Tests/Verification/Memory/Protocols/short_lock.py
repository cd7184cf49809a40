"""Three threads have a section under a `ShortLock`. Each sees what the sections before it have written."""
from engine import ShortLock
from programs import Location

lock = ShortLock("lock")
total = Location("total")

INITIAL = {"lock": 0, "total": 0}


def one():
    yield from lock.acquire()
    value = yield total.read()
    yield total.write(value + 1)
    yield from lock.release()


def two():
    yield from one()


def three():
    yield from one()


THREADS = [one, two, three]


def check(memory, results):
    assert memory["total"] == 3, "a section does not see the one before"
