#!/usr/bin/env python3
"""Generates the families: the variants of PromiseCore's links and observers for the pool, the main actor, an actor, and
the views of `promise.on(context)`, with a call of each variant for the tests. Docs/Decisions/0008-families.md says why.
Also generates the forms of the combinators and of the gates for the main actor and actors, the observers of LazyPromise
with their entries for LeakTests, and topics of the page of Promise.

    generate-families           writes the files
    generate-families --check   fails if a file is out of date, or if a list that is written by hand lacks an operation

The script reads the operations of the families from the declarations in PromiseCore. An operation is a public member of
`extension Promise`, without conditions, that takes a context or an async closure, or that returns a promise and takes
no closure (the views contain these too). `forms.py` says which combinators and gates have forms.
"""
import dataclasses
import re
import sys

from declarations import read_operations
from family import HEADER, Family
from forms import Form, source
from package import ROOT, SWIFT, finish, output_of

CORE = ROOT / "Sources/PromiseCore"
SOURCES = "Sources/PromiseContexts/Families/"
TESTS = "Tests/TestedCalls/FamilyCall+"


# The declarations of PromiseCore


def is_wanted(operation):
    if operation.takes_context:
        return True
    return operation.is_link and (operation.is_async or not operation.closures and "Promise" in operation.result)


def read_links():
    # The declarations in Promise/ come first, because readers look for them.
    files = sorted(CORE.rglob("*.swift"), key=lambda file: (file.parent.name != "Promise", file))
    found = [operation for operation in read_operations(files, "Promise") if operation.extended == "Promise"]
    wanted = [operation for operation in found if is_wanted(operation)]
    symbols = [operation.symbol for operation in wanted]
    for operation in wanted:
        # DocC distinguishes overloads in this way.
        if symbols.count(operation.symbol) > 1:
            operation.symbol += f"-({','.join(p.type.split()[-1] for p in operation.parameters)})"
    return wanted


# The families

ON_MAIN = "Runs on the main actor, so the closure may touch its state"
ON_ACTOR = "Runs on the actor. The closure receives the actor, so it may touch its state"
MAIN = dict(where=ON_MAIN, attribute="@MainActor", note="probe.noteOnMain")
ACTOR = dict(where=ON_ACTOR, first="isolated A", note="$0.note")
FAMILIES = [
    Family(
        name="pool", file="Promise+Bare", where="Runs on ``ExecutionContext/pool``", argument=".pool",
        is_consuming=True,
    ),
    Family(
        name="main", file="Promise+Main", context="on context: MainContext", argument="MainContext.context",
        run="MainContext", place="on: .main", **MAIN,
    ),
    Family(
        name="actor", file="Promise+Isolated", context="isolatedTo actor: A", generics="A: Actor",
        argument="ActorContext(actor)", run="actor", place="isolatedTo: probe.actor", **ACTOR,
    ),
    Family(
        name="onContext", type="PromiseOnContext", file="PromiseOnContext+Links",
        where="Runs on the context of this view",
        async_where="Runs in a Task of its own: a context runs no async closures",
        argument="on: context", more_arguments=", on: context", view=".on(probe.context)", is_consuming=True,
    ),
    Family(
        name="onMain", type="PromiseOnMain", file="PromiseOnMain+Links",
        argument="on: .main", view=".on(.main)", **MAIN,
    ),
    Family(
        name="onActor", type="PromiseOnActor", file="PromiseOnActor+Links", argument="isolatedTo: actor",
        more_generics=", A", more_arguments=", isolatedTo: actor", view=".on(isolatedTo: probe.actor)", **ACTOR,
    ),
]  # fmt: skip
# The tests compare each family with PromiseCore itself.
TESTED = [Family(name="core", place="on: probe.manual"), *FAMILIES]


# The observers of LazyPromise


@dataclasses.dataclass(kw_only=True)
class LazyObserver(Family):
    opening: str = "Starts the work. "

    def result(self, operation):
        return "LazyPromise"

    def call(self, operation):
        return f"withWork {{ $0.{operation.name}({self.argument}, {operation.parameters[-1].name}) }}\nreturn self"

    def leak_test(self, operation):
        label = self.argument.split(":")[0] + (" main" if self.argument == "on: .main" else "")
        return (
            f'lazy("LazyPromise.{operation.name}({label}:_:)") {{ lazy, scene in\n'
            f"lazy.{operation.name}({self.place}) {{ [tracked = scene.capture()] {'_, _' if self.first else '_'} in "
            "tracked.carrying(()) }\n},\n"
        )


LAZY = [
    LazyObserver(
        where="Runs on `context`", context="on context: any ExecutionContext = .pool",
        argument="on: context", place="on: scene.context",
    ),
    LazyObserver(context="on context: MainContext", argument="on: .main", place="on: .main", **MAIN),
    LazyObserver(
        context="isolatedTo actor: A", generics="A: Actor", argument="isolatedTo: actor",
        place="isolatedTo: Owner()", **ACTOR,
    ),
]  # fmt: skip


def lazy_observers(operations):
    observers = [o for o in operations if re.match("on[A-Z]", o.name) and not o.count_types]
    pairs = [(form, operation) for operation in observers for form in LAZY]
    declarations = "\n".join(form.declaration(operation) for form, operation in pairs)
    tests = "".join(form.leak_test(operation) for form, operation in pairs)
    yield "Sources/PromiseCombinators/Families/LazyPromise+Observers.swift", (
        f"{HEADER}public import PromiseContexts\npublic import PromiseCore\n\n"
        f"extension LazyPromise {{\n{declarations}}}\n"
    )
    yield "Tests/LeakTests/Operation+LazyObservers.swift", (
        f"{HEADER}import PromiseCombinators\n\n"
        f"extension Operation {{\nstatic let lazyObservers: [Operation] = [\n{tests}]\n}}\n"
    )


