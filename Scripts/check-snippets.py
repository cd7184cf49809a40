#!/usr/bin/env python3
"""Fails unless every Swift block of the README, of the pages in Docs, and of the comments and catalogues in Sources
occurs word for word in a test file, so that all published code compiles. It takes no arguments.

The README's blocks are in one file. Those of Docs/WorksWith.md are in the package Docs/Examples/WorksWith, and those of
Docs/Migrating/WholePrograms.md in the examples or in Tests/TypeCheck. Other blocks are in any file of Tests. A block
may be indented as a whole. Imports are searched separately, because they are at the top of the file. Manifests of
packages, and targets that a page adds to them, are skipped; Scripts/try-getting-started.py builds them. Comments
`// expect:` in Tests/TypeCheck/Refused are ignored. A compiler message in a page of Docs, a line such as " error: …",
must contain the text of such a comment.

In the tables of calls, and in all tables of Docs/Migrating/From*.md, the last column shows this library. Each of its
code spans must occur as whole words in one line of a test, outside comments. Each such guide has a test of its own. A
call in Tests/GuideTests/CallTables.swift that no table has fails, too.
"""
import re
import textwrap

from package import ROOT, finish

FOLDERS = [ROOT / "Docs" / folder for folder in [".", "Guides", "Reference", "Recipes", "Migrating"]]
PAGES = sorted(page for folder in FOLDERS for page in folder.glob("*.md"))
SOURCES = [file for pattern in ["*.swift", "*.md"] for file in sorted((ROOT / "Sources").rglob(pattern))]
PLACES = {
    "README.md": ["Tests/GuideTests/ReadmeTests.swift"],
    "Docs/WorksWith.md": ["Docs/Examples/WorksWith"],
    "Docs/Migrating/WholePrograms.md": ["Docs/Examples", "Tests/TypeCheck"],
}
EXPECTED = re.compile(r"(?m)^ *// expect: (.*)\n")
MANIFEST = re.compile(r"import PackageDescription\n|^ +\.(?:testTarget|executableTarget)\(")
FENCED = re.compile(r"(?ms)^```(?P<language>[^\n]*)\n(?P<block>.*?)^```$")


def is_in(block, text):
    imports = re.findall(r"(?m)^import .*\n", block)
    # A guide's tests import the guide's own package, which does not exist here.
    code = re.sub(r"(?m)^(@testable )?import .*\n", "", block)
    first, *others = textwrap.dedent(code).strip("\n").split("\n")
    indented = "".join(rf"\n\1{re.escape(line)}" if line else r"\n" for line in others)
    is_found = first in text and re.search(rf"(?m)^( *){re.escape(first)}{indented}$", text)
    return is_found and all("\n" + line in text for line in imports)


def texts_in(place):
    paths = sorted(ROOT.glob(place))
    files = [file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*.swift")))]
    return ["\n" + EXPECTED.sub("", file.read_text()) for file in files]


problems = [f"{folder.relative_to(ROOT)}: has no page" for folder in FOLDERS if not any(folder.glob("*.md"))]
problems += [f"PLACES: there is no {name}" for name in PLACES if not (ROOT / name).is_file()]
texts = {place: texts_in(place) for places in [["Tests"], *PLACES.values()] for place in places}
for document in [ROOT / "README.md", *PAGES, *SOURCES]:
    name = str(document.relative_to(ROOT))
    places = PLACES.get(name, ["Tests"])
    published = document.read_text()
    if document.suffix == ".swift":
        published = "".join(line + "\n" for line in re.findall(r"(?m)^ *///(?: (.*)|)$", published))
    blocks = [match["block"] for match in FENCED.finditer(published) if match["language"] == "swift"]
    if name == "README.md" and not blocks:
        problems.append("README.md: has no Swift block")
    for block in blocks:
        if not MANIFEST.search(block) and not any(is_in(block, text) for place in places for text in texts[place]):
            problems.append(f"{name}: this block is not in {' or '.join(places)}:\n{block}")

# The calls of all tables, which the file of the calls compiles.
CALLS = ROOT / "Tests/GuideTests/CallTables.swift"
shown = set()

refused = "".join(file.read_text() for file in (ROOT / "Tests/TypeCheck/Refused").rglob("*.swift"))
for page in PAGES:
    name = page.relative_to(ROOT)
    text = page.read_text()
    place = "Tests/*Tests"
    for message in re.findall(r"(?m)^    (?:error|warning): (.*)$", text):
        if not any(said in message for said in EXPECTED.findall(refused)):
            problems.append(f"{name}: no file in Tests/TypeCheck/Refused expects: {message}")
    tables = re.findall(r"(?s)<!-- calls -->(.*?)<!-- /calls -->", text)
    if page.match("Migrating/From*.md"):
        place = f"Tests/GuideTests/Migrating/{page.stem}Tests.swift"
        tables = [FENCED.sub("", text)]
    spans = re.findall(r"`([^`]+)`", "\n".join(re.findall(r"(?m)^\|.*\|(.*)\|$", "\n".join(tables))))
    shown.update(spans)
    if not spans and (tables or "## Which call do I want?" in text):
        problems.append(f"{name}: no table has code in its last column")
    code = re.sub(r"//.*", "", "".join(texts.get(place) or texts_in(place))) if spans else ""
    for span in spans:
        if not re.search(rf"(?<!\w){re.escape(span)}(?!\w)", code):
            problems.append(f"{name}: not in {place}: {span}")
for call in re.findall(r"(?m)^  ((?:_ = .*\(|\w+\.).*)", CALLS.read_text()):
    if not any(span in call for span in shown):
        problems.append(f"{CALLS.relative_to(ROOT)}: no table has this call: {call}")
finish(problems)
