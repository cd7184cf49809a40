"""A family of variants of PromiseCore's links, for `generate-families.py`: its declarations, and calls of them for the
tests."""
import dataclasses
import re
import textwrap

from declarations import joined


def header(module):
    """Returns the first line of a file that is generated from the declarations in a module."""
    source = f"Written by Scripts/generate-families.py from the declarations in {module}."
    return f"// {source} Do not edit it: `make families`.\n"


HEADER = header("PromiseCore")
# How the text of a comment wraps.
WRAPPING = dict(width=120 - len("  /// "), break_long_words=False, break_on_hyphens=False)


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
    # Whether closures are passed on as they are, outside other closures.
    is_consuming: bool = False
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
        """Inserts the place among the parameters or arguments, where the operation takes its context."""
        parts.insert(operation.place, place)
        return joined(parts)

    # The declaration in PromiseContexts

    def parameter(self, parameter):
        names = parameter.name if parameter.label == parameter.name else f"{parameter.label} {parameter.name}"
        default = f" = {parameter.default}" if parameter.default else ""
        if not parameter.is_closure:
            return f"{names}: {parameter.type}{default}"
        arguments = joined([self.first, parameter.argument])
        type = f"{self.attribute} ({arguments}){parameter.effects} -> {parameter.result}"
        if self.is_view:
            type = re.sub(r"\bPromise\b(?!<)", "Promise<Value>", type)
        if self.first:
            default = default.replace("{ ", "{ _, " if " in " in default else "{ _ in ", 1)
        if parameter.is_closure_list:
            return f"{names}: [{type}]{default}"
        return f"{names}: {'consuming ' if self.consumes(parameter) else ''}@escaping {type}{default}"

    def consumes(self, parameter):
        """Whether this family passes the closure as it was given to an operation that consumes it."""
        return parameter.is_consumed and self.is_consuming

    def result(self, operation):
        generic = re.sub("Promise<(.*)>", rf"{self.type}<\1{self.more_generics}>", operation.result or "")
        return self.type if generic == "Promise" else generic

    def closure(self, parameter, operation):
        """Returns the closure, or the list of closures, that this family passes to the operation."""
        # A cleanup begins in any case.
        if self.run and parameter.is_async and operation.name != "asyncAlways":
            context = re.match(r"\w+", self.argument)[0]
            return f"{context}.unlessSettled({joined([self.first and 'actor', parameter.name])})"
        if not self.run or parameter.is_async and not self.first:
            return f"{'consume ' if self.consumes(parameter) else ''}{parameter.name}"
        name = "closure" if parameter.is_closure_list else parameter.name
        first = self.first and ("actor" if parameter.is_async else "$0")
        call = f"{name}({joined([first, parameter.value])})"
        attempt = "try " if parameter.throws else ""
        inside = f"{attempt}{self.run}.assumeIsolated {{ {attempt}{call} }}"
        body = f"try await {call}" if parameter.is_async else inside
        passed = f"{{ {f'{parameter.value} in ' if parameter.value else ''}{body} }}"
        return f"{parameter.name}.map {{ closure in {passed} }}" if parameter.is_closure_list else passed

    def call(self, operation):
        if self.is_view:
            # For async closures, the view of a context calls PromiseCore's declaration.
            place = self.argument if operation.takes_context or operation.is_async and not self.async_where else ""
            given = [p.passed(self.closure(p, operation) if p.is_closure else p.name) for p in operation.without_context]
            arguments = self.insert(place, given, operation)
            return f"{self.result(operation)}(promise.{operation.name}({arguments}){self.more_arguments})"
        arguments = [p.passed(self.closure(p, operation) if p.is_closure else p.name) for p in operation.without_context]
        is_last = len(operation.closures) == 1 and operation.parameters[-1].is_closure
        trailing = f" {arguments.pop()}" if is_last and arguments[-1].startswith("{") else ""
        place = self.passed_context(operation.contexts[0]) if operation.takes_context else ""
        return f"{operation.name or 'self.init'}({self.insert(place, arguments, operation)}){trailing}"

    def passed_context(self, parameter):
        return f"on: {self.argument}"

    def comment(self, operation):
        summary = re.sub(r"``(?=\w+\()", "``/PromiseCore/Promise/", operation.summary)
        summary = re.sub(r"``(?=PromiseError/)", "``/PromiseCore/", summary)
        where = (self.async_where if operation.is_async else "") or self.where
        if not operation.closures:
            where = "The result is a view of the same kind"
        return [self.opening + summary, f"{where}. See ``/PromiseCore/Promise/{operation.symbol}``."]

    def attributes(self, operation):
        return "@_alwaysEmitIntoClient" + (" @discardableResult" if operation.is_discardable else "")

    def conditions(self, operation):
        return operation.conditions

    def declaration(self, operation):
        comment = "\n\n".join(textwrap.fill(text, **WRAPPING) for text in self.comment(operation))
        head = f"{operation.kind} {operation.name}".strip()
        generics = joined([self.generics, operation.generics])
        given = [self.parameter(p) for p in operation.without_context]
        conditions = self.conditions(operation)
        return (
            textwrap.indent(comment, "/// ", lambda line: True)
            + f"\n{self.attributes(operation)}".rstrip()
            + f"\npublic {head}" + (f"<{generics}>" if generics else "")
            + f"({self.insert(self.context, given, operation)})"
            + (f" -> {self.result(operation)}" if operation.result else "")
            + (f" where {conditions}" if conditions else "")
            + f" {{\n{self.call(operation)}\n}}\n"
        )  # fmt: skip

    def source(self, operations):
        body = "\n".join(self.declaration(operation) for operation in operations if self.has(operation))
        return f"{HEADER}public import PromiseCore\n\nextension {self.type} {{\n{body}}}\n"

    # The calls in the tests

    def handler(self, closure):
        """Returns a closure that notes its argument and returns an answer."""
        answer = {"Void": "", "Bool": "false", "U?": "Optional(7)", "U": "7", "Value": "7"}
        answer |= {"any Error": "ParcelError(7)"}
        answer |= {type: "Promise.fulfilled(7)" for type in ("Promise<Cleanup>", "AnyPromise")}
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
