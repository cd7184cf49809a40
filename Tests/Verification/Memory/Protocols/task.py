"""A Task opens a queue, is suspended, and goes on with another thread, where it opens a second one.

The second part finds the queue of the first part in a task-local value, and finds that it has ended. The executor
orders the parts of a Task. Three kinds of objects are used so.
"""
from programs import ACQUIRING, RELEASING, Location

NAMES = ["queue-ended", "hook-ended", "execution-ended"]
flags = [Location(name) for name in NAMES]
resumed = Location("resumed")

INITIAL = {name: 0 for name in NAMES} | {"resumed": 0}


def first_part():
    # `UnnestedWork.withQueue`, `HookCall.call`, `ExclusiveExecution.run`
    for flag, name in zip(flags, NAMES):
        yield flag.store(1, name)
    # The executor
    yield resumed.store(1, RELEASING)


def second_part():
    yield resumed.load(ACQUIRING, accepts=lambda value: value == 1)
    # `UnnestedWork.withQueue`, `HookCall.call`, `ExclusiveExecution.isRunning`
    for flag, name in zip(flags, NAMES):
        assert (yield flag.load(f"{name}-look")), "a Task uses what has ended"


THREADS = [first_part, second_part]
