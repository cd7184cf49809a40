"""The locks, states and references of the engine, as the protocols use them.

The names of the orderings, in quotes, are those of `orderings.txt`, which says where each stands in the sources.
"""
from programs import ACQUIRING, RELAXED, RELEASING, Location, fence

# Bits of a state word.
LOCKED = 1
DONE = 2
CLOSED = 4
FORWARDED = 8


class ShortLock:
    """`ShortLock`, where it is no `Mutex`."""

    def __init__(self, name):
        self.is_locked = Location(name)

    def acquire(self):
        if (yield self.is_locked.exchange(1, "short-lock")):
            # The loop of `acquireContended` ends with an exchange that finds the lock free. Its earlier loads have no
            # effect.
            yield self.is_locked.load("short-lock-look", accepts=lambda old: old == 0)
            yield self.is_locked.exchange(1, "short-lock-contended", accepts=lambda old: old == 0)

    def release(self):
        yield fence("short-unlock-fence")
        yield self.is_locked.store(0, "short-unlock")


class Promise:
    """The word of a promise, which contains its lock, and its payload."""

    def __init__(self, name):
        self.word = Location(f"{name}.word")
        self.payload = Location(f"{name}.payload")

    def lock(self):
        """`AnyPromise.lock`, a loop that ends with an exchange that finds the lock free. Returns the state."""
        return (yield self.word.update(lambda old: old | LOCKED, "lock", accepts=lambda old: not old & LOCKED))

    def try_lock(self):
        """`AnyPromise.tryLock`. Returns the state, or `None` if another thread has the lock."""
        old = (yield self.word.load("lock-look")) & ~LOCKED
        is_locked, _ = yield self.word.compare_exchange(old, old | LOCKED, "lock")
        return old if is_locked else None

    def unlock(self, state):
        """`AnyPromise.unlock`."""
        yield fence("unlock-fence")
        yield self.word.store(state & ~LOCKED, "unlock")

    def show(self, state):
        """`AnyPromise.show`."""
        yield self.word.store(state | LOCKED, "show")

    def acquired_state(self):
        """`AnyPromise.acquiredState`."""
        return (yield self.word.load("acquired-state"))

    def relaxed_state(self):
        """`AnyPromise.relaxedState`."""
        return (yield self.word.load("relaxed-state"))


class References:
    """The count of references of an object, as Swift's runtime counts them."""

    def __init__(self, name):
        self.number = Location(name)

    def retain(self):
        old = yield self.number.add(1, RELAXED)
        assert old > 0, "a deallocated object is retained"

    def release(self):
        """Returns whether that was the last reference. Then the caller deinitialises the object."""
        old = yield self.number.add(-1, RELEASING)
        if old == 1:
            yield fence(ACQUIRING)
        return old == 1
