"""A thread sets flags of the process, and then ends a section of a promise. A thread that sees the section sees them.

The flags are `Finish.use`, `RingReport.sharing`, `Diagnostics.everEnrolled` and the bits of `Diagnostics.activity`.
"""
from engine import DONE, Promise
from programs import Location

promise = Promise("promise")
use = Location("use")
sharing = Location("sharing")
enrolled = Location("everEnrolled")
activity = Location("activity")

TRACING = 1
RECORDER = 8
SCOPE = 64
INITIAL = {"promise.word": 0, "use": 0, "sharing": 0, "everEnrolled": 0, "activity": 0}


def settler():
    # `Diagnostics.set`, `Diagnostics.recordingBegan`, `Diagnostics.scopeBegan`
    yield activity.update(lambda bits: bits | TRACING, "activity-set")
    yield activity.add(RECORDER, "recording-begin")
    yield activity.add(SCOPE, "activity-begin")
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
    # `Diagnostics.isActive`
    bits = yield activity.load("activity-look")
    assert bits >= SCOPE + RECORDER + TRACING, "diagnostics were turned on before, and are off"
    # `Leftovers.announceEnd`
    assert (yield enrolled.load("enrolled-look")), "a promise is enrolled, and none ever was"


def owner():
    # The same under the lock, where a ring is searched.
    state = yield from promise.lock()
    if state & DONE:
        assert (yield use.load("use-look")), "an edge is found, and no finish was ever used"
    yield from promise.unlock(state)
    # `Diagnostics.scopeBegan`, `Diagnostics.scopeEnded`: another scope
    yield activity.add(SCOPE, "activity-begin")
    yield activity.add(-SCOPE, "activity-end")


THREADS = [settler, client, owner]
