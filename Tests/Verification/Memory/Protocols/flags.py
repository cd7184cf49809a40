"""A thread sets a flag of the process, and then ends a section of a promise. Who sees the section sees the flag.

Three flags are used so: `Finish.use`, `RingReport.sharing` and `Diagnostics.everEnrolled`.
"""
from engine import DONE, Promise
from executions import Location

promise = Promise("promise")
use = Location("use")
sharing = Location("sharing")
enrolled = Location("everEnrolled")

INITIAL = {"promise.word": 0, "use": 0, "sharing": 0, "everEnrolled": 0}


def settler():
    # `AnyPromise.enroll`
    yield enrolled.store(1, "enrolled-set")
    # `RingReport.share`
    yield sharing.store(1, "sharing-set")
    state = yield from promise.lock()
    # `Finish.noteUse`, in `Finish.init`
    if not (yield use.load("use-look")):
        yield use.store(1, "use-set")
    yield from promise.unlock(state | DONE)


def client():
    if not (yield from promise.acquired_state()) & DONE:
        return
    # `AnyPromise.settleAsOwner`
    assert (yield use.load("use-look")), "a promise is unfinished, and no finish was ever used"
    # `AnyPromise.markDutyPassed`
    assert (yield sharing.load("sharing-look")), "a promise has a report of its ring, and none was ever shared"
    # `SideTable.takeLeftovers`
    assert (yield enrolled.load("enrolled-look")), "a promise is enrolled, and none ever was"


def owner():
    # The same under the lock, where a ring is searched.
    state = yield from promise.lock()
    if state & DONE:
        assert (yield use.load("use-look")), "an edge is found, and no finish was ever used"
    yield from promise.unlock(state)


THREADS = [settler, client, owner]
