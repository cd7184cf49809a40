#!/usr/bin/env python3
"""Checks the memory orderings of the library against the memory model of C11.

    verify-memory               prints each atomic operation, with the reason for its ordering
    verify-memory --check       prints only the problems
    verify-memory NAME [PART]   prints how the protocols fail without that ordering, or without a part of it

Tests/Verification/Memory/orderings.txt lists every atomic operation of the sources. Each ordering that is stronger than
relaxed is weakened, one part at a time. The table says which protocols fail then. The README there explains it.

Fails if an atomic operation is not in the table, or if one of the table is not in the sources; if a protocol fails as
it is; if a protocol fails with a weaker ordering and the table does not say so, or the other way round; if a litmus
test does not have the verdict that RC11 gives it; and if the search and the axioms disagree about a random program.
"""
import collections
import dataclasses
import re
import runpy
import sys

from package import ROOT, finish

MEMORY = ROOT / "Tests/Verification/Memory"
TABLE = MEMORY / "orderings.txt"
sys.path.append(str(MEMORY))

import axioms  # noqa: E402
import executions  # noqa: E402
import litmus  # noqa: E402

EFFECTS = {
    "relaxed": executions.RELAXED,
    "acquiring": executions.ACQUIRING,
    "releasing": executions.RELEASING,
    "acquiringAndReleasing": executions.ACQUIRING_AND_RELEASING,
    "sequentiallyConsistent": executions.SEQUENTIALLY_CONSISTENT,
}
ORDERING = re.compile(r"\b(\w*)[oO]rdering: \.(\w+)|\bAtomicLazyReference<")
COMMENT = re.compile(r"//.*")
DECLARATION = re.compile(r"(?:[@\w()]+ )*(?:func (\w+)|var (\w+)[^=]*\{|(init|deinit)\b)")
REASON = re.compile(r"(?:beside (?P<beside>\S+) )?(?P<kind>fails|holds|unneeded|argued)(?::| (?P<protocols>.+)$|$)")
# How the summary calls the reasons.
SUMMARY = {"fails": "fail a protocol without it", "beside": "fail a protocol without it and the one beside it",
           "unneeded": "are stronger than needed", "argued": "rest on an argument", "holds": "are in a protocol"}


@dataclasses.dataclass
class Entry:
    """An operation of the table."""

    name: str
    file: str
    text: str
    # The reasons for each part of the ordering, or one for `relaxed` or `library`.
    reasons: dict = dataclasses.field(default_factory=dict)
    # The mutations of this operation that ThreadSanitizer judges.
    mutations: list = dataclasses.field(default_factory=list)
    # The functions that use this accessor, each with the reason why a relaxed load suffices.
    uses: dict = dataclasses.field(default_factory=dict)
    # Where the operation is, and how many there are.
    line: int = 0
    count: int = 0
    # The effects of the ordering in the sources.
    effects: frozenset = executions.RELAXED

    @property
    def place(self):
        return f"{self.file.rpartition('/')[2]}:{self.line}"


@dataclasses.dataclass
class Reason:
    """The reason for a part, as the table states it."""

    text: str
    kind: str
    # The protocols that fail without the part, or that contain the relaxed operation.
    protocols: set
    # The operation without whose part this one has to be weakened, too.
    beside: str | None

    def __init__(self, text):
        match = REASON.match(text)
        self.text = text
        self.kind = match["kind"] if match else ""
        self.protocols = set((match["protocols"] or "").split(", ")) - {""} if match else set()
        self.beside = match["beside"] if match else None


def read_table(problems):
    """Returns the operations of the table by their names."""
    entries = {}
    file = None
    entry = None
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        head, _, rest = line.strip().partition(": ")
        if line.startswith("== "):
            file = line.removeprefix("== ")
        elif not line.startswith(" "):
            entry = Entry(head, file, rest)
            if head in entries:
                problems.append(f"{TABLE.name}:{number}: a name that is used twice: {head}")
            entries[head] = entry
        elif head == "tsan":
            entry.mutations.append(rest)
        elif head.startswith("use "):
            entry.uses[head.removeprefix("use ")] = set(rest.split(", "))
        elif head != "note":
            entry.reasons[head] = Reason(rest)
            if not entry.reasons[head].kind:
                problems.append(f"{TABLE.name}:{number}: no such reason: {rest}")
    return entries


# MARK: - The table and the sources


