#!/usr/bin/env python3
"""Builds .build/docs/Promises.doccarchive from the symbols that Scripts/extract-symbols.py wrote, the catalogues in
Sources, and the guides in Docs. With an argument, also builds .build/site for a host that serves it below that path.

Every Markdown file of Docs and of its folders, except the decisions, becomes a page. Docs/README.md is the first page.

Fails for a warning of docc, a public declaration without a comment, a symbol that a catalogue's topics omit, and a
broken link or image in a guide. Scripts/check-contract.py checks the rules that comments name.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import sys

import markdown
from package import ROOT, SWIFT, SYMBOLS, finish, output_of

DOCS = ROOT / "Docs"
BUILD = ROOT / ".build/docs"
GRAPHS = BUILD / "graphs"
GUIDES = BUILD / "Guides.docc"
DRAFTS = BUILD / "drafts"
ARCHIVES = BUILD / "archives"
WHOLE = BUILD / "Promises.doccarchive"
SITE = ROOT / ".build/site"

# The path of Docs/README.md, before it becomes the first page.
OLD_ROOT = "/documentation/guides"
# The pages of Docs/Guides, in reading order.
COURSE = """
GettingStarted OwnersAndClients Chaining Contexts Cancellation Progress Async Foundation Testing LookAtARun
LanguageModes NonSendableValues
""".split()
# The headings of groups of pages, where they differ from the names of the folders.
FOLDERS = {"Docs": "Reference", "Migrating": "Coming from another library"}
# The parts of a path that the name of its page omits.
UNNAMED = {"README", "Guides", "Reference"}
# The parameters for the place of a call, which no caller passes. Titles and lists omit them.
PLACE = ["fileID", ": ", "StaticString", ", ", "line", ": ", "UInt"]
REDIRECTION = '<!doctype html><meta http-equiv="refresh" content="0; url={}">\n'

RULE = re.compile(r"\d+\.\d+")
RULES = re.compile(rf"\brules?\s+{RULE.pattern}(?:(?:,|\s+and|\s+to)\s+{RULE.pattern})*")

modules = (SYMBOLS / "modules").read_text().split()
problems = []


# The symbols


def without_place(fragments):
    """Removes the parameters for the place of a call from the fragments of a declaration."""
    words = [fragment["spelling"] for fragment in fragments]
    for start in range(1, len(words) - len(PLACE)):
        if words[start : start + len(PLACE)] == PLACE:
            before, after = fragments[start - 1], fragments[start + len(PLACE)]
            if after["spelling"].startswith(", "):
                after["spelling"] = after["spelling"].removeprefix(", ")
            else:
                before["spelling"] = before["spelling"].removesuffix(", ")
            del fragments[start : start + len(PLACE)]
            break


def paths_of_rules():
    """Returns the path of each rule. It has the number of the rule, because docc gives a path only one title."""
    found = {}
    for section in (DOCS / "Semantics.md").read_text().split("\n## ")[1:]:
        title, _, rules = section.partition("\n")
        for number in re.findall(r"(?m)^\*\*(\d+\.\d+)\*\*", rules):
            found[number] = f"{OLD_ROOT}/semantics?rule={number}#{markdown.fragment(title)}"
    return found


def link_rules(lines, paths):
    """Turns the numbers of rules in the lines of a comment into links. A line may end after the word `rule`."""
    text = "\n".join(line["text"] for line in lines)
    text = RULES.sub(lambda mention: RULE.sub(lambda rule: f"[{rule[0]}]({paths[rule[0]]})", mention[0]), text)
    for line, linked in zip(lines, text.split("\n")):
        line["text"] = linked


def write_graphs(module, paths):
    """Writes the symbol graphs of a module with short names and with links to rules."""
    (GRAPHS / module).mkdir(parents=True)
    for file in sorted((SYMBOLS / module).glob("*.symbols.json")):
        graph = json.loads(file.read_text())
        for symbol in graph["symbols"]:
            # The comment of a protocol's requirement counts, because the symbol of its implementation inherits it.
            if "docComment" not in symbol and symbol["kind"]["identifier"] != "swift.extension":
                problems.append(f"{module}: no comment says what {'.'.join(symbol['pathComponents'])} is")
            link_rules(symbol.get("docComment", {}).get("lines", []), paths)
            names = symbol["names"]
            names["title"] = names["title"].replace("fileID:line:", "")
            without_place(names.get("subHeading", []))
        (GRAPHS / module / file.name).write_text(json.dumps(graph))


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
        image, text, target = match["image"], match["text"], match["target"] or match["reference"]
        if re.match(r"[a-z]+:", target):
            return match[0]
        is_inline = not match["reference"] and not re.search(r"\s", target)
        found = markdown.destination(file, target) if is_inline else None
        if not found:
            problems.append(f"{file.relative_to(ROOT)}: {match[0].strip()}: leads nowhere, or is not [text](target)")
            return ""
        other, anchor = found
        if image:
            shutil.copy(other, GUIDES)
            return f"![{text}]({other.name})"
        if other in names:
            place = names[other] + ("#" + markdown.fragment(markdown.headings(other)[anchor]) if anchor else "")
            return f"[{text}](doc:{place})"
        if other.name in modules:
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
    groups = {"Guides": [], "Recipes": [], "Modules": [f"/{module}" for module in modules], "Reference": []}
    for file, name in names.items():
        (GUIDES / f"{name}.md").write_text(translated(file, names))
        folder = file.parent.name
        if name != "Guides":
            groups.setdefault(FOLDERS.get(folder, folder), []).append(name)
    if set(groups["Guides"]) != set(COURSE):
        problems.append("Scripts/build-docs.py: COURSE names other pages than Docs/Guides has")
    groups["Guides"] = COURSE
    first = GUIDES / "Guides.md"
    title, _, introduction = first.read_text().partition("\n")
    text = f"{title}\n\n@Metadata {{\n  @TechnologyRoot\n}}\n{introduction}\n## Topics\n\n"
    for heading, group in groups.items():
        text += f"### {heading}\n" + "".join(f"- <doc:{name}>\n" for name in group) + "\n"
    first.write_text(text)


# The archives


def docc(*command):
    beside = pathlib.Path(shutil.which(SWIFT)).with_name("docc")
    output_of(*([beside] if beside.exists() else ["xcrun", "docc"]), *command)


def convert(name, folder, *options):
    """Builds the archive of a module or of the guides in a folder."""
    symbols = ["--additional-symbol-graph-dir", GRAPHS / name, "--fallback-default-module-kind", "Module"]
    sources = [GUIDES] if name == "Guides" else [ROOT / "Sources" / name / f"{name}.docc", *symbols]
    names = ["--fallback-display-name", name, "--fallback-bundle-identifier", name]
    products = ["--output-path", folder / f"{name}.doccarchive", "--enable-experimental-external-link-support"]
    docc("convert", *sources, *names, *products, *options)


def convert_all():
    """Converts everything twice, because the archives link to each other in both directions and docc resolves a link
    only if the other archive exists. Then merges the archives."""
    names = ["Guides", *modules]

    def convert_with_links(name):
        others = [DRAFTS / f"{other}.doccarchive" for other in names if other != name]
        dependencies = [word for other in others for word in ("--dependency", other)]
        convert(name, ARCHIVES, "--warnings-as-errors", *dependencies)

    DRAFTS.mkdir()
    ARCHIVES.mkdir()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda name: convert(name, DRAFTS), names))
        list(pool.map(convert_with_links, names))
    archives = [ARCHIVES / f"{name}.doccarchive" for name in names]
    docc("merge", *archives, "--output-path", WHOLE, "--synthesized-landing-page-name", "Promises")


def find_uncurated():
    """Finds the symbols that a catalogue's topics omit, including members that other modules add."""
    data = WHOLE / "data/documentation"
    for page in sorted(ROOT.glob("Sources/*/*.docc/*.md")):
        title, _, rest = page.read_text().partition("\n")
        path = title.strip("# `").lower()
        if "\n## Topics\n" not in rest:
            continue
        added = data.glob(f"*/{path}/*.json") if "/" in path else []
        omitted, listed = {str(file.relative_to(data).with_suffix("")) for file in added}, set()
        for group in json.loads((data / f"{path}.json").read_text())["topicSections"]:
            symbols = {name.split("/documentation/")[1].lower() for name in group["identifiers"]}
            (omitted if group.get("generated") else listed).update(symbols)
        # A page with this name collects the members that a protocol provides. It is not a symbol of the library.
        omitted = [name for name in sorted(omitted - listed) if not name.endswith("-implementations")]
        problems.extend(f"{page.relative_to(ROOT)}: its topics leave out {name}" for name in omitted)


