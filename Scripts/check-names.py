#!/usr/bin/env python3
"""Fails if a tool, a page or a list names a suite of tests, a file or a target of make that does not exist, if a text
names a public function that this change removes, if CHANGELOG does not name one that it adds, and if no source names a
case of `Operation`. It takes no arguments.

Such a name does not fail when it is used: a filter for a suite that was renamed matches nothing, and an exception for a
deleted file is never applied. Names in alternatives are checked one by one, as in `(Race|Storm)Tests`.

A change removes a function if the listings in Docs/API declare its name in the last commit, and not in the working
tree. Then no page except CHANGELOG, no comment and no message may contain the name in a code span. It adds a function
if only the listings of the working tree declare its name. Then CHANGELOG has to contain the name in a code span. So run
it after `make api` and before the commit, as `make check` does.
"""
import re

from package import ROOT, finish, git

FILES = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
FILES = [name for name in FILES if (ROOT / name).is_file()]
FOLDERS = {name[:end.start()] for name in FILES for end in re.finditer("/", name)}
TOP = "Benchmarks|Docs|Scripts|Sources|Tests"
# A path ends before a point or a colon of the sentence. `Sources/Promise*` and `Tests/…` stand for several files.
PATH = re.compile(rf"(?<![\w/.$-])(?:{TOP})/[\w+./-]*\w(?![\w*{{(…])")
# Alternatives in a filter, or one name.
SUITES = re.compile(r"\(([A-Z]\w*(?:\|\w+)*)\)Tests\b|\b([A-Z]\w*)Tests\b")
MAKE = re.compile(r"(?:`|^ {4}|\t|step )make ([a-z][a-z-]*(?: [a-z][a-z-]*)*)(?=[ `\n])", re.MULTILINE)
# The texts in which nothing else checks such names. A compiler reads the other files of Swift, and Git the history.
TOOLS = r"Makefile|Scripts/.*|\.ci/run|\.github/.*|.*\.(?:py|sh|mutants)|Tests/LeakTests/Exception\.swift"
PAGES = r"(?!CHANGELOG)[A-Z]+\.md|Docs/.*\.md|Tests/.*\.md"
# These are no names of this package. Each must be necessary.
EXCEPTIONS = {
    "Makefile": {"Benchmarks/.build"},  # Made by a build.
    "Scripts/mutate.py": {
        "Sources/Promise",  # The beginning of the name of each module.
        "Sources/PromiseCore/activeMutant.swift",  # Only in the mutated copy.
        "PackageTests",  # The end of the name of the program that SwiftPM makes of all tests.
    },
}
# This file itself, and the guide that shows the files of a reader's own package (Scripts/try-getting-started.py).
SKIPPED = {"Scripts/check-names.py", "Docs/Guides/GettingStarted.md"}

suites = set()
for name in FILES:
    if "Tests" in name and name.endswith(".swift"):
        # The names of targets and of files, and those of the types in them.
        suites.update(name.removesuffix(".swift").split("/"))
        suites.update(re.findall(r"\b(?:struct|class|enum|extension) (\w+)", (ROOT / name).read_text()))
targets = set(re.findall(r"(?m)^([a-z][a-z-]*):", (ROOT / "Makefile").read_text()))
DECLARED = re.compile(r"\b(?:func|var|class|struct|enum|case|protocol|actor|typealias) `?(\w+)")
OPERATION = "Sources/PromiseCore/Diagnostics/AnyPromise+Description.swift"

# Names in the mangled symbols of a sanitizer's settings, each after its length, as in `12ProgressSink`.
SYMBOL = re.compile(r"(?m)^\w+:(?!s10Foundation)(\w+)$")
words = {word for name in FILES if name.endswith(".swift") for word in re.findall(r"\w+", (ROOT / name).read_text())}


def mangled(symbol):
    """Yields the names in a mangled symbol."""
    for length in re.finditer(r"[1-9]\d*", symbol):
        name = symbol[length.end() : length.end() + int(length[0])]
        if len(name) == int(length[0]) and len(name) > 2:
            yield name


def unknown_in(text):
    """Yields each name in the text that stands for nothing, and what it would be."""
    for path in set(PATH.findall(text)):
        if path not in FOLDERS and not any(name == path or name.startswith(f"{path}.") for name in FILES):
            yield path, "a file or a folder"
    for alternatives, single in set(SUITES.findall(text)):
        for name in (alternatives or single).split("|"):
            if not any(suite.endswith(f"{name}Tests") for suite in suites):
                yield f"{name}Tests", "a suite"
    for names in set(MAKE.findall(text)):
        for name in set(names.split()) - targets:
            yield name, "a target of make"


def stale_in(settings):
    """Yields each name in the symbols of suppressions that the package does not declare."""
    for symbol in SYMBOL.findall(settings):
        yield from ((name, "a name in this package") for name in mangled(symbol) if name not in words)


def changed():
    """Returns the names that only the listings of the last commit declare, and those that only the present ones do."""
    listings = [file for file in FILES if file.startswith("Docs/API/")]
    old = git("ls-tree", "-r", "--name-only", "HEAD", "Docs/API").splitlines()
    now = "".join((ROOT / file).read_text() for file in listings)
    before = "".join(git("show", f"HEAD:{file}") + "\n" for file in old)
    old = set(DECLARED.findall(before))
    new = set(DECLARED.findall(now))
    return old - new, new - old


def operators():
    """Yields the names of the cases of `Operation`."""
    body = re.search(r"(?ms)^package enum Operation\b.*?^$", (ROOT / OPERATION).read_text())[0]
    for line in re.findall(r"(?m)^ +case (.*)", body):
        yield from re.findall(r"\w+", re.sub(r" = \d+", "", line))


problems = []
gone, added = changed()
spans = " ".join(re.findall(r"`[^`]+`", (ROOT / "CHANGELOG.md").read_text()))
problems += [f"CHANGELOG.md: does not name `{name}`, which is new" for name in added - set(re.findall(r"\w+", spans))]
for file in FILES if gone else []:
    if file.endswith((".swift", ".md")) and not file.startswith(("CHANGELOG", "Docs/API/")):
        spans = re.findall(r"`[^`\n]+`", (ROOT / file).read_text())
        found = {name for span in spans for name in re.findall(r"\w+", span) if name in gone}
        problems += [f"{file}: names `{name}`, which is removed" for name in found]
compiled = [name for name in FILES if name.startswith("Sources/") and name.endswith(".swift")]
sources = "".join((ROOT / name).read_text() for name in compiled)
problems += [
    f"{OPERATION}: no source names Operation.{name}"
    for name in operators()
    if not re.search(rf"(?<![\w)\]}}?`])\.{name}\b(?!\()", sources)
]
for file in FILES:
    if file not in SKIPPED and re.fullmatch(f"{TOOLS}|{PAGES}", file):
        text = (ROOT / file).read_text()
        unknown = dict(unknown_in(text))
        if file.startswith("Scripts/Settings/"):
            unknown |= dict(stale_in(text))
        exceptions = EXCEPTIONS.get(file, set())
        problems += [f"{file}: {name} is not {kind}" for name, kind in unknown.items() if name not in exceptions]
        problems += [f"{file}: {name} needs no exception" for name in exceptions - unknown.keys()]
problems += [f"Scripts/check-names.py: there is no {file}" for file in {*EXCEPTIONS, *SKIPPED} - set(FILES)]
finish(sorted(problems))
