#!/usr/bin/env python3
"""Builds .build/docs/Promises.doccarchive from the symbol graphs (`make symbols`), the catalogues in Sources, and the
guides in Docs. With an argument, the archive is for a host that serves it below that path.

Every Markdown file of Docs and of its folders, except the decisions, becomes a page. Docs/README.md is the first page.

Fails for a warning of docc, a public declaration without a comment, a symbol that a catalogue's topics omit, a broken
link or image in a guide, and a module that .spi.yml or the table of modules in README.md omits or adds.
Scripts/check-contract.py checks the rules that comments name.
"""
import json
import pathlib
import re
import shutil
import sys

import markdown
from package import MODULES, ROOT, SWIFT, finish, output_of, symbol_graphs

DOCS = ROOT / "Docs"
BUILD = ROOT / ".build/docs"
GRAPHS = BUILD / "graphs"
CATALOGUE = BUILD / "Promises.docc"
ARCHIVE = BUILD / "Promises.doccarchive"
DATA = ARCHIVE / "data"

# The pages of Docs/Guides, in reading order.
COURSE = """
GettingStarted OwnersAndClients Chaining Contexts Cancellation Progress Async Foundation HTTP Processes Testing
LookAtARun LanguageModes NonSendableValues PlainClasses
""".split()
# The headings of groups of pages, where they differ from the names of the folders.
FOLDERS = {"Docs": "Reference", "Migrating": "Coming from another library"}
# The parts of a path that the name of its page omits.
UNNAMED = {"README", "Guides", "Reference"}
# The parameters for the place of a call, which no caller passes. Titles and lists omit them.
PLACE = ["fileID", ": ", "StaticString", ", ", "line", ": ", "UInt"]

RULE = re.compile(r"\d+\.\d+")
RULES = re.compile(rf"\brules?\s+{RULE.pattern}(?:(?:,|\s+and|\s+to)\s+{RULE.pattern})*")

problems = []


# The symbols


def without_place(fragments):
    """Removes the parameters for the place of a call from the fragments of a declaration."""
    words = [fragment["spelling"] for fragment in fragments]
    for start in range(1, len(words) - len(PLACE)):
        if words[start : start + len(PLACE)] == PLACE:
            before = fragments[start - 1]
            after = fragments[start + len(PLACE)]
            if after["spelling"].startswith(", "):
                after["spelling"] = after["spelling"].removeprefix(", ")
            else:
                before["spelling"] = before["spelling"].removesuffix(", ")
            del fragments[start : start + len(PLACE)]
            break


def links_to_rules():
    found = {}
    for section in (DOCS / "Semantics.md").read_text().split("\n## ")[1:]:
        title, _, rules = section.partition("\n")
        for number in re.findall(r"(?m)^\*\*(\d+\.\d+)\*\*", rules):
            found[number] = f"[{number}](doc:/Guides/Semantics#{markdown.fragment(title)})"
    return found


def link_rules(lines, links):
    """Turns the numbers of rules in the lines of a comment into links. A line may end after the word `rule`."""
    text = "\n".join(line["text"] for line in lines)
    text = RULES.sub(lambda mention: RULE.sub(lambda rule: links[rule[0]], mention[0]), text)
    for line, linked in zip(lines, text.split("\n")):
        line["text"] = linked


def write_graphs():
    """Writes the symbol graphs with short names and with links to rules."""
    GRAPHS.mkdir()
    links = links_to_rules()
    for module, file in ((module, file) for module in MODULES for file in symbol_graphs(module)):
        graph = json.loads(file.read_text())
        for symbol in graph["symbols"]:
            # The comment of a protocol's requirement counts, because the symbol of its implementation inherits it.
            if "docComment" not in symbol and symbol["kind"]["identifier"] != "swift.extension":
                problems.append(f"{module}: no comment says what {'.'.join(symbol['pathComponents'])} is")
            link_rules(symbol.get("docComment", {}).get("lines", []), links)
            names = symbol["names"]
            names["title"] = names["title"].replace("fileID:line:", "")
            without_place(names.get("subHeading", []))
        (GRAPHS / file.name).write_text(json.dumps(graph))


# The guides


