#!/usr/bin/env python3
"""Writes a listing of the public declarations of each module, from the symbol graphs (`make symbols`).

    list-api FOLDER   writes FOLDER/<module>.txt, and removes other listings there

A listing has one line for each declaration, with its place. The symbol graphs omit declarations that are not public API
(Docs/Reference/Versioning.md), and those that the documentation hides. The latter are listed as `hidden`, with their
file, unless they are unavailable, because programs can call them.
"""
import json
import pathlib
import re
import sys

from package import MODULES, ROOT, symbol_graphs

# Every type has these conformances, or has them with `Sendable`. Which of them the compiler lists is unspecified.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
CONFORMANCES = {"conformsTo": "conforms to", "inheritsFrom": "inherits from"}
SIGNS = {"conformance": ":", "superclass": ":", "sameType": "=="}


def lines_of(module, graph, names, generics):
    symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
    required = {r["source"] for r in graph["relationships"] if r["kind"] == "requirementOf"}

    def place(symbol, path):
        """Returns the type, with its module if that is another one, or the module if the path names no type."""
        extended = symbol.get("swiftExtension", {}).get("extendedModule", module)
        return ".".join([extended] * (extended != module) + path) or module

    def with_conditions(text, constraints, symbol):
        """Returns the text with the constraints that neither the text nor the type states already."""
        given = generics.get(symbol["pathComponents"][0], [])
        stated = [f"{c['lhs']} {SIGNS[c['kind']]} {c['rhs'].replace('()', 'Void')}" for c in constraints]
        new = ", ".join(condition for condition in stated if condition not in given and condition not in text)
        return text + (new and (", " if " where " in text else " where ") + new)

    for name, symbol in symbols.items():
        if symbol["kind"]["identifier"] != "swift.extension":
            text = " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())
            kind = "requirement " * (name in required) + "open " * (symbol["accessLevel"] == "open")
            constraints = symbol.get("swiftExtension", {}).get("constraints", [])
            yield f"{place(symbol, symbol['pathComponents'][:-1])}: {kind}{with_conditions(text, constraints, symbol)}"

    for relationship in graph["relationships"]:
        symbol = symbols.get(relationship["source"])
        target = names.get(relationship["target"], relationship.get("targetFallback", relationship["target"]))
        # A listing does not change when the standard library moves a declaration.
        target = re.sub(r"^(Swift|_Concurrency)\.", "", target.removeprefix(f"{module}."))
        if relationship["kind"] in CONFORMANCES and symbol and target not in IMPLIED:
            text = f"{place(symbol, symbol['pathComponents'])}: {CONFORMANCES[relationship['kind']]} {target}"
            yield with_conditions(text, relationship.get("swiftConstraints", []), symbol)


def hidden_in(module):
    """Yields the lines of the declarations that carry the attribute for hiding, and that programs can call."""
    for file in sorted((ROOT / "Sources" / module).rglob("*.swift")):
        # Declarations are separated by empty lines.
        for text in re.split(r"\n *\n|\{\n", file.read_text()):
            _, hides, declaration = text.partition("@_documentation(visibility: internal)")
            if hides and "unavailable" not in text:
                declaration = re.split(r"\s*[{}]", declaration)[0]
                yield f"hidden in {file.relative_to(ROOT / 'Sources' / module)}: {' '.join(declaration.split())}"


graphs = {module: [json.loads(file.read_text()) for file in symbol_graphs(module)] for module in MODULES}
names = {}
generics = {}
for module, (graph, *_) in graphs.items():
    for symbol in graph["symbols"]:
        names[symbol["identifier"]["precise"]] = ".".join([module] + symbol["pathComponents"])
        if len(symbol["pathComponents"]) == 1:
            constraints = symbol.get("swiftGenerics", {}).get("constraints", [])
            generics[symbol["pathComponents"][0]] = [f"{c['lhs']} : {c['rhs']}" for c in constraints]

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for file in folder.glob("*.txt"):
    file.unlink()
for module in graphs:
    lines = {line for graph in graphs[module] for line in lines_of(module, graph, names, generics)}
    lines |= set(hidden_in(module))
    (folder / f"{module}.txt").write_text("\n".join(sorted(lines)) + "\n")