# The forms of the combinators and of the gates

FORMS = {
    "Main": Form(
        label="on: .main", context="on context: MainContext", argument="MainContext.context", run="MainContext",
        attribute="@MainActor", on_place="the main actor",
    ),
    "Isolated": Form(
        label="isolatedTo", context="isolatedTo actor: A", generics="A: Actor", argument="ActorContext(actor)",
        run="actor", first="isolated A", on_place="the actor",
    ),
}  # fmt: skip


def operator_forms():
    for name in "Combinators", "Gates":
        for kind, form in FORMS.items():
            yield f"Sources/Promise{name}/Families/{name}+{kind}.swift", source(f"Promise{name}", form)


# The topics of the page of Promise

TOPICS = CORE / "PromiseCore.docc/Promise.md"
COMBINATORS = ROOT / "Sources/PromiseCombinators/PromiseCombinators.docc/PromiseCombinators.md"
# The groups of the forms for the pool, by the files of the declarations. `onProgress` is in a group with properties.
GROUPS = {
    "Promise+Links": "Links", "Promise+ErrorLinks": "Errors", "Promise+Observers": "Observers",
    "AnyPromise+Progress": None, "Promise+AsyncLinks": "Async links",
}  # fmt: skip
# The groups of combinators that have another title there.
TITLES = {"On the main actor": "Loops and retries on the main actor", "On an actor": "Loops and retries on an actor"}


def topic(operation, family=None):
    if not family or not family.has(operation):
        return f"``{operation.symbol}``"
    parameters = family.insert(family.context, [family.parameter(p) for p in operation.without_context], operation)
    labels = re.findall(r"(?:^|, )(\w+)", re.sub(r"\([^()]*\)|<.*?>", "", parameters))
    return f"``/PromiseContexts/PromiseCore/Promise/{operation.word}({''.join(f'{label}:' for label in labels)})``"


def topics(operations):
    """Returns the page, with its groups of links, observers and combinators."""
    pool, main, actor = FAMILIES[:3]
    files = list(GROUPS)
    links = sorted((o for o in operations if o.file in files), key=lambda o: files.index(o.file))
    others = [o for o in operations if o.file not in files and o.closures]
    groups = {
        title: [topic(o, pool) for o in links if o.file == file] for file, title in GROUPS.items() if title
    } | {
        "Links and observers on any context": [topic(o) for o in links if o.takes_context],
        "Links and observers on the main actor": [topic(o, main) for o in others + links if o.closures],
        "Links and observers on an actor": [topic(o, actor) for o in others + links if o.closures],
    }  # fmt: skip
    for title, lines in re.findall(r"### (.*)\n((?:- .*\n)*)", COMBINATORS.read_text()):
        if found := re.findall(r"``(PromiseCore/Promise/.*``)", lines):
            groups[TITLES.get(title, title)] = [f"``/PromiseCombinators/{symbol}" for symbol in found]
    text = TOPICS.read_text()
    for title, symbols in groups.items():
        lines = "".join(f"- {symbol}\n" for symbol in symbols)
        text, count = re.subn(rf"(?<=### {title}\n)(- .*\n)*", lambda _: lines, text)
        if not count:
            sys.exit(f"{TOPICS.relative_to(ROOT)}: has no group “{title}”")
    return text


# The lists that are written by hand, by the kinds of operations that they omit. Listings of the API make tests and docc
# check all other lists. Operations that return the same promise, and the observer of progress, have tests of their own.
APART = {"bound", "labeled", "onProgress"}
KINDS = "Tests/TestedCalls/LinkKind.swift"
LISTS = {
    # The table has all of LinkKind, which a test checks.
    "Tests/PromiseCoreTests/Cancellation/CancelTruthTable.swift": ["async", "with a handler"],
    KINDS: ["async", "without a handler"],
    "Tests/AllocationTests/LinkMemoryTests.swift": ["async", "without a handler"],
    "Docs/Guides/Chaining.md": ["async", "without a handler"],
}


def forgotten(operations):
    words = [operation.word for operation in operations]
    for name, omitted in LISTS.items():
        text = re.sub(r"(?m)//.*$", "", (ROOT / name).read_text()).partition("<!-- /calls -->")[0]
        for operation, word in zip(operations, words):
            kind = "async" if operation.is_async else "with a handler" if operation.closures else "without a handler"
            # LinkKind calls each overload.
            called = rf"(?m)(\.|^ +case .*\b){word}\b"
            pattern, count = (rf"promise\.{word}\(", words.count(word)) if name == KINDS else (called, 1)
            is_listed = word in APART or kind in omitted or len(re.findall(pattern, text)) >= count
            if operation.is_link and not is_listed:
                yield f"{name}: lacks {word}" + (f", or one of its {count} overloads" if count > 1 else "")


# The files

operations = read_links()
files = {f"{SOURCES}{family.file}.swift": family.source(operations) for family in FAMILIES}
files |= {f"{TESTS}{f.name[0].upper()}{f.name[1:]}.swift": f.tests(operations) for f in TESTED}
files |= dict(lazy_observers(operations))
files |= dict(operator_forms())
formatting = [SWIFT, "format", "--configuration", ".swift-format", "-"]
texts = {ROOT / name: output_of(*formatting, input=text) for name, text in files.items()}
texts[TOPICS] = topics(operations)
stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
if "--check" in sys.argv:
    problems = [f"{path.relative_to(ROOT)}: out of date: make families" for path in stale]
    finish([*problems, *dict.fromkeys(forgotten(operations))])
for path in stale:
    path.write_text(texts[path])