def read_sources():
    """Returns the code of each file. Comments become spaces, so that positions stay."""
    return {
        str(path.relative_to(ROOT)): COMMENT.sub(lambda comment: " " * len(comment[0]), path.read_text())
        for path in sorted((ROOT / "Sources").rglob("*.swift"))
    }


def line_of(code, position):
    return code.count("\n", 0, position) + 1


def effects_of(code, match):
    """Returns the effects of an ordering that was found in the code."""
    role, ordering = match.groups()
    effects = EFFECTS[ordering]
    if role == "failure":
        return frozenset({"failure"} if "acquire" in effects else ())
    call = call_around(code, match.start())
    # With one ordering, a compare-and-exchange that fails acquires, too. A load never releases, nor a store acquires.
    if call == "compareExchange" and not role and "acquire" in effects:
        return effects | {"failure"}
    return effects - {"load": {"release"}, "store": {"acquire"}}.get(call, set())


def call_around(code, position):
    """Returns the name of the function to which an argument is passed."""
    depth = 1
    while depth:
        position -= 1
        depth += {")": 1, "(": -1}.get(code[position], 0)
    return re.search(r"\w+$", code[:position])[0]


def locate(entries, sources, problems):
    """Finds the operations of the table in the sources, and those that are not in the table."""
    by_file = collections.defaultdict(list)
    for entry in entries.values():
        by_file[entry.file].append(entry)
    for file, code in sources.items():
        orderings = list(ORDERING.finditer(code))
        covered = collections.Counter()
        for entry in by_file.pop(file, []):
            locate_in(code, entry, orderings, covered, problems)
        for match in orderings:
            if covered[match.start()] != 1:
                what = "is in two entries" if covered[match.start()] else "has no entry"
                place = f"{file}:{line_of(code, match.start())}"
                problems.append(f"{place}: this atomic operation {what} of {TABLE.name}: {match[0]}")
    problems += [f"{TABLE.name}: no such file: {file}" for file in by_file]


def locate_in(code, entry, orderings, covered, problems):
    """Finds one operation in a file, and takes its effects from there."""
    text = re.sub(r"(\\\s|\s)+", r"\\s+", re.escape(entry.text))
    spans = [match.span() for match in re.finditer(text, code)]
    found = [match for match in orderings for start, end in spans if start <= match.start() < end]
    if not found:
        problems.append(f"{TABLE.name}: {entry.name}: not in {entry.file}")
        return
    covered.update(match.start() for match in found)
    entry.line = line_of(code, found[0].start())
    entry.count = sum(match[1] != "failure" for match in found)
    is_of_library = not found[0][2]
    if not is_of_library:
        entry.effects = frozenset().union(*(effects_of(code, match) for match in found))
    if entry.effects and len(spans) > 1:
        problems.append(f"{TABLE.name}: {entry.name}: more than once in {entry.file}")
    wanted = ["library"] if is_of_library else sorted(entry.effects) or ["relaxed"]
    if sorted(entry.reasons) != wanted:
        problems.append(f"{TABLE.name}: {entry.name}: needs lines for: {', '.join(wanted)}")


def check_uses(entries, sources, problems):
    """Checks that the table names each function that uses the accessor of a relaxed load."""
    for entry in entries.values():
        if not entry.uses:
            continue
        accessor = DECLARATION.search(sources[entry.file].splitlines()[entry.line - 1])[2]
        used = set()
        for file, code in sources.items():
            lines = code.splitlines()
            for number, line in enumerate(lines):
                if re.search(rf"\b{accessor}\b(?!:)", line):
                    used.add(f"{file.rpartition('/')[2].removesuffix('.swift')}.{enclosing(lines, number)}")
        used.discard(f"{entry.file.rpartition('/')[2].removesuffix('.swift')}.{accessor}")
        listed = set().union(*entry.uses.values())
        problems += [f"{TABLE.name}: {entry.name}: does not list the use in {name}" for name in sorted(used - listed)]
        problems += [f"{TABLE.name}: {entry.name}: not used in {name}" for name in sorted(listed - used)]


def enclosing(lines, number):
    """Returns the name of the function or property to which a line belongs. Indentation shows it."""
    margin = len(lines[number]) - len(lines[number].lstrip()) + 1
    for line in reversed(lines[:number + 1]):
        indent = len(line) - len(line.lstrip())
        match = DECLARATION.match(line.strip())
        if line.strip() and indent < margin and match:
            return next(filter(None, match.groups()))
    return "none"


