#!/usr/bin/env python3
"""Compares the public declarations that Scripts/extract-symbols.py wrote with the listings in Docs/API.

    check-api           fails if they differ, and prints the added (+) and removed (-) declarations
    check-api --write   writes the listings

A listing has one line for each declaration, with its place. The symbol graphs omit declarations that are not public API
(Docs/Reference/Versioning.md).
"""
import difflib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYMBOLS = ROOT / ".build/docs/symbols"
LISTINGS = ROOT / "Docs/API"

# Every type has these conformances, or has them with `Sendable`. Which of them the compiler lists is unspecified.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}


# Removed from names, so that a listing does not change when the standard library moves a declaration.
STANDARD = re.compile(r"^(Swift|_Concurrency)\.")


def conditions(text, constraints, given):
    """Returns the constraints that neither the text nor the type states already, as a continuation of the text."""
    sign = {"conformance": ":", "superclass": ":", "sameType": "=="}
    all = [f"{c['lhs']} {sign[c['kind']]} {c['rhs'].replace('()', 'Void')}" for c in constraints]
    new = ", ".join(condition for condition in all if condition not in given and condition not in text)
    return new and (", " if " where " in text else " where ") + new


def lines_of(module, graph, names, generics):
    symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
    required = {r["source"] for r in graph["relationships"] if r["kind"] == "requirementOf"}

    def given(symbol):
        return generics.get(symbol["pathComponents"][0], [])

    def place(symbol, path):
        """Returns the type, with its module if that is another one, or the module if the path names no type."""
        extended = symbol.get("swiftExtension", {}).get("extendedModule", module)
        return ".".join([extended] * (extended != module) + path) or module

    for name, symbol in symbols.items():
        if symbol["kind"]["identifier"] == "swift.extension":
            continue
        text = " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())
        text += conditions(text, symbol.get("swiftExtension", {}).get("constraints", []), given(symbol))
        kind = "requirement " * (name in required) + "open " * (symbol["accessLevel"] == "open")
        yield f"{place(symbol, symbol['pathComponents'][:-1])}: {kind}{text}"

    for relationship in graph["relationships"]:
        verb = {"conformsTo": "conforms to", "inheritsFrom": "inherits from"}.get(relationship["kind"])
        symbol = symbols.get(relationship["source"])
        target = names.get(relationship["target"], relationship.get("targetFallback", relationship["target"]))
        target = STANDARD.sub("", target.removeprefix(f"{module}."))
        if verb and symbol and target not in IMPLIED:
            text = f"{place(symbol, symbol['pathComponents'])}: {verb} {target}"
            yield text + conditions(text, relationship.get("swiftConstraints", []), given(symbol))


def listings():
    graphs = {
        module: [json.loads(file.read_text()) for file in sorted((SYMBOLS / module).glob("*.symbols.json"))]
        for module in (SYMBOLS / "modules").read_text().split()
    }
    names, generics = {}, {}
    for module, of_module in graphs.items():
        for symbol in of_module[0]["symbols"]:
            names[symbol["identifier"]["precise"]] = ".".join([module] + symbol["pathComponents"])
            if len(symbol["pathComponents"]) == 1:
                constraints = symbol.get("swiftGenerics", {}).get("constraints", [])
                generics[symbol["pathComponents"][0]] = [f"{c['lhs']} : {c['rhs']}" for c in constraints]
    return {
        module: sorted({line for graph in of_module for line in lines_of(module, graph, names, generics)})
        for module, of_module in graphs.items()
    }


listed = listings()
if "--write" in sys.argv:
    LISTINGS.mkdir(exist_ok=True)
    for file in LISTINGS.glob("*.txt"):
        file.unlink()
    for module, lines in listed.items():
        (LISTINGS / f"{module}.txt").write_text("\n".join(lines) + "\n")
    sys.exit()

written = {file.stem: file.read_text().splitlines() for file in LISTINGS.glob("*.txt")}
differences = [
    line
    for module in sorted(listed.keys() | written)
    for line in difflib.unified_diff(written.get(module, []), listed.get(module, []), module, module, n=0, lineterm="")
    if not line.startswith(("---", "@@"))
]
if differences:
    print(*differences, sep="\n", file=sys.stderr)
    sys.exit(
        "The public API is not that of Docs/API. If it is meant to change: make api, and a line in CHANGELOG.md. A removed or changed\n"
        "line (-) breaks programs, and so does a requirement without a default. The next version is then a major one\n"
        "(Docs/Reference/Versioning.md)."
    )
