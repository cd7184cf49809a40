#!/usr/bin/env python3
"""Fails if the engine may retain a promise that it reads uncounted, under a stripe. It takes no arguments.

A reader under the stripe of a family reads marks of promises that only another thread retains. That thread may release
such a promise at any moment. If the reader has retained it in the meantime, the reader's release may be the last one.
Then `deinit` hangs, because it waits for the stripe that the reader holds.
The source does not show whether a reference is counted. In a debug build, capturing a variable or converting its type
retains the object. Therefore this script reads unoptimised SIL. It follows the references of READERS through calls and
closures, and fails if one is retained. Every other function that gets a promise from `Unmanaged` must be listed in
OWNERS. A list with an outdated entry fails, too.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Sources" / "PromiseCore"
# Functions that read a promise that only another thread retains.
READERS = {"PromisePointer.withUncounted<A>(_:)"}
# Functions that get promises from `Unmanaged` while another reference retains them, as `Engine.swift` explains.
OWNERS = {"PromisePointer.with<A>(_:)", "Unmanaged._withUnsafeGuaranteedRef<A>(_:)"}

SUBCLASS = re.compile(r"\bclass (\w+)(?:<[^>]*>)?: (?:AnyPromise|Promise|Entry)\b")
FUNCTION = re.compile(r"^sil .*?@(\S+) : (.*?)(?: \{)?$")
PARAMETERS = re.compile(r"^\$(?:@\w+(?:\([^)]*\))? )*<([^>]*?)(?: where .*?)?> ")
RESULT = re.compile(r"^(?:%(\d+)|\(%(\d+), %(\d+)\)) = (.*)$")
VALUE = re.compile(r"%(\d+)")
# Instructions whose result is the same reference.
ALIASES = ("upcast", "unchecked_ref_cast", "unchecked_trivial_bit_cast", "unconditional_checked_cast", "mark_dependence", "begin_borrow",
           "enum", "struct", "tuple", "struct_extract", "tuple_extract", "unchecked_enum_data", "convert_function", "begin_access",
           "init_enum_data_addr", "unchecked_addr_cast", "struct_element_addr", "tuple_element_addr", "load", "load_borrow",
           "thin_to_thick_function", "convert_escape_to_noescape", "address_to_pointer", "pointer_to_address", "move_value",
           "ref_to_unmanaged", "unmanaged_to_ref", "ref_to_raw_pointer", "raw_pointer_to_ref", "open_existential_ref",
           "init_existential_ref", "unchecked_take_enum_data_addr", "load_weak")
PLACES = ("struct_element_addr", "tuple_element_addr", "init_enum_data_addr", "begin_access", "unchecked_addr_cast")
COUNTING = ("strong_retain", "retain_value", "copy_value", "explicit_copy_value", "copy_addr", "unmanaged_retain_value",
            "strong_copy_unmanaged_value")


class Function:
    """A SIL function."""

    def __init__(self, name, title, type):
        self.name, self.title = name, title
        generic = PARAMETERS.match(type)
        self.generic = set(generic[1].split(", ")) if generic else set()
        self.blocks = {}  # label: [(value, type)]
        self.values = {}  # value: (operation, rest of the line)
        self.lines = []  # (results, operation, operands, text)

    def add(self, line):
        if block := re.match(r"^(bb\d+)(?:\((.*)\))?:", line):
            arguments = re.split(r"(?:^|, )%(\d+) : (?:@\w+ )?", block[2] or "")[1:]
            self.blocks[block[1]] = list(zip(arguments[::2], arguments[1::2]))
            return
        text = line.split(" // ")[0].strip()
        if not text or text.startswith("//"):
            return
        results = []
        if result := RESULT.match(text):
            results, text = [value for value in result.groups()[:3] if value], result[4]
        operation, _, rest = text.partition(" ")
        self.lines.append((results, operation, rest))
        for value in results:
            self.values[value] = (operation, rest)

    @property
    def parameters(self):
        return self.blocks.get("bb0", [])

    def index(self, value):
        return next((index for index, (name, _) in enumerate(self.parameters) if name == value), None)


def functions(sil):
    found, current, title = {}, None, ""
    for line in sil.splitlines():
        if match := FUNCTION.match(line):
            if line.endswith("{"):
                current = found[match[1]] = Function(match[1], title, match[2])
        elif line.startswith("}"):
            current = None
        elif current:
            current.add(line)
        elif line.startswith("// ") and not line.startswith("// Isolation"):
            title = line[3:]
    return found


def call(rest):
    """Returns the callee and the arguments of `%1<A>(%2, %3) : $type`."""
    rest = rest.replace("[callee_guaranteed] ", "").replace("[on_stack] ", "")
    callee = VALUE.search(rest)[1]
    arguments = re.search(r"\(((?:%\d+(?:, )?)*)\) : \$", rest)
    return callee, VALUE.findall(arguments[1]) if arguments else []


class Search:
    def __init__(self, functions, classes):
        self.functions = functions
        self.classes = classes
        self.found = collections.defaultdict(set)
        self.visited = set()
        self.followed = set()
        self.owners = set()
        # For each function, its callers with their arguments: name: [(caller, {index: value})]. A caller may also bind
        # only the last parameters.
        self.uses = collections.defaultdict(list)
        for function in functions.values():
            for _, operation, rest in function.lines:
                if operation in ("apply", "try_apply", "begin_apply", "partial_apply"):
                    callee, arguments = call(rest)
                    if name := self.reference(function, callee):
                        first = self.first(name, arguments, operation)
                        self.uses[name].append((function, {first + index: value for index, value in enumerate(arguments)}))

    def first(self, name, arguments, operation):
        if operation != "partial_apply" or name not in self.functions:
            return 0
        return len(self.functions[name].parameters) - len(arguments)

    def reference(self, function, value):
        """Returns the name of the function to which a value refers, or `None`."""
        while value in function.values:
            operation, rest = function.values[value]
            if operation == "function_ref":
                return rest.split(" ")[0].lstrip("@")
            if operation in ALIASES:
                value = VALUE.search(rest)[1]
            else:
                return None

    def closure(self, function, value):
        """Returns the name of a closure's function, or the index of the parameter that is the closure."""
        while True:
            if (index := function.index(value)) is not None:
                return None, index
            operation, rest = function.values.get(value, ("", ""))
            if operation == "function_ref":
                return rest.split(" ")[0].lstrip("@"), None
            if operation in ALIASES or operation == "partial_apply":
                value = VALUE.search(rest)[1]
            else:
                return None, None

    def mayBeLink(self, type, function):
        name = type.lstrip("$*").removeprefix("Optional<").removeprefix("Unmanaged<").rstrip(">").removeprefix("@sil_unmanaged ")
        return name in self.classes or name in function.generic or name.startswith("τ_")

    def say(self, function, what):
        self.found[function.title].add(what)

    def run(self):
        for function in self.functions.values():
            roots = {results[0]: rest.rsplit(" to ", 1)[-1] for results, operation, rest in function.lines
                     if operation == "unmanaged_to_ref"}
            promises = {value for value, type in roots.items() if self.mayBeLink(type, function)}
            if function.title in READERS:
                self.follow(function, promises)
            elif promises:
                self.owners.add(function.title)
        return self.found

    def parameter(self, name, index):
        """Follows an uncounted argument into a function. Returns whether the function is known."""
        function = self.functions.get(name)
        if function is None or index >= len(function.parameters) or (name, index) in self.visited:
            return function is not None
        value, type = function.parameters[index]
        if self.mayBeLink(type, function):
            self.visited.add((name, index))
            self.follow(function, {value})
        return True

    def callback(self, function, index, argument, seen=()):
        """Follows the closures that callers pass at `index`. The function calls them with an uncounted reference."""
        if (function.name, index) in seen:
            return
        for caller, arguments in self.uses[function.name]:
            if index not in arguments:
                continue
            name, outer = self.closure(caller, arguments[index])
            if name:
                self.parameter(name, argument)
            elif outer is not None:
                self.callback(caller, outer, argument, (*seen, (function.name, index)))
            else:
                self.say(caller, "an unknown function given to " + function.title)

    def follow(self, function, uncounted):
        self.followed.add(function.title)
        before = 0
        while before != len(uncounted):
            before = len(uncounted)
            for results, operation, rest in function.lines:
                operands = [value for value in VALUE.findall(rest) if value in uncounted]
                if not operands:
                    continue
                if operation in ALIASES:
                    uncounted.update(results)
                elif operation == "store":
                    place = VALUE.findall(rest)[1]
                    uncounted.add(place)
                    while function.values.get(place, ("",))[0] in PLACES:
                        place = VALUE.search(function.values[place][1])[1]
                        uncounted.add(place)
                elif operation in ("br", "cond_br", "switch_enum", "checked_cast_br"):
                    self.enter(function, operation, rest, uncounted)
        for results, operation, rest in function.lines:
            operands = [value for value in VALUE.findall(rest) if value in uncounted]
            if not operands:
                continue
            if operation in COUNTING and VALUE.search(rest)[1] in uncounted:
                self.say(function, "a count of it")
            elif operation in ("apply", "try_apply", "begin_apply", "partial_apply"):
                self.hand_on(function, operation, rest, uncounted)

    def enter(self, function, operation, rest, uncounted):
        for label, values in re.findall(r"(bb\d+)(?:\(([^)]*)\))?", rest):
            arguments = function.blocks.get(label, [])
            if operation in ("switch_enum", "checked_cast_br"):
                uncounted.update(name for name, _ in arguments[:1])
            for (name, _), value in zip(arguments, VALUE.findall(values)):
                if value in uncounted:
                    uncounted.add(name)

    def hand_on(self, function, operation, rest, uncounted):
        callee, arguments = call(rest)
        name, parameter = self.closure(function, callee)
        first = self.first(name, arguments, operation) if name else 0
        for index, value in enumerate(arguments):
            if value not in uncounted:
                continue
            if parameter is not None:
                self.callback(function, parameter, index)
            elif name is None or not self.parameter(name, first + index):
                self.say(function, f"something that is not known: {name or rest[:60]}")


