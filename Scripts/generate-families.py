#!/usr/bin/env python3
"""Generates the families: the variants of PromiseCore's links and observers for the pool, the main actor, an actor, and
the views of `promise.on(context)`, with a call of each variant for the tests. Docs/Decisions/0008-families.md says why.
Also generates the observers of LazyPromise with their entries for LeakTests, and topics of the page of Promise.

    generate-families           writes the files
    generate-families --check   fails if a file is out of date, or if a list that is written by hand lacks an operation

The script reads the operations from the declarations in PromiseCore. An operation is a public member of
`extension Promise`, without conditions, that takes a context or an async closure, or that returns a promise and takes
no closure (the views contain these too).
"""
import dataclasses
import re
import sys
import textwrap

from package import ROOT, SWIFT, finish, output_of

CORE = ROOT / "Sources/PromiseCore"
SOURCES = "Sources/PromiseContexts/Families/"
TESTS = "Tests/TestedCalls/FamilyCall+"
HEADER = """\
// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.
"""
# How the text of a comment wraps.
WRAPPING = dict(width=120 - len("  /// "), break_long_words=False, break_on_hyphens=False)


# The declarations of PromiseCore


class Parameter:
    # The name of a closure's argument, by its type.
    VALUES = {"Value": "value", "any Error": "error", "E": "error", "Double": "fraction", "": ""}

    def __init__(self, text):
        names, self.type, self.default = parsed(r"([^:]+): (.*?)(?: = (.*))?", text)
        self.label, self.name = (names.split() * 2)[:2]
        self.is_context = self.type == "any ExecutionContext"
        self.is_closure = self.type.startswith("@escaping")
        if self.is_closure:
            pattern = r"@escaping @Sendable \((.*?)\)(.*?) -> (.*)"
            self.argument, self.effects, self.result = parsed(pattern, self.type)
            self.is_async, self.throws = "async" in self.effects, "throws" in self.effects
            self.value = self.VALUES.get(self.argument) or re.match(r"\w*", self.argument)[0].lower()

    def passed(self, expression):
        """Returns the parameter as an argument of a call."""
        return expression if self.label == "_" else f"{self.label}: {expression}"


class Operation:
    def __init__(self, file, comment, attributes, text):
        self.file = file
        head, parameters, self.result = parsed(r"public (.*?)\((.*)\)(?: -> (.*))?", " ".join(text.split()))
        self.kind, self.name, self.generics = parsed(r"(convenience init|static func|func) ?(\S*?)(?:<(.*)>)?", head)
        # Splits at the commas before a label, and not at those inside a type.
        self.parameters = [Parameter(p) for p in re.split(r", (?=\w+(?: \w+)?: )", parameters.strip())]
        self.closures = [p for p in self.parameters if p.is_closure]
        self.without_context = [p for p in self.parameters if not p.is_context]
        self.is_async = any(closure.is_async for closure in self.closures)
        self.is_link = self.kind == "func"
        self.is_discardable = "@discardableResult" in attributes
        self.takes_context = any(p.is_context for p in self.parameters)
        # The types of errors come first, as in `recover(from: E.self, on: context)`.
        self.count_types = sum(p.label in ("from", "only") for p in self.parameters)
        labels = "".join(f"{p.label}:" for p in self.parameters)
        self.word = self.name.strip("`") or "init"
        self.symbol = f"{self.word}({labels})"
        summary = " ".join(re.sub(r"(?m)^ */// ?", "", comment).split("\n\n")[0].split())
        summary = re.sub(r"``(?=\w+\()", "``/PromiseCore/Promise/", summary)
        self.summary = re.sub(r"``(?=PromiseError/)", "``/PromiseCore/", summary)

    @property
    def is_wanted(self):
        return self.takes_context or self.is_link and (self.is_async or not self.closures and "Promise" in self.result)


def parsed(pattern, text):
    """Returns the groups of a pattern. Exits if the text does not match, so that no declaration is overlooked."""
    found = re.fullmatch(pattern, text)
    return found.groups() if found else sys.exit(f"not understood: {text}")


def joined(parts):
    return ", ".join(filter(None, parts))


def read_operations():
    found = []
    # The declarations in Promise/ come first, because readers look for them.
    for file in sorted(CORE.rglob("*.swift"), key=lambda file: (file.parent.name != "Promise", file)):
        for block in re.findall(r"(?ms)^extension Promise \{\n(.*?)^\}", file.read_text()):
            member = r"(?m)((?:^  ///.*\n)*)((?:^  @.*\n)*)^  (public (?!nonisolated)[^:={]*\b(?:func|init)\b[^{]*?) \{"
            found += [Operation(file.stem, *groups) for groups in re.findall(member, block)]
    wanted = [operation for operation in found if operation.is_wanted]
    symbols = [operation.symbol for operation in wanted]
    for operation in wanted:
        # DocC distinguishes overloads in this way.
        if symbols.count(operation.symbol) > 1:
            operation.symbol += f"-({','.join(p.type.split()[-1] for p in operation.parameters)})"
    return wanted


