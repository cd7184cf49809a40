"""A Task binds an object to a task-local value, ends, and is freed. A later Task has its memory, and so its identity.

The later Task inherits the object from a Task that the first one has created. It must find that the use of the object
has ended. The allocator orders the release of memory before the allocation that uses it again (C11 7.22.3). Three kinds
of objects are used so.
"""
from programs import ACQUIRING, RELEASING, Location

NAMES = ["queue-ended", "hook-ended", "execution-ended"]
flags = [Location(name) for name in NAMES]
free = Location("free")

INITIAL = {name: 0 for name in NAMES} | {"free": 0}


def first_task():
    # `UnnestedWork.withQueue`, `HookCall.call`, `ExclusiveExecution.run`
    for flag, name in zip(flags, NAMES):
        yield flag.store(1, name)
    # The Swift runtime frees the Task.
    yield free.store(1, RELEASING)


def later_task():
    # The Swift runtime allocates a Task.
    yield free.load(ACQUIRING, accepts=lambda value: value == 1)
    # `UnnestedWork.withQueue`, `HookCall.call`, `ExclusiveExecution.isRunning`
    for flag, name in zip(flags, NAMES):
        assert (yield flag.load(f"{name}-look")), "a Task uses what has ended"


THREADS = [first_task, later_task]
