"""A thread installs the signal handler. The handler, on another thread, knows the pipe.

The kernel installs a handler and delivers a signal under a lock of its own. Without that lock no ordering would help,
because the handler would be known by other means than memory.
"""
from programs import ACQUIRING, RELEASING, Location

kernel = Location("kernel")
is_installed = Location("isInstalled")
pipe = Location("pipeForSignals")

INITIAL = {"kernel": 0, "isInstalled": 0, "pipeForSignals": -1}


def adder():
    # `SignalListeners.add`
    yield pipe.store(3, "signal-store")
    # The system call `sigaction`
    yield from acquire()
    yield is_installed.write(1)
    yield from release()


def handler():
    yield from acquire()
    is_called = yield is_installed.read()
    yield from release()
    if is_called:
        assert (yield pipe.load("signal-load")) == 3, "the handler does not know the pipe"


def acquire():
    yield kernel.exchange(1, ACQUIRING, accepts=lambda old: old == 0)


def release():
    yield kernel.store(0, RELEASING)


THREADS = [adder, handler]
