"""A walk finds a pending promise by its mark in the tour, and retains it, while another thread settles and releases it.

What the walk sees pending is not deallocated: the promise is shown settled under the stripe, and its marks leave the
tour under the stripe before its memory is released (rules 4.3 and 6.1).
"""
from engine import DONE, Promise, References, ShortLock
from programs import Location

member = Promise("member")
stripe = ShortLock("stripe")
references = References("references")
mark = Location("mark")

INITIAL = {"member.word": 0, "stripe": 0, "references": 1, "mark": 1}


def settler():
    # `AnyPromise.endSection`, `AnyPromise.place`
    state = yield from member.lock()
    yield from stripe.acquire()
    yield from member.show(state | DONE)
    yield from stripe.release()
    yield from member.unlock(state | DONE)
    yield from release()


def walker():
    # `TourWalk.walkNextPiece`
    yield from stripe.acquire()
    is_found = False
    if (yield mark.read()):
        is_found = not (yield from member.relaxed_state()) & DONE
    if is_found:
        yield from references.retain()
    yield from stripe.release()
    if is_found:
        yield from release()


def release():
    if not (yield from references.release()):
        return
    # `AnyPromise.deinit`, `AnyPromise.leaveTour`
    yield from member.relaxed_state()
    yield from stripe.acquire()
    yield mark.write(0)
    yield from stripe.release()
    # The memory is released.
    yield member.word.write(-1)


THREADS = [settler, walker]