# The variants of a family


@dataclasses.dataclass(kw_only=True)
class Family:
    name: str = ""
    # The extended type, and the file for it.
    type: str = "Promise"
    file: str = ""
    # The beginning of the comment, the place where closures run, and where async closures run, if elsewhere.
    opening: str = ""
    where: str = ""
    async_where: str = ""
    # The parameter for the place, with its generic parameter, and the argument that PromiseCore gets instead.
    context: str = ""
    generics: str = ""
    argument: str = ""
    # The attribute and the first parameter of closures, and the type or object that assumes their isolation.
    attribute: str = "@Sendable"
    first: str = ""
    run: str = ""
    # Of a view, the end of its generic arguments, and of the arguments of its initialiser.
    more_generics: str = ""
    more_arguments: str = ""
    # In the tests, the argument for the place, the call that makes a view, and the function that notes the place.
    place: str = ""
    view: str = ""
    note: str = "probe.note"

    @property
    def is_view(self):
        return self.type != "Promise"

    def has(self, operation):
        if self.is_view:
            return operation.is_link
        # PromiseCore declares `asyncMap { … }`, and `Promise { … }`, which runs its closure in the call.
        is_declared = not self.place and (operation.is_async or operation.kind == "convenience init")
        return operation.closures and not is_declared

    def insert(self, place, parts, operation):
        """Inserts the place among the parameters or arguments, after the types of errors."""
        parts.insert(operation.count_types, place)
        return joined(parts)

    # The declaration in PromiseContexts

    def parameter(self, parameter):
        names = parameter.name if parameter.label == parameter.name else f"{parameter.label} {parameter.name}"
        if parameter.is_closure:
            arguments = joined([self.first, parameter.argument])
            type = f"@escaping {self.attribute} ({arguments}){parameter.effects} -> {parameter.result}"
            return f"{names}: " + (re.sub(r"\bPromise\b(?!<)", "Promise<Value>", type) if self.is_view else type)
        return f"{names}: {parameter.type}" + (f" = {parameter.default}" if parameter.default else "")

    def result(self, operation):
        generic = re.sub("Promise<(.*)>", rf"{self.type}<\1{self.more_generics}>", operation.result or "")
        return self.type if generic == "Promise" else generic

    def closure(self, parameter):
        """Returns the closure that this family passes to PromiseCore."""
        if not self.run or parameter.is_async and not self.first:
            return parameter.name
        first = self.first and ("actor" if parameter.is_async else "$0")
        call = f"{parameter.name}({joined([first, parameter.value])})"
        attempt = "try " if parameter.throws else ""
        inside = f"{attempt}{self.run}.assumeIsolated {{ {attempt}{call} }}"
        body = f"try await {call}" if parameter.is_async else inside
        return f"{{ {f'{parameter.value} in ' if parameter.value else ''}{body} }}"

    def call(self, operation):
        if self.is_view:
            # For async closures, the view of a context calls PromiseCore's declaration.
            place = self.argument if operation.takes_context or operation.is_async and not self.async_where else ""
            arguments = self.insert(place, [p.passed(p.name) for p in operation.without_context], operation)
            return f"{self.result(operation)}(promise.{operation.name}({arguments}){self.more_arguments})"
        arguments = [p.passed(self.closure(p) if p.is_closure else p.name) for p in operation.without_context]
        is_trailing = len(operation.closures) == 1 and arguments[-1].startswith("{")
        trailing = f" {arguments.pop()}" if is_trailing else ""
        place = f"on: {self.argument}" if operation.takes_context else ""
        return f"{operation.name or 'self.init'}({self.insert(place, arguments, operation)}){trailing}"

    def declaration(self, operation):
        where = (self.async_where if operation.is_async else "") or self.where
        if not operation.closures:
            where = "The result is a view of the same kind"
        paragraphs = [self.opening + operation.summary, f"{where}. See ``/PromiseCore/Promise/{operation.symbol}``."]
        comment = "\n\n".join(textwrap.fill(text, **WRAPPING) for text in paragraphs)
        head = f"{operation.kind} {operation.name}".strip()
        generics = joined([self.generics, operation.generics])
        given = [self.parameter(p) for p in operation.without_context]
        return (
            textwrap.indent(comment, "/// ", lambda line: True)
            + "\n@_alwaysEmitIntoClient" + (" @discardableResult" if operation.is_discardable else "")
            + f"\npublic {head}" + (f"<{generics}>" if generics else "")
            + f"({self.insert(self.context, given, operation)})"
            + (f" -> {self.result(operation)}" if operation.result else "")
            + f" {{\n{self.call(operation)}\n}}\n"
        )  # fmt: skip

    def source(self, operations):
        body = "\n".join(self.declaration(operation) for operation in operations if self.has(operation))
        return f"{HEADER}public import PromiseCore\n\nextension {self.type} {{\n{body}}}\n"

    # The calls in the tests

    def handler(self, closure):
        """Returns a closure that notes its argument and returns an answer."""
        answer = {"Void": "", "Bool": "false", "U?": "Optional(7)", "any Error": "ParcelError(7)", "U": "7", "Value": "7"}
        answer |= {"Promise<Cleanup>": "Promise.fulfilled(7)"}
        value = f"${int(bool(self.first))}" if closure.value else '""'
        if closure.value == "deferred":
            return f'{{ {value}.fulfill({self.note}("", 7)) }}'
        return f"{{ {self.note}({joined([value, answer.get(closure.result, '.fulfilled(7)')])}) }}"

    def test(self, operation):
        given = {"to": "Parcel.self", "from": "ParcelError.self", "only": "ParcelError.self"}
        given |= {"weight": "3", "priority": "nil"}
        used = [p for p in operation.parameters if p.is_closure or p.label in given]
        arguments = [p.passed(self.handler(p) if p.is_closure else given[p.label]) for p in used]
        trailing = " " + arguments.pop() if len(operation.closures) == 1 else ""
        place = self.place if operation.takes_context or self.context else ""
        inside = self.insert(place, arguments, operation)
        receiver = f"start{self.view}" if operation.is_link else "Promise<Parcel>"
        name = f".{operation.word}" if operation.name else ""
        call = f"{receiver}{name}" + (f"({inside})" if inside or not trailing else "") + trailing
        start = "start" if operation.is_link else "_"
        symbol = operation.symbol.replace("fileID:line:", "")
        return (
            f'add("{symbol}", {str(operation.is_async).lower()}) {{ {start}, probe in '
            f"{call}{'.promise' if self.is_view else ''} }}\n"
        )

    def tests(self, operations):
        body = "".join(self.test(operation) for operation in operations if operation.closures and self.has(operation))
        return (
            f"{HEADER}import PromiseContexts\n\n"
            f"extension FamilyCall {{\nstatic func {self.name}(_ add: Adding) {{\n{body}}}\n}}\n"
        )