def pages():
    """Returns the name of the page of each guide. README.md is the page of its folder, and Docs/README.md that of the
    site. The names of pages of Docs/Guides and Docs/Reference omit the folder."""
    files = [*DOCS.glob("*.md"), *DOCS.glob("*/*.md"), *DOCS.glob("Examples/*/README.md")]
    found = {}
    for file in sorted(files, key=lambda file: (file.name != "README.md", file.name)):
        path = file.relative_to(DOCS).with_suffix("")
        if path.parts[0] != "Decisions":
            found[file] = "-".join(part for part in path.parts if part not in UNNAMED) or "Guides"
    return found


def link_to(name):
    return "doc:/Guides" if name == "Guides" else f"doc:/Guides/{name}"


def translated(file, names):
    """Returns the text of a guide for DocC. Links lead to pages of the site; a file without a page is named by its
    path."""

    def link(match):
        if match["kept"]:
            return match["kept"]
        image = match["image"]
        text = match["text"]
        target = match["target"] or match["reference"]
        if re.match(r"[a-z]+:", target):
            return match[0]
        is_inline = not match["reference"] and not re.search(r"\s", target)
        found = markdown.destination(file, target) if is_inline else None
        if not found:
            problems.append(f"{file.relative_to(ROOT)}: {match[0].strip()}: leads nowhere, or is not [text](target)")
            return ""
        other, anchor = found
        if image:
            shutil.copy(other, CATALOGUE)
            return f"![{text}]({other.name})"
        if other in names:
            place = "#" + markdown.fragment(markdown.headings(other)[anchor]) if anchor else ""
            return f"[{text}]({link_to(names[other])}{place})"
        if other.name in MODULES:
            return f"[{text}](doc:/{other.name})"
        place = str(other.relative_to(ROOT))
        return text if text.strip("`") == place else f"{text} (`{place}`)"

    def plain(match):
        # docc shows backticks in headings literally.
        return match["kept"] or match[0].replace("`", "")

    text = markdown.LINK.sub(link, markdown.without_comments(file.read_text()))
    return re.sub(r"(?ms)(?P<kept>^(?P<fence>```|~~~).*?^(?P=fence))|^#+ [^\n]*", plain, text)


def write_catalogue():
    """Writes one catalogue with the guides and with the catalogues of all modules."""
    CATALOGUE.mkdir()
    for module in MODULES:
        landing = ROOT / "Sources" / module / f"{module}.docc/{module}.md"
        if landing.exists():
            shutil.copytree(landing.parent, CATALOGUE / module)
        else:
            problems.append(f"{module}: has no landing page, {landing.relative_to(ROOT)}")
    names = pages()
    groups = {"Guides": [], "Recipes": [], "Reference": []}
    for file, name in names.items():
        (CATALOGUE / f"{name}.md").write_text(translated(file, names))
        folder = [*file.relative_to(DOCS).parts[:-1], "Docs"][0]
        if name != "Guides":
            groups.setdefault(FOLDERS.get(folder, folder), []).append(name)
    if set(groups["Guides"]) != set(COURSE):
        problems.append("Scripts/build-docs.py: COURSE names other pages than Docs/Guides has")
    groups["Guides"] = COURSE
    first = CATALOGUE / "Guides.md"
    title, _, introduction = first.read_text().partition("\n")
    text = f"{title}\n\n@Metadata {{\n  @TechnologyRoot\n}}\n{introduction}\n## Topics\n\n"
    for heading, group in groups.items():
        text += f"### {heading}\n" + "".join(f"- <{link_to(name)}>\n" for name in group) + "\n"
    first.write_text(text)


def find_forgotten_modules():
    lists = {
        ".spi.yml": re.findall(r"\bPromise\w+", (ROOT / ".spi.yml").read_text()),
        "README.md": re.findall(r"(?m)^\| [^|]+ \| (Promise\w+) \|", (ROOT / "README.md").read_text()),
    }
    problems.extend(f"{name}: lists other modules than Package.swift" for name in lists if lists[name] != MODULES)


# The archive


def convert(base):
    beside = pathlib.Path(shutil.which(SWIFT)).with_name("docc")
    docc = [beside] if beside.exists() else ["xcrun", "docc"]
    sources = [CATALOGUE, "--additional-symbol-graph-dir", GRAPHS, "--fallback-default-module-kind", "Module"]
    names = ["--fallback-display-name", "Guides", "--fallback-bundle-identifier", "Promises"]
    options = ["--warnings-as-errors", "--output-path", ARCHIVE, *(["--hosting-base-path", base] if base else [])]
    output_of(*docc, "convert", *sources, *names, *options)


