#!/usr/bin/env python3
"""Checks the memory orderings of the library against the memory model of C11.

    verify-memory               prints each atomic operation, with the reason for its ordering
    verify-memory --check       prints only the problems
    verify-memory NAME [PART]   prints how the protocols fail without that ordering, or without a part of it

Tests/Verification/Memory/orderings.txt lists every atomic operation of the sources. Each ordering that is stronger than
relaxed is weakened, one part at a time. The table says which protocols fail then. The README there explains it.

Fails if an atomic operation is not in the table, or if one of the table is not in the sources; if a protocol fails as
it is, or holds even without any ordering; if a protocol fails with a weaker ordering and the table does not say so, or
the other way round; if a litmus test does not have the verdict that RC11 gives it; and if the search and the axioms
disagree about a random program.
"""
import collections
import re
import runpy
import sys

from orderings import MEMORY, TABLE, check_mutations, check_uses, locate, read_sources, read_table
from package import ROOT, finish
from programs import Program
from search import Search

sys.path.append(str(MEMORY))

import axioms  # noqa: E402
import litmus  # noqa: E402

# Has the figures in words.
PAGE = "Tests/Verification/Memory/README.md"
# How many random programs test the search, with --check and without it.
FEWEST_PROGRAMS = 100
MOST_PROGRAMS = 2_000
# How the summary calls the reasons.
SUMMARY = {"fails": "fail a protocol without it", "beside": "fail a protocol without it and the one beside it",
           "unneeded": "are stronger than needed", "argued": "rest on an argument", "holds": "are in a protocol"}


def read_protocols():
    """Returns the protocols by their names, and the broken variants that some have."""
    protocols = {}
    broken = {}
    for path in sorted((MEMORY / "Protocols").glob("*.py")):
        module = runpy.run_path(str(path))
        protocols[path.stem] = Program(module["INITIAL"], module["THREADS"], module.get("check"))
        for name, threads in module.get("BROKEN", {}).items():
            broken[f"{path.stem}, {name}"] = Program(module["INITIAL"], threads, module.get("check"))
    return protocols, broken


def check_steps(sources, problems):
    """Checks that the sources have the functions that the protocols name in their comments."""
    for path in sorted(MEMORY.rglob("*.py")):
        for owner, function in re.findall(r"(?:# |\"\"\").*?`(\w+)\.(?:\w+\.)?(\w+)`", path.read_text()):
            kinds = r"(?:class|struct|enum|extension)"
            declaration = rf"\b(?:func|var|let) {function}\b|(?:^|\s){function}(?:\(| \{{)"
            if not any(re.search(rf"\b{kinds} {owner}\b", code) and re.search(declaration, code)
                       for code in sources.values()):
                problems.append(f"{path.name}: no such function: {owner}.{function}")


def check_litmus(problems):
    """Runs the litmus tests, with the reduced search and with the other one."""
    for test in litmus.TESTS:
        for is_reduced in (True, False):
            verdict = litmus_verdict(test, Search(test.program, is_reduced=is_reduced))
            if verdict != test.verdict:
                problems.append(f"litmus.py: {test.name}: expected: {test.verdict}, found: {verdict}")


def check_search(count, problems):
    """Compares the search with the axioms, on random programs."""
    for seed in range(count):
        threads = axioms.random_threads(seed)
        expected = axioms.outcomes_of(threads)
        for is_reduced in (True, False):
            search = Search(axioms.program_of(threads), is_reduced=is_reduced)
            if expected != (None if search.defect else search.outcomes):
                problems.append(f"axioms.py: the search finds other results of the random program {seed}")


def litmus_verdict(test, search):
    """Returns the verdict of a litmus test, in its own words."""
    if search.defect:
        return {"a race": "races", "hangs:": "hangs"}.get(search.defect[:6], "fails")
    if test.verdict == "holds":
        return "holds"
    return "allowed" if any(test.condition(results) for results in search.outcomes) else "forbidden"


def orderings_without(entries, part, *names):
    """Returns all orderings, without a part of some."""
    orderings = {entry.name: entry.effects for entry in entries.values()}
    for name in names:
        # A sequentially consistent operation without the part is no more than what is left.
        orderings[name] = orderings[name] - {part, "sequential"}
    return orderings


def failing(protocols, names, orderings):
    """Returns those of the named protocols that fail with these orderings."""
    return {name for name in names if Search(protocols[name], orderings).defect}


def verify_broken(entries, broken, problems):
    """Checks that the broken variants fail."""
    orderings = {entry.name: entry.effects for entry in entries.values()}
    for name in broken.keys() - failing(broken, broken.keys(), orderings):
        problems.append(f"{name}: holds, although it is broken")


