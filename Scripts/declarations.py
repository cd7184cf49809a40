"""Reads declarations of operations from the sources, for `generate-families.py`."""
import re
import sys


def parsed(pattern, text):
    """Returns the groups of a pattern. Exits if the text does not match, so that no declaration is overlooked."""
    found = re.fullmatch(pattern, text)
    return found.groups() if found else sys.exit(f"not understood: {text}")


def joined(parts):
    return ", ".join(filter(None, parts))


def split_at_commas(text):
    """Splits a list at the commas that are not inside brackets."""
    parts = [""]
    depth = 0
    for character in text.replace("->", "→"):
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip().replace("→", "->") for part in parts if part.strip()]


class Parameter:
    # The name of a closure's argument, by its type.
    VALUES = {"Value": "value", "any Error": "error", "E": "error", "Double": "fraction"}

    def __init__(self, text):
        names, self.type, self.default = parsed(r"([^:]+): (.*?)(?: = (.*))?", text)
        self.label, self.name = (names.split() * 2)[:2]
        # A closure that PromiseCore stores without a count of a reference.
        self.is_consumed = self.type.startswith("consuming ")
        self.type = self.type.removeprefix("consuming ")
        # An object that keeps an optional context for later takes `onContext:` a closure, too.
        self.is_optional_context = self.type == "(any ExecutionContext)?"
        self.is_context = self.type == "any ExecutionContext" or self.is_optional_context
        self.is_closure_list = re.match(r"\[@(Sendable|MainActor) \(", self.type)
        self.is_closure = self.is_closure_list or self.type.startswith("@escaping")
        if self.is_closure:
            one = self.type[1:-1] if self.is_closure_list else self.type
            pattern = r"(?:@escaping )?@(?:Sendable|MainActor) \((.*?)\)((?: async)?(?: throws)?) -> (.*)"
            self.argument, self.effects, self.result = parsed(pattern, one)
            self.is_async = "async" in self.effects
            self.throws = "throws" in self.effects
            names = [self.value_name(argument) for argument in split_at_commas(self.argument)]
            # The number distinguishes arguments of one type.
            self.value = joined(f"{n}{i}" if names.count(n) > 1 else n for i, n in enumerate(names, 1))

    def value_name(self, argument):
        """Returns the name of a closure's argument: as declared, or after its type."""
        declared, type = parsed(r"(?:_ (\w+): )?(.*)", argument)
        name = re.match(r"[\w.]*", type)[0].split(".")[-1]
        return declared or self.VALUES.get(type) or name[:1].lower() + name[1:]

    def passed(self, expression):
        """Returns the parameter as an argument of a call."""
        return expression if self.label == "_" else f"{self.label}: {expression}"


class Operation:
    def __init__(self, file, extended, comment, attributes, text):
        self.file = file
        # The type with its conditions, as in `Promise where Value == Void`.
        self.extended = extended
        pattern = r"public (.*?)\((.*)\)(?: -> (.*?))?(?: where (.*))?"
        head, parameters, self.result, self.conditions = parsed(pattern, " ".join(text.split()))
        kinds = "convenience init|init|static func|func"
        self.kind, self.name, self.generics = parsed(rf"({kinds}) ?(\S*?)(?:<(.*)>)?", head)
        self.parameters = [Parameter(p) for p in split_at_commas(parameters)]
        self.closures = [p for p in self.parameters if p.is_closure]
        self.contexts = [p for p in self.parameters if p.is_context]
        self.without_context = [p for p in self.parameters if not p.is_context]
        self.is_async = any(closure.is_async for closure in self.closures)
        self.is_link = self.kind == "func"
        self.attributes = attributes.split()
        self.is_discardable = "@discardableResult" in self.attributes
        # Refuses calls, or is for macros and generated code.
        self.is_hidden = "@_documentation(visibility:" in self.attributes
        self.takes_context = bool(self.contexts)
        # The types of errors come first, as in `recover(from: E.self, on: context)`.
        self.count_types = sum(p.label in ("from", "only") for p in self.parameters)
        # The index of the context, or of the parameter that an async operation has for it in its forms.
        self.place = self.parameters.index(self.contexts[0]) if self.contexts else self.count_types
        labels = "".join(f"{p.label}:" for p in self.parameters)
        self.word = self.name.strip("`") or "init"
        self.symbol = f"{self.word}({labels})"
        self.summary = " ".join(re.sub(r"(?m)^ */// ?", "", comment).split("\n\n")[0].split())


def blocks(text, types):
    """Returns the extensions and the declarations of types in a source, as pairs of a type and a body."""
    head = rf"(?:extension|public (?:final class|struct|enum|actor)) ((?:{types})\b)(?:<.*?>)?"
    rest = r"(?:: [^{]*?)?( where [^{]*?)? \{\n(.*?)^\}"
    return [(f"{type}{where}", body) for type, where, body in re.findall(rf"(?ms)^{head}{rest}", text)]


def members(body):
    """Returns the public functions and initialisers of a type: comment, attributes and signature."""
    head = r"(?m)((?:^  ///.*\n)*)((?:^  @.*\n)*)^  (public (?!nonisolated)[^:={]*?\b(?:func|init)\b)"
    for found in re.finditer(head, body):
        end = found.end()
        depth = 0
        while depth or body[end] != "{":
            depth += (body[end] in "([") - (body[end] in ")]")
            end += 1
        yield found[1], found[2], body[found.start(3):end].strip()


def read_operations(files, types=r"\w+"):
    return [
        Operation(file.stem, extended, *member)
        for file in files
        for extended, body in blocks(file.read_text(), types)
        for member in members(body)
    ]