def check_mutations(entries, problems):
    """Checks that the mutations exist that ThreadSanitizer judges."""
    lists = "".join(path.read_text() for path in (MEMORY.parent / "Mutants").rglob("*.mutants"))
    for entry in entries.values():
        for name in entry.mutations:
            if not re.search(rf"(?m)^{re.escape(name)}: ", lists):
                problems.append(f"{TABLE.name}: {entry.name}: no such mutation: {name}")


# MARK: - The protocols


def read_protocols():
    """Returns the protocols by their names."""
    protocols = {}
    for path in sorted((MEMORY / "Protocols").glob("*.py")):
        module = runpy.run_path(str(path))
        protocols[path.stem] = executions.Program(module["INITIAL"], module["THREADS"], module.get("check"))
    return protocols


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
            verdict = litmus_verdict(test, executions.Search(test.program, is_reduced=is_reduced))
            if verdict != test.verdict:
                problems.append(f"litmus.py: {test.name}: expected: {test.verdict}, found: {verdict}")


def check_search(count, problems):
    """Compares the search with the axioms, on random programs."""
    for seed in range(count):
        threads = axioms.random_threads(seed)
        expected = axioms.outcomes_of(threads)
        for is_reduced in (True, False):
            search = executions.Search(axioms.program_of(threads), is_reduced=is_reduced)
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
    return {name for name in names if executions.Search(protocols[name], orderings).defect}


def verify(entries, protocols, problems):
    """Runs the protocols as they are, and with each ordering weakened. Compares the results with the table."""
    orderings = {entry.name: entry.effects for entry in entries.values()}
    users = collections.defaultdict(set)
    for name, program in protocols.items():
        try:
            search = executions.Search(program, orderings)
        except KeyError as error:
            problems.append(f"{name}.py: no such ordering: {error}")
            continue
        if search.defect:
            problems += [f"{name}: {search.defect}", *(f"    {line}" for line in search.trace())]
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


# MARK: - What is printed


def print_table(entries):
    """Prints the table, with a summary."""
    rows = [(entry, part, reason) for entry in entries.values() for part, reason in entry.reasons.items()]
    for entry, part, reason in rows:
        print(f"{entry.place:32} {entry.name:26} {part:10} {reason.text}")
    strong = [(reason, 1) for entry, _, reason in rows if entry.effects]
    relaxed = [(reason, entry.count) for entry, part, reason in rows if part == "relaxed"]
    count = sum(entry.count for entry in entries.values() if entry.effects)
    print()
    print(f"{count} operations have an ordering stronger than relaxed, with {len(strong)} parts: {summary(strong)}")
    print(f"{sum(count for _, count in relaxed)} operations are relaxed: {summary(relaxed)}")


def summary(reasons):
    """Returns how many operations or parts have each reason, in words."""
    counts = collections.Counter()
    for reason, count in reasons:
        counts["beside" if reason.beside else reason.kind] += count
    return ", ".join(f"{count} {SUMMARY[kind]}" for kind, count in counts.most_common())


def print_traces(entries, protocols, name, parts):
    """Prints how the protocols fail without an ordering."""
    entry = entries[name]
    for part in parts or sorted(entry.effects):
        names = filter(None, [name, entry.reasons[part].beside])
        orderings = orderings_without(entries, part, *names)
        for protocol, program in protocols.items():
            search = executions.Search(program, orderings)
            if search.defect:
                print(f"without {part} of {name}, {protocol}: {search.defect}")
                print("\n".join(f"    {line}" for line in search.trace()))


def main(arguments):
    problems = []
    sources = read_sources()
    entries = read_table(problems)
    locate(entries, sources, problems)
    protocols = read_protocols()
    if arguments and arguments != ["--check"]:
        if arguments[0] not in entries:
            sys.exit(f"no such ordering: {arguments[0]}")
        print_traces(entries, protocols, arguments[0], arguments[1:])
        return
    check_uses(entries, sources, problems)
    check_steps(sources, problems)
    check_mutations(entries, problems)
    check_litmus(problems)
    count_of_programs = 100 if arguments else 2_000
    check_search(count_of_programs, problems)
    verify(entries, protocols, problems)
    if not arguments:
        print_table(entries)
        print(f"{len(litmus.TESTS)} litmus tests, {count_of_programs} random programs, {len(protocols)} protocols")
    finish(problems)


if __name__ == "__main__":
    main(sys.argv[1:])
