"""The table of the memory orderings, Tests/Verification/Memory/orderings.txt, and its operations in the sources."""
import collections
import dataclasses
import re

import programs
from package import ROOT

MEMORY = ROOT / "Tests/Verification/Memory"
TABLE = MEMORY / "orderings.txt"
EFFECTS = {
    "relaxed": programs.RELAXED,
    "acquiring": programs.ACQUIRING,
    "releasing": programs.RELEASING,
    "acquiringAndReleasing": programs.ACQUIRING_AND_RELEASING,
    "sequentiallyConsistent": programs.SEQUENTIALLY_CONSISTENT,
}
ORDERING = re.compile(r"\b(\w*)[oO]rdering: \.(\w+)|\bAtomicLazyReference<")
COMMENT = re.compile(r"//.*")
DECLARATION = re.compile(r"(?:[@\w()]+ )*(?:func (\w+)|var (\w+)[^=]*\{|(init|deinit)\b)")
REASON = re.compile(r"(?:beside (?P<beside>\S+) )?(?P<kind>fails|holds|unneeded|argued)(?::| (?P<protocols>.+)$|$)")


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
    effects: frozenset = programs.RELAXED

    @property
    def place(self):
        return f"{self.file.rpartition('/')[2]}:{self.line}"


class Reason:
    """The reason for a part, as the table states it."""

    def __init__(self, text):
        match = REASON.match(text)
        self.text = text
        self.kind = match["kind"] if match else ""
        # The protocols that fail without the part, or that contain the relaxed operation.
        self.protocols = set((match["protocols"] or "").split(", ")) - {""} if match else set()
        # The operation that has to lose the part, too.
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
