"""Finds all executions of a small concurrent program under RC11, the repaired memory model of C11.

An execution is *wrong* if an assertion fails, if two plain accesses or a plain and an atomic access race, if a thread
waits for a value that never comes, or if a thread does not end.

How the search works: an execution is built one event after the other, each after those that it has read from, so its
events are in an order that contains program order and reads-from. RC11 forbids cycles of these two, so each execution
can be built so. A store, a fence or a plain access of any thread is added as soon as it is the next operation of its
thread: it depends on no choice of another thread, except the place of the store in the order of its location, and all
places are tried. Only the reads of atomic locations branch over the threads and over what they read. Executions that
were reached before are not continued.
"""
from executions import Event, Execution, View, Wrong
from programs import ACQUIRING, RELAXED, Operation

# A thread that takes more steps counts as one that does not end.
MOST_STEPS = 64


class Search:
    """All executions of a program."""

    def __init__(self, program, orderings=None, is_reduced=True, is_broken=False):
        """Searches. Stops at the first wrong execution, whose events are in `wrong`, and its defect in `defect`.

        If the search is not reduced, it branches over the threads at every event. That is slow, and finds the same. If
        the memory is broken, no operation has an ordering, and no update is atomic.
        """
        self.program = program
        self.is_reduced = is_reduced
        self.is_broken = is_broken
        self.orderings = orderings or {}
        self.names = ["the initial value", *(thread.__name__ for thread in program.threads)]
        self.defect = None
        self.wrong = None
        # The threads' results in all executions, and the number of these.
        self.outcomes = set()
        self.count = 0
        self.next_steps = {}
        # The names of orderings that the program has used.
        self.used = set()
        pending = [self.start()]
        known = set()
        while pending:
            execution = pending.pop()
            if execution.key in known:
                continue
            known.add(execution.key)
            try:
                pending += [longer for longer in self.extend(execution) if longer.is_sequential()]
            except Wrong as error:
                self.defect = str(error)
                self.wrong = execution
                return

    def start(self):
        """Returns the execution that has only the initial values."""
        events = []
        for index, (location, value) in enumerate(self.program.initial.items()):
            operation = Operation("write", location, value=value)
            events.append(Event(1 << index, 0, operation, RELAXED, False, True, value, None, 0, 0))
        past = sum(event.bit for event in events)
        views = (View(past=past),) * (len(self.program.threads) + 1)
        return Execution(tuple(events), {event.location: (event,) for event in events}, views)

    def next_step(self, thread, steps):
        """Returns the next operation of a thread that has received these results, or its own result in a tuple."""
        key = thread, tuple(result for result, _ in steps)
        if key not in self.next_steps:
            self.next_steps[key] = self.replay(*key)
        return self.next_steps[key]

    def replay(self, thread, results):
        generator = self.program.threads[thread - 1]()
        try:
            operation = next(generator)
            for result in results:
                operation = generator.send(result)
            return operation
        except StopIteration as end:
            return (end.value,)
        except AssertionError as error:
            return Wrong(f"{self.names[thread]}: {error or 'an assertion fails'}")

    def extend(self, execution):
        """Returns the executions with one more event, or records the end."""
        steps = [self.next_step(thread, execution.views[thread].steps)
                 for thread in range(1, len(execution.views))]
        for step in steps:
            if isinstance(step, Wrong):
                raise step
        operations = [(thread, step) for thread, step in enumerate(steps, 1) if isinstance(step, Operation)]
        for thread, operation in operations:
            if self.is_reduced and operation.kind in ("store", "fence", "read", "write"):
                return list(self.perform(execution, thread, operation))
        longer = [new for thread, operation in operations for new in self.perform(execution, thread, operation)]
        if not operations:
            self.end(execution, tuple(step[0] for step in steps))
        elif not longer:
            raise Wrong(f"hangs: {', '.join(self.names[thread] for thread, _ in operations)}")
        return longer

    def end(self, execution, results):
        self.count += 1
        self.outcomes.add(results)
        if self.program.check:
            try:
                self.program.check(execution.memory, results)
            except AssertionError as error:
                raise Wrong(f"at the end: {error or 'an assertion fails'}") from error

    def ordering_of(self, operation):
        if isinstance(operation.ordering, str):
            self.used.add(operation.ordering)
            ordering = self.orderings[operation.ordering]
        else:
            ordering = operation.ordering
        return RELAXED if self.is_broken else ordering

    def has_place_after(self, execution, location, index):
        """Whether a write may follow that one: nothing comes between an update and the write that it has read."""
        return self.is_broken or not execution.is_updated(location, index)

    def perform(self, execution, thread, operation):
        """Yields the executions in which a thread has performed its next operation."""
        past = execution.views[thread].past
        ordering = self.ordering_of(operation)
        location = operation.location
        if operation.kind == "fence":
            yield self.fenced(execution, thread, operation, ordering)
            return
        is_plain = operation.kind in ("read", "write")
        writes = operation.kind not in ("load", "read")
        execution.check_race(self.names, thread, location, past, writes, is_plain)
        order = execution.order[location]
        first = execution.first_readable(location, past)
        if operation.kind == "read":
            yield self.with_event(execution, thread, operation, ordering, order[-1], None, None)
        elif operation.kind == "write":
            yield self.with_event(execution, thread, operation, ordering, None, operation.value, len(order))
        elif operation.kind == "store":
            for index in range(first, len(order)):
                if self.has_place_after(execution, location, index):
                    yield self.with_event(execution, thread, operation, ordering, None, operation.value, index + 1)
        else:
            for index in range(first, len(order)):
                yield from self.reading(execution, thread, operation, ordering, index)

    def reading(self, execution, thread, operation, ordering, index):
        """Yields the executions in which a load or an update has read the write with that index."""
        source = execution.order[operation.location][index]
        if operation.accepts and not operation.accepts(source.value):
            return
        new = operation.change(source.value) if operation.change else None
        if new is not None and self.has_place_after(execution, operation.location, index):
            yield self.with_event(execution, thread, operation, ordering, source, new, index + 1)
        if new is None or operation.is_weak:
            if operation.change:
                ordering = ACQUIRING if "failure" in ordering else RELAXED
            yield self.with_event(execution, thread, operation, ordering, source, None, None)

    def fenced(self, execution, thread, operation, ordering):
        view = execution.views[thread]
        past = view.past | (view.unacquired if "acquire" in ordering else 0)
        bit = self.bit_of(thread, view)
        event = Event(bit, thread, operation, ordering, False, False, None, None, past, 0)
        fenced = past | bit if "release" in ordering else view.fenced
        view = View(view.steps + ((None, None),), past | bit, view.unacquired, fenced)
        return self.with_view(execution, thread, event, execution.order, view)

    def with_event(self, execution, thread, operation, ordering, source, value, place):
        """Returns the execution with an access. It has read from `source`, if any, and has its place in the order."""
        view = execution.views[thread]
        past = view.past
        unacquired = view.unacquired
        if source and operation.kind != "read":
            unacquired |= source.published
            if "acquire" in ordering:
                past |= source.published
        bit = self.bit_of(thread, view)
        writes = place is not None
        published = 0
        if writes and operation.kind != "write":
            published = past | bit if "release" in ordering else view.fenced
            # The release sequence of a write goes on with the updates that read it.
            published |= source.published if source else 0
        event = Event(bit, thread, operation, ordering, source is not None, writes, value, source, past, published)
        order = execution.order
        if writes:
            writes_before = order[event.location]
            order = order | {event.location: (*writes_before[:place], event, *writes_before[place:])}
        result = source.value if source else None
        if operation.kind == "compare":
            result = writes, source.value
        step = result, source.bit if source else None
        view = View(view.steps + (step,), past | bit, unacquired, view.fenced)
        return self.with_view(execution, thread, event, order, view)

    def bit_of(self, thread, view):
        """Returns the bit of a thread's next event. It does not depend on the order in which events are added."""
        if len(view.steps) == MOST_STEPS:
            raise Wrong(f"{self.names[thread]} does not end")
        return 1 << (MOST_STEPS * thread + len(view.steps))

    def with_view(self, execution, thread, event, order, view):
        views = execution.views[:thread] + (view,) + execution.views[thread + 1:]
        return Execution(execution.events + (event,), order, views)

    def trace(self):
        """The events of the wrong execution, one on each line."""
        lines = []
        for event in self.wrong.events:
            if not event.thread:
                continue
            operation = event.operation
            ordering = operation.ordering if isinstance(operation.ordering, str) else "+".join(sorted(event.ordering))
            read = f" reads {event.source.value} of {self.names[event.source.thread]}" if event.reads else ""
            written = f" writes {event.value}" if event.writes else ""
            lines.append(f"{self.names[event.thread]}: {operation.kind} {operation.location} "
                         f"[{ordering}]{read}{written}")
        return lines
