"""Three threads find a reason for a notice that is posted once. One of them posts it.

The same holds of the report of a ring, which is taken once.
"""
from executions import RELAXED, Location

was_posted = Location("wasPosted")
posts = Location("posts")

INITIAL = {"wasPosted": 0, "posts": 0}


def one():
    # `PoolLimitNotice.post`, `GlobalQueueNotice.check`, `RegisterNotice.post`, `RingReport.take`
    if (yield was_posted.load("notice-look")):
        return
    if not (yield was_posted.exchange(1, "notice-take")):
        yield posts.add(1, RELAXED)


def two():
    yield from one()


def three():
    yield from one()


THREADS = [one, two, three]


def check(memory, results):
    assert memory["posts"] == 1, "a notice is posted twice, or not at all"