# The pages of the merged archive


def quoted(node, references):
    """Returns a part of another page's abstract. A link without a reference would show nothing, so its name replaces
    it."""
    path = node.get("identifier", "") if node.get("type") == "reference" else node.get("code", "")
    if path in references or not path.startswith(("/Promise", "doc://", OLD_ROOT)):
        return node
    if path.startswith(OLD_ROOT):
        return {"type": "text", "text": RULE.search(path)[0]}
    module, _, symbol = path.split("/documentation/")[-1].lstrip("/").partition("/")
    name = re.sub(r"-(\w{4,5}|\(.*|swift\..*)$", "", ".".join(symbol.split("/")[-2:]))
    return {"type": "codeVoice", "code": name.replace("fileID:line:", "") or module}


def repair(page, data):
    references = page["references"]
    for reference in references.values():
        if "abstract" in reference:
            reference["abstract"] = [quoted(node, references) for node in reference["abstract"]]
    # docc omits the page of an extended type if a catalogue lists all members elsewhere, but breadcrumbs still lead to
    # that page. Replace it with the page of the type itself, if there is one.
    for path in page.get("hierarchy", {}).get("paths", []):
        for name in list(path):
            url = references[name]["url"]
            if not (data / f"{url[1:]}.json").exists():
                _, top, _, rest = url.split("/", 3)
                if (data / top / f"{rest}.json").exists():
                    references[name]["url"] = f"/{top}/{rest}"
                else:
                    path.remove(name)