def find_uncurated():
    """Finds the symbols that a catalogue's topics omit, including members that other modules add."""
    symbols = DATA / "documentation"
    for page in sorted(ROOT.glob("Sources/*/*.docc/*.md")):
        title, _, rest = page.read_text().partition("\n")
        path = title.strip("# `").lower()
        if "\n## Topics\n" not in rest:
            continue
        added = symbols.glob(f"*/{path}/*.json") if "/" in path else []
        omitted = {str(file.relative_to(symbols).with_suffix("")) for file in added}
        listed = set()
        for group in json.loads((symbols / f"{path}.json").read_text())["topicSections"]:
            names = {name.split("/documentation/")[1].lower() for name in group["identifiers"]}
            (omitted if group.get("generated") else listed).update(names)
        # A page with this name collects the members that a protocol provides. It is not a symbol of the library.
        omitted = [name for name in sorted(omitted - listed) if not name.endswith("-implementations")]
        problems.extend(f"{page.relative_to(ROOT)}: its topics leave out {name}" for name in omitted)


def repair_pages():
    """Adds the links in quoted abstracts, which docc shows only with a reference, and repairs breadcrumbs."""
    found = {file: json.loads(file.read_text()) for file in DATA.rglob("*.json")}
    known = {name: reference for page in found.values() for name, reference in page["references"].items()}
    for file, page in found.items():
        references = page["references"]
        for node in [node for reference in references.values() for node in reference.get("abstract", [])]:
            if node["type"] == "reference":
                references.setdefault(node["identifier"], known[node["identifier"]])
        # docc omits the page of an extended type if a catalogue lists all members elsewhere, but breadcrumbs still lead
        # to that page. Replace it with the page of the type itself, if there is one.
        for path in page.get("hierarchy", {}).get("paths", []):
            for name in list(path):
                url = references[name]["url"]
                if not (DATA / f"{url[1:]}.json").exists():
                    _, top, _, rest = url.split("/", 3)
                    references[name]["url"] = f"/{top}/{rest}"
                    if not (DATA / top / f"{rest}.json").exists():
                        path.remove(name)
    # docc allows no module among the topics of a page.
    first = found[DATA / "documentation/guides.json"]
    names = [f"doc://Promises/documentation/{module}" for module in MODULES]
    first["topicSections"].insert(2, {"title": "Modules", "anchor": "Modules", "identifiers": names})
    first["references"] |= {name: known[name] for name in names}
    for file, page in found.items():
        file.write_text(json.dumps(page))


def write_sidebar():
    """Writes a sidebar that lists the guides, and the modules with their symbols."""
    index = ARCHIVE / "index/index.json"
    sidebar = json.loads(index.read_text())
    for nodes in sidebar["interfaceLanguages"].values():
        roots = {node["path"]: node for node in nodes}
        guides = roots["/documentation/guides"]
        modules = [roots[f"/documentation/{module.lower()}"] for module in MODULES]
        place = next(number for number, node in enumerate(guides["children"]) if node["title"] == "Reference")
        guides["children"][place:place] = [{"type": "groupMarker", "title": "Modules"}, *modules]
        nodes[:] = [guides]
    index.write_text(json.dumps(sidebar))


for folder in [GRAPHS, CATALOGUE, ARCHIVE]:
    shutil.rmtree(folder, ignore_errors=True)
BUILD.mkdir(parents=True, exist_ok=True)
write_graphs()
write_catalogue()
find_forgotten_modules()
if problems:
    finish(problems)
convert("".join(sys.argv[1:]))
find_uncurated()
repair_pages()
write_sidebar()
for file in ARCHIVE.glob("css/index.*.css"):
    file.write_text(file.read_text() + (ROOT / "Scripts/site.css").read_text())
# docc's own first page shows an error for `/`.
first = '<!doctype html><meta http-equiv="refresh" content="0; url=documentation/guides/">\n'
(ARCHIVE / "index.html").write_text(first)
if not problems:
    server = f"python3 -m http.server -d {ARCHIVE.relative_to(ROOT)} 8000"
    print(f"To look at it: {server}, and http://localhost:8000")
finish(problems)
