#!/usr/bin/env python3
"""Builds .build/site from the symbol graphs of `make symbols`, the catalogues in Sources, and the guides in Docs. An
argument is the path below which a web host serves the site.

Every Markdown file of Docs and of its folders, except the decisions, becomes a page. Docs/README.md is the first page.

Fails for a warning of docc, a public declaration without a comment, a symbol that a catalogue's topics omit, and a
broken link or image in a guide.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import sys

import markdown
from package import MODULES, ROOT, SWIFT, finish, output_of, symbol_graphs

DOCS = ROOT / "Docs"
BUILD = ROOT / ".build/docs"
SITE = ROOT / ".build/site"
GUIDES = BUILD / "Guides.docc"
ARCHIVE = BUILD / "Promises.doccarchive"
ARCHIVES = ["Guides", *MODULES]

# The pages of Docs/Guides, in reading order.
COURSE = """
GettingStarted OwnersAndClients Chaining Contexts Cancellation Progress Async Foundation Testing LookAtARun
LanguageModes NonSendableValues
""".split()
# The headings of groups of pages, where they differ from the names of the folders.
FOLDERS = {"Docs": "Reference", "Migrating": "Coming from another library"}
# The parts of a path that the name of its page omits.
UNNAMED = {"README", "Guides", "Reference"}

# The parameters for the place of a call.
PLACE = ["fileID", ": ", "StaticString", ", ", "line", ": ", "UInt"]

problems = []


# The symbols


def without_place(fragments):
    """Removes the parameters for the place of a call, which no caller passes, from the fragments of a declaration."""
    words = [fragment["spelling"] for fragment in fragments]
    for start in range(len(words) - len(PLACE)):
        if words[start : start + len(PLACE)] == PLACE:
            before, after = fragments[start - 1], fragments[start + len(PLACE)]
            if after["spelling"].startswith(", "):
                after["spelling"] = after["spelling"].removeprefix(", ")
            else:
                before["spelling"] = before["spelling"].removesuffix(", ")
            del fragments[start : start + len(PLACE)]


def with_links(text):
    """Links the numbers of rules to their page."""
    number = re.compile(r"\d+\.\d+")
    rules = rf"\brules? {number.pattern}(?:(?:, | and | to ){number.pattern})*"
    return re.sub(rules, lambda mention: number.sub(r"[\g<0>](doc:/Guides/Semantics)", mention[0]), text)


def write_symbols(module):
    """Writes the symbol graphs of a module with short names, and with links from comments to rules."""
    for file in symbol_graphs(module):
        graph = json.loads(file.read_text())
        for symbol in graph["symbols"]:
            # The comment of a protocol's requirement counts, because the symbol of its implementation inherits it.
            if "docComment" not in symbol and symbol["kind"]["identifier"] != "swift.extension":
                problems.append(f"{module}: no comment says what {'.'.join(symbol['pathComponents'])} is")
            for line in symbol.get("docComment", {}).get("lines", []):
                line["text"] = with_links(line["text"])
            names = symbol["names"]
            names["title"] = names["title"].replace("fileID:line:", "")
            without_place(names.get("subHeading", []))
        copy = BUILD / "symbols" / module / file.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(json.dumps(graph))


# The guides


def pages():
    """Returns the name of the page of each guide. README.md is the page of its folder, and Docs/README.md that of the
    site. The names of pages of Docs/Guides and Docs/Reference omit the folder."""
    files = [*DOCS.glob("*.md"), *DOCS.glob("*/*.md")]
    found = {}
    for file in sorted(files, key=lambda file: (file.name != "README.md", file.name)):
        path = file.relative_to(DOCS).with_suffix("")
        if path.parts[0] != "Decisions":
            found[file] = "-".join(part for part in path.parts if part not in UNNAMED) or "Guides"
    return found


def translated(file, names):
    """Returns the text of a guide for DocC. Links lead to pages of the site; a file without a page is named by its
    path."""

    def link(match):
        if match["kept"]:
            return match["kept"]
        text, target = match["text"], match["target"]
        if target and re.match(r"[a-z]+:", target):
            return match[0]
        found = target and markdown.destination(file, target)
        if not found:
            problems.append(f"{file.relative_to(ROOT)}: {match[0].strip()}: leads nowhere, or is not [text](target)")
            return ""
        other, anchor = found
        if match["image"]:
            shutil.copy(other, GUIDES)
            return f"![{text}]({other.name})"
        if other in names:
            place = names[other] + ("#" + markdown.fragment(markdown.headings(other)[anchor]) if anchor else "")
            return f"[{text}](doc:{place})"
        if other.name in MODULES:
            return f"[{text}](doc:/{other.name})"
        place = str(other.relative_to(ROOT))
        return text if text.strip("`") == place else f"{text} (`{place}`)"

    def plain(match):
        # docc shows backticks in headings literally.
        return match["kept"] or match[0].replace("`", "")

    text = markdown.LINK.sub(link, markdown.without_comments(file.read_text()))
    return re.sub(r"(?ms)(?P<kept>^(?P<fence>```|~~~).*?^(?P=fence))|^#+ [^\n]*", plain, text)


def write_guides():
    GUIDES.mkdir()
    names = pages()
    groups = {"Guides": COURSE, "Recipes": [], "Reference": []}
    if sorted(COURSE) != sorted(name for file, name in names.items() if file.parent.name == "Guides"):
        problems.append("Scripts/build-docs.py: COURSE does not list the pages of Docs/Guides")
    for file, name in names.items():
        (GUIDES / f"{name}.md").write_text(translated(file, names))
        if file.parent.name != "Guides" and name != "Guides":
            groups.setdefault(FOLDERS.get(file.parent.name, file.parent.name), []).append(name)
    first = GUIDES / "Guides.md"
    title, _, introduction = first.read_text().partition("\n")
    text = f"{title}\n\n@Metadata {{\n  @TechnologyRoot\n}}\n{introduction}\n## Topics\n"
    for heading, group in groups.items():
        text += f"\n### {heading}\n" + "".join(f"- <doc:{name}>\n" for name in group)
    first.write_text(text)


# The archives


def docc(*command):
    beside = pathlib.Path(shutil.which(SWIFT)).with_name("docc")
    output_of(*([beside] if beside.exists() else ["xcrun", "docc"]), *command)


def convert(name, folder, *options):
    """Builds the archive of a module or of the guides in a folder."""
    symbols = ["--additional-symbol-graph-dir", BUILD / "symbols" / name, "--fallback-default-module-kind", "Module"]
    sources = [GUIDES] if name == "Guides" else [ROOT / "Sources" / name / f"{name}.docc", *symbols]
    names = ["--fallback-display-name", name, "--fallback-bundle-identifier", name]
    products = ["--output-path", folder / f"{name}.doccarchive", "--enable-experimental-external-link-support"]
    docc("convert", *sources, *names, *products, *options)


def convert_all():
    """Converts everything twice, because the archives link to each other in both directions and docc resolves a link
    only if the other archive exists."""
    drafts, archives = BUILD / "drafts", BUILD / "archives"
    drafts.mkdir()
    archives.mkdir()

    def convert_again(name):
        others = [drafts / f"{other}.doccarchive" for other in ARCHIVES if other != name]
        convert(name, archives, "--warnings-as-errors", *(word for other in others for word in ("--dependency", other)))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda name: convert(name, drafts), ARCHIVES))
        list(pool.map(convert_again, ARCHIVES))
    made = [archives / f"{name}.doccarchive" for name in ARCHIVES]
    docc("merge", *made, "--output-path", ARCHIVE, "--synthesized-landing-page-name", "Promises")


def repaired(node, references):
    """Returns a part of an abstract that docc has copied from another archive. A link without its reference would show
    nothing, so its name replaces it."""
    if node.get("type") != "reference" or node["identifier"] in references:
        return node
    name = node["identifier"].rpartition("/")[2].replace("fileID:line:", "")
    return {"type": "text", "text": node.get("overridingTitle") or name}


def repair_pages():
    data = ARCHIVE / "data"
    for file in data.rglob("*.json"):
        page = json.loads(file.read_text())
        references = page.get("references", {})
        for reference in references.values():
            if "abstract" in reference:
                reference["abstract"] = [repaired(node, references) for node in reference["abstract"]]
        # docc omits the page of an extended type if a catalogue lists all members elsewhere, but breadcrumbs still lead
        # to that page.
        for path in page.get("hierarchy", {}).get("paths", []):
            path[:] = [name for name in path if (data / f"{references[name]['url'][1:]}.json").exists()]
        file.write_text(json.dumps(page))


def find_uncurated():
    """Finds the symbols that docc groups itself, on a page that has groups of its own, or whose extended type has."""
    data = ARCHIVE / "data/documentation"
    groups = {}
    for file in data.rglob("*.json"):
        groups[str(file.relative_to(data))] = json.loads(file.read_text()).get("topicSections", [])
    curated = {path: [g for g in own if not g.get("generated")] for path, own in groups.items()}
    listed = {symbol for own in curated.values() for group in own for symbol in group["identifiers"]}
    for path, own in groups.items():
        extended = path.partition("/")[2]
        if curated[path] or "/" in extended and curated.get(extended):
            left = {symbol for group in own for symbol in group["identifiers"]} - listed
            # Such a page collects the members that a protocol provides. It is not a symbol of the library.
            left = sorted(symbol for symbol in left if not symbol.endswith("-Implementations"))
            problems.extend(f"no group of a catalogue has {symbol.split('/documentation/')[1]}" for symbol in left)


shutil.rmtree(BUILD, ignore_errors=True)
shutil.rmtree(SITE, ignore_errors=True)
for module in MODULES:
    write_symbols(module)
write_guides()
if problems:
    finish(problems)
convert_all()
find_uncurated()
repair_pages()
base = ["--hosting-base-path", sys.argv[1]] if len(sys.argv) > 1 else []
docc("process-archive", "transform-for-static-hosting", ARCHIVE, "--output-path", SITE, *base)
(SITE / "index.html").write_text('<!doctype html><meta http-equiv="refresh" content="0; url=documentation/guides/">\n')
if not problems:
    print("To look at it: python3 -m http.server -d .build/site 8000, and http://localhost:8000")
finish(problems)
