#!/usr/bin/env python3
"""Generates the families: the variants of PromiseCore's links and observers for the pool, the main actor, an actor, and
the views of `promise.on(context)`, with a call of each variant for the tests. Docs/Decisions/0008-families.md says why.

    generate-families           writes the files
    generate-families --check   fails if a file is out of date, or if a list that is written by hand lacks an operation

The script reads the operations from the declarations in PromiseCore. An operation is a public member of
`extension Promise`, without conditions, that takes a context or an async closure, or that returns a promise and takes
no closure (the views contain these too).
"""
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORE = ROOT / "Sources/PromiseCore"
SOURCES = "Sources/PromiseContexts/Families/"
TESTS = "Tests/LinkFamilies/"
HEADER = "// Written by Scripts/generate-families.py from the declarations in PromiseCore. Do not edit it: `make families`.\n"
WIDTH = 120


# The declarations of PromiseCore


class Closure:
    """A type such as `@escaping @Sendable (Value) throws -> U`."""

    # The name of a closure's argument, by its type.
    NAMES = {"Value": "value", "any Error": "error", "E": "error", "Double": "fraction", "": ""}

    def __init__(self, text):
        self.argument, self.effects, self.result = parsed(r"@escaping @Sendable \((.*?)\)(.*?) -> (.*)", text)
        self.is_async, self.throws = "async" in self.effects, "throws" in self.effects
        self.name = self.NAMES.get(self.argument) or re.match(r"\w*", self.argument)[0].lower()

    def type(self, attribute="@Sendable", first=""):
        arguments = ", ".join(filter(None, [first, self.argument]))
        return f"@escaping {attribute} ({arguments}){self.effects} -> {self.result}"


class Parameter:
    def __init__(self, text):
        names, self.type, self.default = parsed(r"([^:]+): (.*?)(?: = (.*))?", text)
        self.label, self.name = (names.split() * 2)[:2]
        self.closure = Closure(self.type) if self.type.startswith("@escaping") else None
        self.is_context = self.type == "any ExecutionContext"

    def passed(self, expression=None):
        """Returns the parameter as an argument of a call."""
        return ("" if self.label == "_" else f"{self.label}: ") + (expression or self.name)


class Operation:
    def __init__(self, summary, attributes, text):
        head, parameters, self.result = parsed(r"public (.*?)\((.*)\)(?: -> (.*))?", text)
        self.kind, self.name, generics = parsed(r"(convenience init|static func|func) ?(\S*?)(<.*>)?", head)
        self.generics = generics[1:-1].split(", ") if generics else []
        self.parameters = [Parameter(p) for p in split(parameters)]
        self.closures = [p.closure for p in self.parameters if p.closure]
        self.is_async = any(closure.is_async for closure in self.closures)
        self.is_link = self.kind == "func"
        self.is_discardable = "@discardableResult" in attributes
        self.takes_context = any(p.is_context for p in self.parameters)
        # The types of errors, which come first, as in `recover(from: E.self, on: context)`.
        self.count_types = sum(p.label in ("from", "only") for p in self.parameters)
        labels = "".join(f"{p.label}:" for p in self.parameters)
        self.symbol = f"{self.name.strip('`') or 'init'}({labels})"
        self.summary = re.sub(r"``(\w+\(|PromiseError/)", self.absolute, summary)

    @staticmethod
    def absolute(link):
        return f"``/PromiseCore/{'Promise/' if link[1].endswith('(') else ''}{link[1]}"

    @property
    def is_wanted(self):
        return self.takes_context or self.is_link and (self.is_async or not self.closures and "Promise" in self.result)


def parsed(pattern, text):
    """Returns the groups of a pattern. Exits if the text does not match, so that no declaration is overlooked."""
    found = re.fullmatch(pattern, text)
    return found.groups() if found else sys.exit(f"not understood: {text}")


