#!/usr/bin/env python3
"""Fails unless every Swift block of the README, of the pages in Docs, and of the comments and catalogues in Sources
occurs word for word in a test file, so that all published code compiles. It takes no arguments.

The README's blocks are in one file, in the same order. Those of Docs/WorksWith.md are in the package
Docs/Examples/WorksWith. Other blocks are in any file of Tests. A block may be indented
as a whole. Its imports are searched separately, because they are at the top of the file. Manifests of packages, and
targets that a page adds to them, are skipped; Scripts/try-getting-started.py builds them.
Comments `// expect:` in Tests/TypeCheck/Refused are ignored. A compiler message in a page of Docs, a line such as
"    error: …", must contain the text of such a comment.

In the tables of Docs/Migrating, the last column shows this library. Each of its code spans must occur as whole words in
one line of the file in Tests/GuideTests/Migrating that has the name of the guide, outside comments.
"""
import functools
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
# The folders of Docs whose pages are checked. The package compiles the code of Docs/Examples.
FOLDERS = [".", "Guides", "Reference", "Recipes", "Migrating"]
# A page about other packages, whose code is in a package of its own.
WORKS_WITH = ROOT / "Docs/WorksWith.md"
EXPECTED = re.compile(r" *// expect: (.*)")
TARGET = re.compile(r" +\.(?:testTarget|executableTarget)\(")


def lines_of(text):
    return textwrap.dedent(text).strip("\n").split("\n")


def occurs(wanted, lines):
    size = len(wanted)
    starts = (i for i, line in enumerate(lines) if line.strip() == wanted[0].strip())
    return any(lines_of("\n".join(lines[i : i + size])) == wanted for i in starts)


def is_in(block, lines):
    imports = [line for line in block.split("\n") if line.startswith("import ")]
    # A guide's tests import the guide's own package, which does not exist here.
    code = "\n".join(line for line in block.split("\n") if line not in imports and not line.startswith("@testable import "))
    return all(line in lines for line in imports) and occurs(lines_of(code), lines)


def blocks(document):
    text = document.read_text()
    if document.suffix == ".swift":
        text = "\n".join(re.findall(r"^ *///(?: (.*)|)$", text, re.MULTILINE)) + "\n"
    found = re.findall(r"^```swift\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for block in found if "import PackageDescription\n" not in block and not TARGET.match(block)]


def missing(document, files):
    texts = [[line for line in file.read_text().split("\n") if not EXPECTED.match(line)] for file in files]
    return [block for block in blocks(document) if not any(is_in(block, lines) for lines in texts)]


def ours(document):
    """Returns the code spans of the last column of each table."""
    spans = []
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    for table in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        for row in table.split("\n")[2:-1]:
            spans += re.findall(r"`([^`]+)`", row.rstrip("|").rsplit("|", 1)[1])
    return spans


def uncompiled(document):
    file = ROOT / f"Tests/GuideTests/Migrating/{document.stem}Tests.swift"
    code = [line.split("//")[0] for line in file.read_text().split("\n")] if file.exists() else []
    return [span for span in ours(document) if not any(re.search(rf"(?<!\w){re.escape(span)}(?!\w)", line) for line in code)]


@functools.cache
def files_in(place):
    """Returns the Swift files in a folder, or the one file of that name."""
    path = ROOT / place
    return [path] if path.is_file() else sorted(path.rglob("*.swift"))


if not blocks(README):
    sys.exit("README.md: no Swift block found")
tests = files_in("Tests")
failed = False
migrating = sorted((ROOT / "Docs/Migrating").glob("*.md"))
pages = [page for folder in FOLDERS for page in sorted((ROOT / "Docs" / folder).glob("*.md"))]
others = [*pages, *sorted((ROOT / "Sources").rglob("*.swift")), *sorted((ROOT / "Sources").rglob("*.md"))]
places = {README: "Tests/GuideTests/ReadmeTests.swift", WORKS_WITH: "Docs/Examples/WorksWith"}
for document in [README, *others]:
    where = places.get(document, "Tests")
    for block in missing(document, files_in(where)):
        failed = True
        print(f"{document.relative_to(ROOT)}: this block is not in {where}:\n{block}", file=sys.stderr)
refused = [EXPECTED.match(line) for file in tests if "TypeCheck/Refused" in str(file) for line in file.read_text().split("\n")]
for document in pages:
    for message in re.findall(r"^    (?:error|warning): (.*)$", document.read_text(), re.MULTILINE):
        if not any(comment and comment[1] in message for comment in refused):
            failed = True
            print(f"{document.relative_to(ROOT)}: no file in Tests/TypeCheck/Refused expects: {message}", file=sys.stderr)
for document in migrating:
    if not ours(document):
        failed = True
        print(f"{document.relative_to(ROOT)}: no table with code in its last column", file=sys.stderr)
    for span in uncompiled(document):
        failed = True
        print(f"{document.relative_to(ROOT)}: not in {document.stem}Tests.swift: {span}", file=sys.stderr)
sys.exit(1 if failed else 0)
