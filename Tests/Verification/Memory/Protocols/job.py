"""A context runs a job on two threads and releases it. One of them runs the handler, and `deinit` drops nothing."""
from engine import References
from programs import RELAXED, Location

is_taken = Location("isTaken")
references = References("references")
entry = Location("entry")
uses = Location("uses")

INITIAL = {"isTaken": 0, "references": 2, "entry": 1, "uses": 0}


def context():
    # `JobBox.take`
    if not (yield is_taken.exchange(1, "job-take")):
        yield from use()
    yield from release()


def other_thread():
    yield from context()


def use():
    yield entry.write(0)
    yield uses.add(1, RELAXED)


def release():
    if (yield from references.release()) and not (yield is_taken.load("job-look")):
        # `JobBox.deinit`
        yield from use()


THREADS = [context, other_thread]


def check(memory, results):
    assert memory["uses"] == 1, "a job is used twice, or not at all"
