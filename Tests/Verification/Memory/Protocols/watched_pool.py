"""A worker keeps a job for itself while the watcher of the pool inspects it. A waiting job has a watcher.

The flag that says whether the pool is watched is read without a lock and without an ordering.
"""
from engine import ShortLock
from programs import Location

pool = ShortLock("pool")
worker_lock = ShortLock("worker")
is_watched = Location("isWatched")
next_job = Location("next")

INITIAL = {"pool": 0, "worker": 0, "isWatched": 1, "next": 0}


def worker():
    # `PoolWorker.keepAsNext`
    yield from worker_lock.acquire()
    yield next_job.write(1)
    yield from worker_lock.release()
    # `Pool.schedule`
    if not (yield is_watched.load("watched-look")):
        # `Pool.watch`
        yield from pool.acquire()
        yield from begin_watching()
        yield from pool.release()


def begin_watching():
    # `Pool.beginWatching`
    if not (yield is_watched.load("watched-look-again")):
        yield is_watched.store(1, "watched-begin")


def watcher():
    # `Pool.inspectWorkers`, `Pool.continueWatchingIfNeeded`
    yield from pool.acquire()
    yield is_watched.store(0, "watched-end")
    # `PoolWorker.hasQueuedJobs`
    yield from worker_lock.acquire()
    is_needed = yield next_job.read()
    yield from worker_lock.release()
    if is_needed:
        yield from begin_watching()
    yield from pool.release()


THREADS = [worker, watcher]


def check(memory, results):
    assert memory["isWatched"], "a job waits, and no watcher inspects the pool"
