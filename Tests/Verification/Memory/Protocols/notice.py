"""Two threads find a reason for a notice that is posted once. One of them posts it.

Each kind of notice has a flag of its own. The report of a ring is taken in the same way.
"""
from programs import RELAXED, Location

NAMES = ["notice-take", "limit-notice-take", "register-notice-take", "ring-report-take"]
flags = [Location(name) for name in NAMES]
posts = Location("posts")

INITIAL = {name: 0 for name in NAMES} | {"posts": 0}


def post():
    # `GlobalQueueNotice.check`
    if (yield flags[0].load("notice-look")):
        return
    if not (yield flags[0].exchange(1, NAMES[0])):
        yield posts.add(1, RELAXED)


def take():
    # `PoolLimitNotice.post`, `RegisterNotice.post`, `RingReport.take`
    for flag, name in zip(flags[1:], NAMES[1:]):
        if not (yield flag.exchange(1, name)):
            yield posts.add(1, RELAXED)


def one():
    yield from post()
    yield from take()


def two():
    yield from one()


THREADS = [one, two]


def check(memory, results):
    assert memory["posts"] == len(NAMES), "a notice is posted twice, or not at all"