ON_MAIN = "Runs on the main actor, so the closure may touch its state"
ON_ACTOR = "Runs on the actor. The closure receives the actor, so it may touch its state"
MAIN = dict(where=ON_MAIN, attribute="@MainActor", note="probe.noteOnMain")
ACTOR = dict(where=ON_ACTOR, first="isolated A", note="$0.note")
FAMILIES = [
    Family(name="pool", file="Promise+Bare", where="Runs on ``ExecutionContext/pool``", argument=".pool"),
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
        argument="on: context", more_arguments=", on: context", view=".on(probe.context)",
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
    source = "\n".join(form.declaration(operation) for form, operation in pairs)
    tests = "".join(form.leak_test(operation) for form, operation in pairs)
    yield "Sources/PromiseCombinators/Lazy/LazyPromise+Observers.swift", (
        f"{HEADER}public import PromiseContexts\npublic import PromiseCore\n\nextension LazyPromise {{\n{source}}}\n"
    )
    yield "Tests/LeakTests/Operation+LazyObservers.swift", (
        f"{HEADER}import PromiseCombinators\n\n"
        f"extension Operation {{\nstatic let lazyObservers: [Operation] = [\n{tests}]\n}}\n"
    )


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
APART = {"bound", "labelled", "onProgress"}
KINDS = "Tests/TestedCalls/LinkKind.swift"
LISTS = {
    # The table has all of LinkKind, which a test checks.
    "Tests/PromiseCoreTests/Cancellation/CancelTruthTable.swift": ["async", "with a handler"],
    KINDS: ["async", "without a handler"],
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

operations = read_operations()
files = {f"{SOURCES}{family.file}.swift": family.source(operations) for family in FAMILIES}
files |= {f"{TESTS}{f.name[0].upper()}{f.name[1:]}.swift": f.tests(operations) for f in TESTED}
files |= dict(lazy_observers(operations))
formatting = [SWIFT, "format", "--configuration", ".swift-format", "-"]
texts = {ROOT / name: output_of(*formatting, input=text) for name, text in files.items()}
texts[TOPICS] = topics(operations)
stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
if "--check" in sys.argv:
    problems = [f"{path.relative_to(ROOT)}: out of date: make families" for path in stale]
    finish([*problems, *dict.fromkeys(forgotten(operations))])
for path in stale:
    path.write_text(texts[path])