def verify(entries, protocols, problems):
    """Runs the protocols as they are, and with each ordering weakened. Compares the results with the table."""
    orderings = {entry.name: entry.effects for entry in entries.values()}
    users = collections.defaultdict(set)
    for name, program in protocols.items():
        try:
            search = Search(program, orderings)
        except KeyError as error:
            problems.append(f"{name}.py: no such ordering: {error}")
            continue
        if search.defect:
            problems += [f"{name}: {search.defect}", *(f"    {line}" for line in search.trace())]
        if not Search(program, orderings, is_broken=True).defect:
            problems.append(f"{name}: holds even if no operation has an ordering and no update is atomic")
        for used in search.used:
            users[used].add(name)
    for entry in entries.values():
        for part, reason in entry.reasons.items():
            found = users[entry.name] if reason.kind == "holds" else set()
            if part not in ("relaxed", "library"):
                found = failing_without(entries, entry, part, protocols, users[entry.name], problems)
            if found != reason.protocols:
                listed = ", ".join(sorted(found)) or "none"
                problems.append(f"{TABLE.name}: {entry.name}: {part}: {reason.text}: found: {listed}")


def failing_without(entries, entry, part, protocols, users, problems):
    """Returns the protocols that fail without a part of an ordering."""
    beside = entry.reasons[part].beside
    alone = failing(protocols, users, orderings_without(entries, part, entry.name))
    if not beside:
        return alone
    if alone:
        problems.append(f"{TABLE.name}: {entry.name}: {part}: fails alone: {', '.join(sorted(alone))}")
    return failing(protocols, users, orderings_without(entries, part, entry.name, beside))


def print_table(entries):
    """Prints the table, with a summary."""
    rows = [(entry, part, reason) for entry in entries.values() for part, reason in entry.reasons.items()]
    for entry, part, reason in rows:
        print(f"{entry.place:32} {entry.name:26} {part:10} {reason.text}")
    strong, parts, relaxed = counts_of(entries)
    print()
    print(f"{strong} operations have an ordering stronger than relaxed, with {parts.total()} parts: {summary(parts)}")
    print(f"{relaxed.total()} operations are relaxed: {summary(relaxed)}")


def counts_of(entries):
    """Returns the number of operations with an ordering, and how many reasons of each kind their parts have.

    Last comes how many of the relaxed operations have a reason of each kind.
    """
    parts = collections.Counter()
    relaxed = collections.Counter()
    for entry in entries.values():
        for part, reason in entry.reasons.items():
            if entry.effects:
                parts["beside" if reason.beside else reason.kind] += 1
            elif part == "relaxed":
                relaxed[reason.kind] += entry.count
    return sum(entry.count for entry in entries.values() if entry.effects), parts, relaxed


def summary(counts):
    """Returns how many operations or parts have each reason, in words."""
    return ", ".join(f"{count} {SUMMARY[kind]}" for kind, count in counts.most_common())


def check_page(entries, protocols, problems):
    """Checks the figures in Tests/Verification/Memory/README.md."""
    page = " ".join((ROOT / PAGE).read_text().split())
    strong, parts, relaxed = counts_of(entries)
    for text in [
        f"{len(protocols)} small programs",
        f"the {strong + relaxed.total()} atomic operations",
        f"{strong} operations have an ordering",
        f"have {parts.total()} parts",
        f"Without any of {parts['fails']} parts, a program fails. {parts['beside']} others",
        f"The remaining {parts['unneeded']} are stronger",
        f"{relaxed.total()} operations are relaxed. {relaxed['holds']} of these",
        f"{relaxed['argued']} rest on an argument",
        f"{len(litmus.TESTS)} classic litmus tests",
        f"{MOST_PROGRAMS:,} random programs",
    ]:
        if text not in page:
            problems.append(f"{PAGE}: does not say: {text}")


def print_traces(entries, protocols, name, parts):
    """Prints how the protocols fail without an ordering."""
    entry = entries[name]
    for part in parts or sorted(entry.effects):
        names = filter(None, [name, entry.reasons[part].beside])
        orderings = orderings_without(entries, part, *names)
        for protocol, program in protocols.items():
            search = Search(program, orderings)
            if search.defect:
                print(f"without {part} of {name}, {protocol}: {search.defect}")
                print("\n".join(f"    {line}" for line in search.trace()))


def main(arguments):
    problems = []
    sources = read_sources()
    entries = read_table(problems)
    locate(entries, sources, problems)
    protocols, broken = read_protocols()
    if arguments and arguments != ["--check"]:
        if arguments[0] not in entries:
            sys.exit(f"no such ordering: {arguments[0]}")
        print_traces(entries, protocols, arguments[0], arguments[1:])
        return
    check_uses(entries, sources, problems)
    check_steps(sources, problems)
    check_mutations(entries, problems)
    check_litmus(problems)
    check_search(FEWEST_PROGRAMS if arguments else MOST_PROGRAMS, problems)
    verify(entries, protocols, problems)
    verify_broken(entries, broken, problems)
    check_page(entries, protocols, problems)
    if not arguments:
        print_table(entries)
        print(f"{len(litmus.TESTS)} litmus tests, {MOST_PROGRAMS} random programs, {len(protocols)} protocols")
    finish(problems)


if __name__ == "__main__":
    main(sys.argv[1:])
