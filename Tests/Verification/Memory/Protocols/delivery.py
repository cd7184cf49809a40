"""A thread runs the delivery of a value and releases it. `deinit`, on another thread, sees that it has run."""
from engine import References
from programs import Location

has_run = Location("hasRun")
references = References("references")

INITIAL = {"hasRun": 0, "references": 2}


def context():
    # `ProgressObserver.Delivery.run`
    yield has_run.store(1, "delivery-run")
    yield from release()


def observer():
    yield from release()


def release():
    if (yield from references.release()):
        # `ProgressObserver.Delivery.deinit`
        assert (yield has_run.load("delivery-look")), "a value that was delivered counts as dropped"


THREADS = [context, observer]
