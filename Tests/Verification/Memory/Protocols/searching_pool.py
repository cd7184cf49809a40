"""A worker of the pool searches for a job while another thread schedules one. The worker takes it, or one is woken.

The flag that ends the search is stored under the lock, and read without it and without an ordering.
"""
from engine import ShortLock
from programs import Location

pool = ShortLock("pool")
has_job = Location("hasJobForSearch")
waiting = Location("waiting")
running = Location("running")
is_searched = Location("isSearched")
taken = Location("taken")
woken = Location("woken")

INITIAL = {"pool": 0, "hasJobForSearch": 1, "waiting": 0, "running": 1, "isSearched": 0, "taken": 0, "woken": 0}


def worker():
    # `Pool.request`, `Pool.beginSearch`
    yield from pool.acquire()
    if (yield waiting.read()):
        yield from take()
        return
    yield is_searched.write(1)
    yield has_job.store(0, "search-begin")
    yield from pool.release()
    # `Pool.search`: the loop ends with the flag, or with the patience.
    yield has_job.load("search-look")
    # `Pool.request`
    yield from pool.acquire()
    yield is_searched.write(0)
    if (yield waiting.read()):
        yield from take()
        return
    # `Pool.retire`
    yield running.write(0)
    yield from pool.release()


def take():
    yield waiting.write(0)
    yield taken.write(1)
    yield from pool.release()


def scheduler():
    # `Pool.schedule`
    yield from pool.acquire()
    yield waiting.write(1)
    if not (yield running.read()):
        yield woken.write(1)
    elif (yield is_searched.read()):
        yield has_job.store(1, "search-end")
    yield from pool.release()


THREADS = [worker, scheduler]


def check(memory, results):
    assert memory["taken"] or memory["woken"], "a job is forgotten"
