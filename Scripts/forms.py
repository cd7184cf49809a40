"""The forms of the combinators and of the gates for the main actor and for actors, for `generate-families.py`.

An operation is a public member of PromiseCombinators or PromiseGates that takes an `ExecutionContext` and closures. It
gets a form `on: .main`, whose closures are `@MainActor`, and a form `isolatedTo:`, whose closures get the actor. A form
that is written by hand, outside the folder of generated files, replaces the generated one. The links of `LazyPromise`
have no forms, because `derive` applies those of `Promise`.
"""
import dataclasses
import re
import sys

from declarations import joined, read_operations
from family import Family, header
from package import ROOT


@dataclasses.dataclass(kw_only=True)
class Form(Family):
    # The label for the place, and the place in the comment.
    label: str = ""
    on_place: str = ""

    def passed_context(self, parameter):
        # A context that is kept is determined at each use, so that a test world can replace the main actor.
        is_kept = parameter.is_optional_context
        return f"onContext: {{ {self.argument} }}" if is_kept else super().passed_context(parameter)

    def attributes(self, operation):
        return " ".join(operation.attributes)

    def conditions(self, operation):
        """Returns the conditions. The closure may store the elements of a sequence in the actor."""
        given = (operation.conditions or "").split(", ")
        stored = [f"{name}.Element: Sendable" for name in re.findall(r"(\w+): Sequence\b", operation.generics or "")]
        return joined(dict.fromkeys([*given, *stored]))

    def comment(self, operation):
        if len(operation.closures) == 1 and not operation.closures[0].is_closure_list:
            received = " and receives it" if self.first else ""
            text = f"The closure runs on {self.on_place}{received}, so it may access the actor's state."
        else:
            received = " and receive it" if self.first else ""
            text = f"The closures run on {self.on_place}{received}, so they may access the actor's state."
        if re.search(r": Sequence\b", operation.generics or ""):
            text += " The sequence is read there, too. Its elements are `Sendable`, so that the closure may store them."
        if re.search(r": AsyncSequence\b", operation.generics or ""):
            text += " The sequence is not read there."
        return [operation.summary, f"{text} Everything else is as for {operation.reference}."]

    def key(self, operation):
        """Returns what identifies this form of an operation, as `signature` does for a declaration."""
        labels = [p.label for p in operation.without_context]
        labels.insert(operation.place, self.label)
        return (operation.extended, operation.word, *labels)


def signature(operation):
    labels = ["on: .main" if p.type == "MainContext" else p.label for p in operation.parameters]
    return (operation.extended, operation.word, *labels)


def read_module(module):
    """Returns the public operations with closures that a module declares outside the folder of generated files."""
    files = sorted(file for file in (ROOT / "Sources" / module).rglob("*.swift") if file.parent.name != "Families")
    return [operation for operation in read_operations(files) if operation.closures and not operation.is_hidden]


def has_forms(operation):
    is_lazy_link = operation.extended == "LazyPromise" and operation.is_link
    if not operation.takes_context or is_lazy_link:
        return False
    for parameter in operation.parameters:
        if "->" in parameter.type and not parameter.is_closure:
            sys.exit(f"{operation.file}: not understood: {operation.symbol} takes {parameter.type}")
    return True


def mark_references(operations):
    """Determines how comments refer to each operation: by a link, or by its name if only types distinguish it."""
    names = [(operation.extended.split()[0], operation.symbol) for operation in operations]
    for operation, name in zip(operations, names):
        types = ",".join("ExecutionContext" if p.is_context else "_" for p in operation.parameters)
        link = f"``{operation.symbol}-({types})``"
        overload = f"the `{operation.word}` with `on:` that has this description"
        operation.reference = link if names.count(name) == 1 else overload


def extension(extended, form, operations):
    body = "\n".join(form.declaration(operation) for operation in operations)
    return f"extension {extended} {{\n{body}}}\n"


def imports(text):
    """Returns the imports for a source. A declaration that mentions a type of PromiseContexts needs a public one."""
    sources = "".join(file.read_text() for file in (ROOT / "Sources/PromiseContexts").rglob("*.swift"))
    types = re.findall(r"(?m)^public (?:final class|struct|enum|protocol|typealias) (\w+)", sources)
    is_public = re.search(rf"(?m)^public .*\b({'|'.join(types)})\b", text)
    return f"{'public ' if is_public else ''}import PromiseContexts\npublic import PromiseCore\n"


def source(module, form):
    """Returns the source of the forms of one kind for all operations of a module."""
    declared = read_module(module)
    by_hand = [signature(operation) for operation in declared]
    operations = [operation for operation in declared if has_forms(operation)]
    mark_references(operations)
    generated = [operation for operation in operations if form.key(operation) not in by_hand]
    types = dict.fromkeys(operation.extended for operation in generated)
    text = "\n".join(extension(type, form, [o for o in generated if o.extended == type]) for type in types)
    return f"{header(module)}{imports(text)}\n{text}"