def split(text):
    """Splits at the commas outside brackets."""
    parts, depth = [""], 0
    for character in text.replace("->", "\0"):
        depth += (character in "(<[") - (character in ")>]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.replace("\0", "->").strip() for part in parts if part.strip()]


def head_of(text):
    """Returns the declaration without its body."""
    depth = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "{" and depth == 0:
            return " ".join(text[:index].split()).replace("( ", "(").replace(" )", ")")
    sys.exit(f"no body: {text}")


def operations():
    found = []
    # The declarations in Promise/ come first, because readers look for them.
    for file in sorted(CORE.rglob("*.swift"), key=lambda file: (file.parent.name != "Promise", file)):
        for block in re.findall(r"^extension Promise \{\n(.*?)^\}", file.read_text(), re.MULTILINE | re.DOTALL):
            member = r"((?:^  ///.*\n)*)((?:^  @.*\n)*)^  (?=public (?!nonisolated)[^:={]*\b(?:func|init)\b)"
            for start in re.finditer(member, block, re.MULTILINE):
                comment = [line.strip()[3:].strip() for line in start[1].splitlines()] + [""]
                summary = " ".join(comment[: comment.index("")])
                found.append(Operation(summary, start[2], head_of(block[start.end() :])))
    wanted = [operation for operation in found if operation.is_wanted]
    symbols = [operation.symbol for operation in wanted]
    for operation in wanted:
        # DocC distinguishes overloads in this way.
        if symbols.count(operation.symbol) > 1:
            operation.symbol += f"-({','.join(p.type.split()[-1] for p in operation.parameters)})"
    return wanted


# The variants of a family


class Family:
    """A family, with the parameters of its variants.

    context: the parameter for the place where closures run, if there is one.   generics: those of that parameter.
    argument: the argument that PromiseCore's declaration gets instead.   where: the place, for the comment.
    attribute: that of the closure.   first: the first parameter of the closure.   run: assumes the isolation.
    """

    def __init__(
        self, name, file, where, context=None, generics=(), argument=None, attribute="@Sendable", first="", run=None
    ):
        self.name, self.file, self.where = name, file, where
        self.context, self.generics, self.argument = context, list(generics), argument
        self.attribute, self.first, self.run = attribute, first, run

    def has(self, operation):
        if not self.context and (operation.is_async or operation.kind == "convenience init"):
            # PromiseCore declares them: `asyncMap { … }`, and `Promise { … }`, which runs its closure in the call.
            return False
        return operation.closures

    def type(self):
        return "Promise"

    def parameters(self, operation):
        """Returns the parameters. The context is in the same position as in PromiseCore, or else after the type."""
        parameters = [self.parameter(p) for p in operation.parameters]
        if self.context and not operation.takes_context:
            parameters.insert(operation.count_types, self.context)
        return ", ".join(filter(None, parameters))

    def parameter(self, parameter):
        if parameter.is_context:
            return self.context
        names = parameter.name if parameter.label == parameter.name else f"{parameter.label} {parameter.name}"
        type = self.closure_type(parameter.closure) if parameter.closure else parameter.type
        return f"{names}: {type}" + (f" = {parameter.default}" if parameter.default else "")

    def closure_type(self, closure):
        return closure.type(self.attribute, self.first)

    def closure(self, parameter):
        """Returns the closure that this family passes to PromiseCore."""
        closure = parameter.closure
        if not self.run or closure.is_async and not self.first:
            return parameter.name
        first = "actor" if closure.is_async else "$0"
        arguments = ", ".join(filter(None, [self.first and first, closure.name]))
        call = f"{parameter.name}({arguments})"
        attempt = "try " if closure.throws else ""
        if closure.is_async:
            body = f"try await {call}"
        else:
            body = f"{attempt}{self.run}.assumeIsolated {{ {attempt}{call} }}"
        return "{ " + (f"{closure.name} in " if closure.name else "") + body + " }"

    def call(self, operation):
        name = "self.init" if operation.kind == "convenience init" else operation.name
        arguments = [
            p.passed(self.closure(p) if p.closure else self.argument if p.is_context else None)
            for p in operation.parameters
        ]
        trailing = ""
        if len(operation.closures) == 1 and arguments[-1].startswith("{"):
            trailing = " " + arguments.pop()
        return f"{name}({', '.join(arguments)}){trailing}"

    def result(self, operation):
        return operation.result

    def comment(self, operation):
        text = f"{operation.summary}\n\n{self.where_of(operation)}. See ``/PromiseCore/Promise/{operation.symbol}``."
        lines = [line for paragraph in text.split("\n") for line in wrapped(paragraph) or [""]]
        return "".join(f"/// {line}".rstrip() + "\n" for line in lines)

    def where_of(self, operation):
        return self.where

    def declaration(self, operation):
        attributes = "@_alwaysEmitIntoClient" + (" @discardableResult" if operation.is_discardable else "")
        generics = ", ".join(self.generics + operation.generics)
        name = "init" if operation.kind == "convenience init" else f" {operation.name}"
        kind = "convenience " if operation.kind == "convenience init" else operation.kind
        result = f" -> {self.result(operation)}" if operation.result else ""
        return (
            f"{self.comment(operation)}{attributes}\npublic {kind}{name}{f'<{generics}>' if generics else ''}"
            f"({self.parameters(operation)}){result} {{\n{self.call(operation)}\n}}\n"
        )

    def source(self, operations):
        body = "\n".join(self.declaration(operation) for operation in operations if self.has(operation))
        return f"{HEADER}public import PromiseCore\n\nextension {self.type()} {{\n{body}}}\n"

    # For the tests: a call of the operation, with its handler.

    def receiver(self, operation):
        return "start" if operation.is_link else "Promise<Parcel>"

    def place(self):
        return self.context and {"on": "on: .main", "isolatedTo": "isolatedTo: probe.actor"}[self.context.split()[0]]

    def note(self):
        return {"@MainActor": "probe.noteOnMain"}.get(self.attribute, "actor.note" if self.first else "probe.note")

    def handler(self, closure):
        arguments = ", ".join(filter(None, [self.first and "actor", closure.name]))
        answer = {"Void": "", "Bool": "return false", "U?": "return Optional(7)", "any Error": "return ParcelError(7)"}
        answer |= {"U": "return 7", "Value": "return 7", "Promise<Cleanup>": "return Promise.fulfilled(7)"}
        done = answer.get(closure.result, "return .fulfilled(7)")
        if closure.name == "deferred":
            return f"{{ {arguments} in\n{self.note()}(\"\")\ndeferred.fulfill(7)\n}}"
        seen = f'"\\({closure.name})"' if closure.name else '""'
        return f"{{ {f'{arguments} in' if arguments else ''}\n{self.note()}({seen})\n{done}\n}}"

    def test(self, operation):
        given = {"to": "Parcel.self", "weight": "3", "from": "ParcelError.self", "only": "ParcelError.self", "priority": "nil"}
        arguments = []
        for parameter in operation.parameters:
            if parameter.is_context:
                arguments += [self.place()]
            elif parameter.closure:
                arguments += [parameter.passed(self.handler(parameter.closure))]
            elif parameter.label in given:
                arguments += [parameter.passed(given[parameter.label])]
        if self.context and not operation.takes_context:
            arguments.insert(operation.count_types, self.place())
        trailing = " " + arguments.pop() if len(operation.closures) == 1 else ""
        inside = ", ".join(filter(None, arguments))
        name = "." + operation.name.strip("`") if operation.name else ""
        return f"{self.receiver(operation)}{name}" + (f"({inside})" if inside or not trailing else "") + trailing

    def tests(self, operations):
        body = "".join(
            f'add("{operation.symbol}", isAsync: {str(operation.is_async).lower()}) {{ start, probe in\n'
            f"{self.test(operation)}\n}}\n"
            for operation in operations
            if operation.closures and self.has(operation)
        ).replace("{ start, probe in\nPromise<Parcel>", "{ _, probe in\nPromise<Parcel>")
        return (
            f"{HEADER}import PromiseContexts\n\n"
            f"extension FamilyCall {{\nstatic func {self.name}(_ add: Adding) {{\n{body}}}\n}}\n".replace("isAsync: ", "")
        )


class Core(Family):
    """PromiseCore itself, which only the tests use, for comparison."""

    def __init__(self):
        super().__init__("core", None, None)

    def has(self, operation):
        return operation.closures

    def place(self):
        return "on: probe.manual"


class View(Family):
    """A kind of view. Its links call those of the promise, with the place where they run.

    view: its type.   arguments: the generic arguments of the type after that of the value.
    make: the arguments of its initialiser after the promise.   on: the expression with which the tests get a view.
    async_where: the place of async closures, for the comment, if the view calls PromiseCore's own declaration.
    """

    def __init__(self, *row, view, arguments="", make, async_where=None, on, **more):
        super().__init__(*row, **more)
        self.view, self.view_arguments, self.make, self.async_where, self.on = view, arguments, make, async_where, on

    def has(self, operation):
        return operation.is_link

    def type(self):
        return self.view

    def parameter(self, parameter):
        return None if parameter.is_context else super().parameter(parameter)

    def parameters(self, operation):
        return ", ".join(filter(None, map(self.parameter, operation.parameters)))

    def closure_type(self, closure):
        return re.sub(r"\bPromise\b(?!<)", "Promise<Value>", super().closure_type(closure))

    def result(self, operation):
        inner = re.match(r"Promise<(.*)>", operation.result)
        return f"{self.view}<{inner[1]}{self.view_arguments}>" if inner else self.view

    def call(self, operation):
        arguments = [p.passed(self.argument.split(": ")[1] if p.is_context else None) for p in operation.parameters]
        if self.is_spelt_apart(operation):
            arguments = [self.argument] + [p.passed() for p in operation.parameters if not p.is_context]
            # PromiseCore's parameter for the type is before the context.
            arguments.sort(key=lambda argument: not argument.startswith(("from: ", "only: ")))
        name = operation.name
        return f"{self.result(operation)}(promise.{name}({', '.join(arguments)}){self.make})"

    def is_spelt_apart(self, operation):
        """Returns whether the view calls a declaration of its family instead of PromiseCore's."""
        return operation.closures and (operation.takes_context or self.async_where is None)

    def where_of(self, operation):
        if not operation.closures:
            return "The result is a view of the same kind"
        return self.async_where if operation.is_async and self.async_where else self.where

    def place(self):
        return None

    def receiver(self, operation):
        return f"start.{self.on}"

    def test(self, operation):
        return super().test(operation) + ".promise"


ON_MAIN = "Runs on the main actor: the closure may touch its state"
ON_ACTOR = "Runs on the actor: the closure gets it, and may touch its state"
ACTOR = dict(generics=["A: Actor"], first="isolated A")
FAMILIES = [
    Family("pool", "Promise+Bare", "Runs on ``ExecutionContext/pool``", argument=".pool"),
    Family(
        "main", "Promise+Main", ON_MAIN,
        context="on context: MainContext", argument="MainContext.context", attribute="@MainActor", run="MainContext",
    ),
    Family(
        "actor", "Promise+Isolated", ON_ACTOR,
        context="isolatedTo actor: A", argument="ActorContext(actor)", run="actor", **ACTOR,
    ),
    View(
        "onContext", "PromiseOnContext+Links", "Runs on the context of this view",
        view="PromiseOnContext", make=", on: context", argument="on: context", on="on(probe.context)",
        async_where="Runs in a Task of its own: a context runs no async closures",
    ),
    View(
        "onMain", "PromiseOnMain+Links", ON_MAIN,
        view="PromiseOnMain", make="", argument="on: .main", attribute="@MainActor", on="on(.main)",
    ),
    View(
        "onActor", "PromiseOnActor+Links", ON_ACTOR,
        view="PromiseOnActor", make=", isolatedTo: actor", argument="isolatedTo: actor", arguments=", A",
        first="isolated A", on="on(isolatedTo: probe.actor)",
    ),
]


# The lists that are written by hand

# The operations that return the same promise, and the observer of progress, have tests of their own.
APART = {"bound", "labelled", "onProgress"}
# The lists, by the kinds of operations that they omit. Listings of the API make tests and docc check all other lists.
LISTS = {
    "Sources/PromiseCore/Diagnostics/Operation.swift": [],
    "Tests/PromiseCoreTests/Cancellation/CancelTruthTable.swift": ["async"],
    "Tests/PromiseCoreTests/Support/LinkKind.swift": ["async", "without a handler"],
    # The random programs have no `alwaysThen`, whose cleanup no cancellation reaches, and neither of the two handlers
    # that skip cancellations. CancelTruthTable has them.
    "Tests/StressTests/Model/Kind.swift": ["async", "without a handler", "alwaysThen", "catchFailure", "onFailed"],
    "Tests/AllocationTests/LinkMemoryTests.swift": ["async", "without a handler"],
    "Docs/Guides/Chaining.md": ["async", "without a handler"],
}


def forgotten(operations):
    for name, omitted in LISTS.items():
        text = re.sub(r"(?m)//.*$", "", (ROOT / name).read_text())
        for operation in operations:
            kind = "async" if operation.is_async else "" if operation.closures else "without a handler"
            word = operation.name.strip("`")
            if operation.is_link and word not in APART and not {kind, word} & set(omitted) and not re.search(rf"[ `.]{word}\b", text):
                yield f"{name}: lacks {word}"


# The files


def wrapped(paragraph):
    return textwrap.wrap(paragraph, WIDTH - len("  /// "), break_long_words=False, break_on_hyphens=False)


def tests(operations):
    families = [Core()] + FAMILIES
    calls = "\n".join(
        f"{family.name} {{ calls.append(FamilyCall(family: .{family.name}, operation: $0, isAsync: $1, run: $2)) }}"
        for family in families
    )
    yield "All", (
        f"{HEADER}import PromiseContexts\n\n"
        "extension FamilyCall {\n/// Every operation of every family, called.\n"
        f"package static let all: [FamilyCall] = {{\nvar calls: [FamilyCall] = []\n{calls}\nreturn calls\n}}()\n\n"
        "typealias Adding = (_ operation: String, _ isAsync: Bool, _ run: @escaping Run) -> Void\n}\n"
    )
    for family in families:
        yield family.name[0].upper() + family.name[1:], family.tests(operations)


def formatted(text):
    command = ["swift", "format", "--configuration", str(ROOT / ".swift-format"), "-"]
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def main():
    core = operations()
    files = {f"{SOURCES}{family.file}.swift": family.source(core) for family in FAMILIES}
    files |= {f"{TESTS}FamilyCall+{name}.swift": text for name, text in tests(core)}
    stale = []
    for name, text in files.items():
        path, text = ROOT / name, formatted(text)
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.write_text(text)
    if "--check" in sys.argv:
        problems = [f"{name}: not what Scripts/generate-families.py writes: make families" for name in stale]
        problems += dict.fromkeys(forgotten(core))
        sys.exit("\n".join(problems) or 0)


main()
