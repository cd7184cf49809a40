#!/usr/bin/env python3
"""Fails if a tool, a page or a list names a suite of tests, a file or a target of make that does not exist, if a text
names a public function that this change removes, if CHANGELOG says nothing of one that it adds or removes, if no
mutation names an operator that it adds, and if no source names a case of `Operation`.

    check-names             compares the working tree with the last commit
    check-names COMMIT      compares it with this commit or branch

Such a name does not fail when it is used: a filter for a suite that was renamed matches nothing, and an exception for a
deleted file is never applied. Names in alternatives are checked one by one, as in `(Race|Storm)Tests`.

A change removes a function if the listings in Docs/API declare its name in the last commit, and not in the working
tree. Then no page except CHANGELOG, no comment, no text and no mutation may contain the name in a code span, nor, if
the name has a capital inside as `tapThen`, as a word. A new line of CHANGELOG has to contain the name in a code span,
and no older line of the unreleased version may, except in a table. A change adds a function if only the listings of the
working tree declare its name. Then CHANGELOG has to contain the name in a code span. It adds an operator if it adds a
case of `Operation`. So run this script after `make api` and before the commit, as `make check` does, or name the commit
before the change.
"""
import re
import sys

from package import ROOT, finish, git

# The commit before the change.
BASE = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
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


def committed(file):
    """Returns the text of a file before the change, which is empty if there was no such file."""
    return git("show", f"{BASE}:{file}") + "\n" if git("ls-tree", BASE, file) else ""


def changed():
    """Returns the names that only the listings before the change declare, and those that only the present ones do."""
    listings = [file for file in FILES if file.startswith("Docs/API/")]
    old = git("ls-tree", "-r", "--name-only", BASE, "Docs/API").splitlines()
    now = "".join((ROOT / file).read_text() for file in listings)
    before = "".join(map(committed, old))
    old = set(DECLARED.findall(before))
    new = set(DECLARED.findall(now))
    return old - new, new - old


def operators(text):
    """Yields the names of the cases of `Operation` in a source."""
    body = re.search(r"(?ms)^package enum Operation\b.*?^$", text)
    for line in re.findall(r"(?m)^ +case (.*)", body[0]) if body else []:
        yield from re.findall(r"\w+", re.sub(r" = \d+", "", line))


def spanned(text):
    """Returns the words in the code spans of a text."""
    return set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]+`", text))))


def mentions_in(file):
    """Returns the names that a file may mention: the words in its code spans, and words with a capital inside.

    The latter are only in the comments and texts of a source, because a compiler reads the rest, and outside the code
    blocks of a page, because a test compiles those that show this library.
    """
    text = (ROOT / file).read_text()
    in_spans = re.findall(r"\w+", " ".join(re.findall(r"`[^`\n]+`", text)))
    if file.endswith(".swift"):
        prose = "\n".join(re.findall(r'//.*|"[^"\n]*"', text))
    else:
        prose = re.sub(r"(?ms)^ *```.*?^ *```", "", text)
    return {*in_spans, *re.findall(r"\b[a-z]\w*[A-Z]\w*", prose)}


def problems_of_changelog(gone, added):
    """Yields what CHANGELOG lacks, or says of a removed function as if it still existed."""
    text = (ROOT / "CHANGELOG.md").read_text()
    old = set(committed("CHANGELOG.md").splitlines())
    unreleased = text.split("\n## ")[1].splitlines() if "\n## " in text else []
    new = spanned("\n".join(line for line in text.splitlines() if line not in old))
    stale = spanned("\n".join(line for line in unreleased if line in old and not line.startswith("|")))
    yield from (f"CHANGELOG.md: does not name `{name}`, which is new" for name in added - spanned(text))
    yield from (f"CHANGELOG.md: no new line names `{name}`, which is removed" for name in gone - new)
    yield from (f"CHANGELOG.md: an older line names `{name}`, which is removed" for name in gone & stale)


problems = []
gone, added = changed()
problems += problems_of_changelog(gone, added)
for file in FILES if gone else []:
    if file.endswith((".swift", ".md", ".mutants")) and not file.startswith(("CHANGELOG", "Docs/API/")):
        problems += [f"{file}: names `{name}`, which is removed" for name in mentions_in(file) & gone]
compiled = [name for name in FILES if name.startswith("Sources/") and name.endswith(".swift")]
sources = "".join((ROOT / name).read_text() for name in compiled)
declared = (ROOT / OPERATION).read_text()
new = set(operators(declared)) - set(operators(committed(OPERATION)))
lines = [line for name in FILES if name.endswith(".mutants") for line in (ROOT / name).read_text().splitlines()]
unmutated = new.difference(*map(spanned, lines))
problems += [f"Tests/Verification/Mutants: no mutation names `{name}`, which is new" for name in unmutated]
problems += [
    f"{OPERATION}: no source names Operation.{name}"
    for name in operators(declared)
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