def without_empty_groups(nodes):
    following = [*nodes[1:], {"type": "groupMarker"}]
    return [node for node, after in zip(nodes, following) if not node["type"] == after["type"] == "groupMarker"]


def name_entries(node, data):
    """Names functions in the sidebar by their labels. Functions with the same labels keep their types."""
    children = node.get("children", [])
    functions = [child for child in children if child["type"] in ("func", "init", "method")]
    pages = [(data / f"{child['path'][1:]}.json").read_text() for child in functions]
    titles = [json.loads(page)["metadata"]["title"] for page in pages]
    for child, title in zip(functions, titles):
        types = re.sub(r"^.*?(func |(?=init\b))", "", child["title"])
        child["title"] = title if titles.count(title) == 1 else types
    for child in children:
        name_entries(child, data)


def lead_to_guides():
    """Turns the page of the guides into the first page, and repairs the pages and the sidebar of the merged archive."""
    data = WHOLE / "data"
    for file in (data / "documentation").rglob("*.json"):
        page = json.loads(file.read_text())
        repair(page, data)
        file.write_text(json.dumps(page).replace(f'"{OLD_ROOT}"', '"/documentation"'))
    (data / "documentation/guides.json").replace(data / "documentation.json")
    (WHOLE / f"{OLD_ROOT[1:]}/index.html").write_text(REDIRECTION.format("../"))
    # The sidebar lists the same pages as the first page, with the symbols below the modules.
    index = WHOLE / "index/index.json"
    sidebar = json.loads(index.read_text())
    for (root,) in sidebar["interfaceLanguages"].values():
        roots = {node["path"]: node for node in root["children"]}
        for path, module in roots.items():
            # The sidebar of a module shows the first node with the module's path. If that node is a link from another
            # module, it has no children.
            if path != OLD_ROOT:
                kept = [node for node in module["children"] if node.get("path") not in roots]
                module["children"] = without_empty_groups(kept)
        root["children"] = [roots.get(node.get("path"), node) for node in roots[OLD_ROOT]["children"]]
        name_entries(root, data)
    index.write_text(json.dumps(sidebar).replace(f'"{OLD_ROOT}"', '"/documentation"'))


def add_style(folder):
    for file in folder.glob("css/index.*.css"):
        file.write_text(file.read_text() + (ROOT / "Scripts/site.css").read_text())


def build_site(base):
    shutil.rmtree(SITE, ignore_errors=True)
    how = ["--output-path", SITE, "--hosting-base-path", base]
    docc("process-archive", "transform-for-static-hosting", WHOLE, *how)
    # docc replaces the archive's style sheet and first page with its own. Its first page shows an error for `/`.
    add_style(SITE)
    (SITE / "index.html").write_text(REDIRECTION.format("documentation/"))


for folder in [GRAPHS, GUIDES, DRAFTS, ARCHIVES, WHOLE]:
    shutil.rmtree(folder, ignore_errors=True)
paths = paths_of_rules()
for module in modules:
    write_graphs(module, paths)
    landing = ROOT / "Sources" / module / f"{module}.docc/{module}.md"
    if not landing.exists():
        problems.append(f"{module}: has no landing page, {landing.relative_to(ROOT)}")
write_guides()
if problems:
    finish(problems)
convert_all()
find_uncurated()
lead_to_guides()
add_style(WHOLE)
if len(sys.argv) > 1:
    build_site(sys.argv[1])
if not problems:
    server = f"python3 -m http.server -d {WHOLE.relative_to(ROOT)} 8000"
    print(f"To look at it: {server}, and http://localhost:8000/documentation/")
finish(problems)