def main():
    paths = sorted(SOURCES.rglob("*.swift"))
    classes = {"AnyPromise"}.union(*(SUBCLASS.findall(path.read_text()) for path in paths))
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "core.sil"
        compiler = subprocess.run(
            ["swiftc", "-emit-sil", "-Onone", "-wmo", "-D", "DEBUG", "-swift-version", "6", "-parse-as-library", "-package-name", "swift_promises", "-I", "Sources/CPromiseSystem/include",
             "-module-name", SOURCES.name, "-o", str(output), *map(str, paths)],
            stdout=subprocess.DEVNULL)
        if compiler.returncode:
            return f"{sys.argv[0]}: PromiseCore does not compile"
        search = Search(functions(output.read_text()), classes)
    found = {(title, what) for title, all in search.run().items() for what in all}
    wrong = [f"{title}: what it reads uncounted comes to {what}" for title, what in found]
    wrong += [f"{title}: not found, or it reads nothing" for title in READERS - search.followed]
    wrong += [f"{title}: has a promise from `Unmanaged`. Is it the owner, or a reader?" for title in search.owners - OWNERS]
    wrong += [f"{title}: has no promise from `Unmanaged` any more" for title in OWNERS - search.owners]
    for line in sorted(wrong):
        print(f"{sys.argv[0]}: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
