#!/usr/bin/env python3
"""Builds .build/docs/Promises.doccarchive from the symbols that Scripts/extract-symbols.py wrote, the catalogues in
Sources, and the guides in Docs. With an argument, also builds .build/site for a web host that serves it below that path.

Every Markdown file of Docs and of its folders, except the decisions, becomes a page. Docs/README.md introduces the
first page.

Fails for a warning of docc, a public declaration without a comment, a symbol that a catalogue's topics omit, a broken
link or image in a guide, and a rule in a comment that Docs/Semantics.md does not contain.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import markdown
import package
from package import ROOT, SWIFT

DOCS = ROOT / "Docs"
BUILD = ROOT / ".build/docs"
ARCHIVES = BUILD / "archives"
DRAFTS = BUILD / "drafts"
SEMANTICS = DOCS / "Semantics.md"
GUIDES = BUILD / "Guides.docc"

# The page of the guides, which replaces docc's own list of modules.
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

problems = []


# The modules


def uncommented(module):
    for file in sorted((BUILD / "symbols" / module).glob("*.symbols.json")):
        for symbol in json.loads(file.read_text())["symbols"]:
            # The comment of a protocol's requirement counts, because the symbol of its implementation inherits it.
            if "docComment" not in symbol and symbol["kind"]["identifier"] != "swift.extension":
                yield f"{module}: no comment says what {'.'.join(symbol['pathComponents'])} is"


def additions():
    """Returns, for the page of each type, the pages of the members that other modules add to the type."""
    pages = {}
    for archive in ARCHIVES.glob("*.doccarchive"):
        data = archive / "data/documentation"
        for file in sorted(data.glob("*/*/*/*.json")):
            module, *owner, name = file.relative_to(data).with_suffix("").parts
            pages.setdefault("/".join(owner), []).append(f"{module}/{'/'.join(owner)}/{name}")
    return pages


def not_curated(module, added):
    """Yields a problem for each symbol that a catalogue's topics omit, including members that other modules add."""
    data = ARCHIVES / f"{module}.doccarchive/data/documentation"
    for page in sorted((ROOT / "Sources" / module / f"{module}.docc").glob("*.md")):
        title, _, rest = page.read_text().partition("\n")
        if "\n## Topics\n" not in rest:
            continue
        name = title.strip("# `")
        shown = json.loads((data / f"{name.lower()}.json").read_text())
        for group in shown["topicSections"]:
            for symbol in group["identifiers"] if group.get("generated") else []:
                # Such a page collects the members that a protocol provides. It is not a symbol of the library.
                if not symbol.endswith("-Implementations"):
                    yield f"{page.relative_to(ROOT)}: its topics leave out {symbol.split('/documentation/')[1]}"
        listed = {name.split("/documentation/")[1].lower() for group in shown["topicSections"] for name in group["identifiers"]}
        for name in added.get(name.lower(), []):
            if name not in listed:
                yield f"{page.relative_to(ROOT)}: its topics leave out {name}"


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
        is_odd = match["reference"] or re.search(r"\s", target)
        found = None if is_odd else markdown.destination(file, target)
        if not found:
            why = "links are written [text](target) here" if is_odd else "leads nowhere"
            problems.append(f"{file.relative_to(ROOT)}: {match[0].strip()}: {why}")
            return text or ""
        other, anchor = found
        if image:
            shutil.copy(other, GUIDES)
            return f"![{text}]({other.name})"
        if other in names:
            place = names[other] + ("#" + markdown.fragment(markdown.headings(other)[anchor]) if anchor else "")
            return f"[{text}](doc:{place})"
        if (other / f"{other.name}.docc").exists():
            return f"[{text}](doc:/{other.name})"
        place = str(other.relative_to(ROOT))
        return text if text.strip("`") == place else f"{text} (`{place}`)"

    def plain(match):
        # docc shows backticks in headings literally.
        return match["kept"] or match[0].replace("`", "")

    text = markdown.LINK.sub(link, markdown.without_comments(file.read_text()))
    return re.sub(r"(?ms)(?P<kept>^(?P<fence>```|~~~).*?^(?P=fence))|^#+ [^\n]*", plain, text)


def write_guides(modules):
    shutil.rmtree(GUIDES, ignore_errors=True)
    GUIDES.mkdir(parents=True)
    names = pages()
    groups = {"Guides": [], "Recipes": [], "Modules": [f"/{module}" for module in modules], "Reference": []}
    root = DOCS / "README.md"
    for file, name in names.items():
        if file == root:
            continue
        (GUIDES / f"{name}.md").write_text(translated(file, names))
        folder = file.parent.name
        groups.setdefault(FOLDERS.get(folder, folder), []).append(name)
    if set(groups["Guides"]) != set(COURSE):
        finish(f"{pathlib.Path(__file__).name}: COURSE names other pages than Docs/Guides has")
    groups["Guides"] = COURSE
    topics = "\n".join(
        f"### {title}\n" + "".join(f"- <doc:{name}>\n" for name in group) for title, group in groups.items() if group
    )
    title, _, introduction = translated(root, names).partition("\n")
    (GUIDES / "Guides.md").write_text(
        f"{title}\n\n@Metadata {{\n  @TechnologyRoot\n}}\n{introduction}\n## Topics\n\n{topics}"
    )


# The archives


def tool(name):
    beside = pathlib.Path(shutil.which(SWIFT)).with_name(name)
    return [str(beside)] if beside.exists() else ["xcrun", name]


def finish(*more):
    package.finish([*problems, *more])


def run(*command):
    done = subprocess.run([*tool("docc"), *command], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return f"docc {command[0]} failed: {command[1]}\n{done.stdout.strip()}" if done.returncode else None


def convert(name, folder, *others):
    """Builds the archive of a module or of the guides in a folder. Links into other archives are resolved there."""
    catalogue = ROOT / "Sources" / name / f"{name}.docc"
    symbols = ["--additional-symbol-graph-dir", BUILD / "symbols" / name, "--fallback-default-module-kind", "Module"]
    return run(
        "convert", *([GUIDES] if name == "Guides" else [catalogue, *symbols]), "--output-path", folder / f"{name}.doccarchive",
        "--fallback-display-name", name, "--fallback-bundle-identifier", name, "--enable-experimental-external-link-support",
        *others,
    )  # fmt: skip


def convert_all(names):
    """Converts everything twice, because the archives link to each other in both directions and docc resolves a link
    only if the other archive exists."""
    for folder in [DRAFTS, ARCHIVES]:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [*filter(None, pool.map(lambda name: convert(name, DRAFTS), names))]
        if failed:
            finish(*failed)

        def others(name):
            return [word for other in names if other != name for word in ("--dependency", DRAFTS / f"{other}.doccarchive")]

        failed = pool.map(lambda name: convert(name, ARCHIVES, "--warnings-as-errors", *others(name)), names)
        failed = [*filter(None, failed)]
        if failed:
            finish(*failed)


# The pages of the merged archive


def lead_to_guides(whole):
    """Turns the page of the guides into the first page, and repairs the pages and the sidebar of the merged archive."""
    data = whole / "data"
    sections = sections_of_rules()
    (data / "documentation/guides.json").replace(data / "documentation.json")
    for file in [data / "documentation.json", *(data / "documentation").rglob("*.json")]:
        page = json.loads(file.read_text())
        repair(page, data, sections)
        file.write_text(json.dumps(page))
    (whole / "documentation/guides/index.html").write_text(
        '<!doctype html><meta http-equiv="refresh" content="0; url=../">\n'
    )
    add_style(whole)
    # The sidebar lists the same pages as the first page, with the symbols below the modules.
    index = whole / "index/index.json"
    shown = json.loads(index.read_text())
    for (root,) in shown["interfaceLanguages"].values():
        roots = {node["path"]: node for node in root["children"]}
        for module in (node for path, node in roots.items() if path != OLD_ROOT):
            # The sidebar of a module shows the first node with the module's path. If that node is a link from another
            # module, it has no children.
            kept = [node for node in module["children"] if node.get("path") not in roots]
            last = [*kept[1:], {"type": "groupMarker"}]
            module["children"] = [node for node, after in zip(kept, last) if not node["type"] == after["type"] == "groupMarker"]
        root["children"] = [roots.get(node.get("path"), node) for node in roots[OLD_ROOT]["children"]]
        name_entries(root, data)
    index.write_text(json.dumps(shown).replace(f'"{OLD_ROOT}"', '"/documentation"'))


# The parameters for the place of a call, which no caller passes. Lists and the sidebar omit them.
PLACE = ["fileID", ": ", "StaticString", ", ", "line", ": ", "UInt"]


def without_place(tokens):
    """Removes the parameters for the place of a call from the tokens of a declaration."""
    words = [token["text"] for token in tokens]
    for i in range(1, len(words) - len(PLACE)):
        if words[i : i + len(PLACE)] == PLACE:
            before, after = tokens[i - 1], tokens[i + len(PLACE)]
            if after["text"].startswith(", "):
                after["text"] = after["text"][2:]
            else:
                before["text"] = before["text"].removesuffix(", ")
            del tokens[i : i + len(PLACE)]
            return


def name_entries(node, data):
    """Names functions in the sidebar by their labels. Functions with the same labels keep their types."""
    functions = [child for child in node.get("children", []) if child["type"] in ("func", "init", "method")]
    pages = {child["path"]: json.loads((data / f"{child['path'][1:]}.json").read_text()) for child in functions}
    names = [page["metadata"]["title"] for page in pages.values()]
    for child in functions:
        metadata = pages[child["path"]]["metadata"]
        is_unique = names.count(metadata["title"]) == 1
        types = re.sub(r"^.*?(func |(?=init\b))", "", "".join(token["text"] for token in metadata["fragments"]))
        child["title"] = metadata["title"] if is_unique else types
    for child in node.get("children", []):
        name_entries(child, data)


RULES = re.compile(r"\brules? \d+\.\d+(?:(?:, | and | to )\d+\.\d+)*")
IN_BRACKETS = re.compile(rf" ?\({RULES.pattern}\)")


def lists(value):
    if isinstance(value, list):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from lists(part)


def join_texts(inlines):
    """Joins adjacent texts. docc begins a new text at each line break, which may split `rule 4.2`."""
    for i in range(len(inlines) - 1, 0, -1):
        if {"text"} == {node.get("type") for node in inlines[i - 1 : i + 1] if isinstance(node, dict)}:
            inlines[i - 1 : i + 1] = [{"type": "text", "text": inlines[i - 1]["text"] + inlines[i]["text"]}]


def without_rules(abstract):
    """Removes references to rules in parentheses from an abstract, and returns them."""
    join_texts(abstract)
    named = []
    for node in abstract:
        if node.get("type") == "text":
            named += [RULES.search(found)[0] for found in IN_BRACKETS.findall(node["text"])]
            node["text"] = IN_BRACKETS.sub("", node["text"])
    return named


def link_rules(page, sections):
    """Turns the numbers of rules into links. The rules of an abstract move to the end of the page, because other pages
    quote an abstract without its links."""
    for reference in page["references"].values():
        without_rules(reference.get("abstract", []))
    named = without_rules(page.get("abstract", []))
    shown = page.setdefault("primaryContentSections", [])
    if named:
        content = next((section["content"] for section in shown if section["kind"] == "content"), None)
        if content is None:
            content = [{"type": "heading", "level": 2, "text": "Discussion", "anchor": "discussion"}]
            shown.append({"kind": "content", "content": content})
        see = {"type": "text", "text": f"See {' and '.join(dict.fromkeys(named))}."}
        content.append({"type": "paragraph", "inlineContent": [see]})
    for inlines in list(lists(shown)):
        join_texts(inlines)
        for i in range(len(inlines) - 1, -1, -1):
            if isinstance(inlines[i], dict) and inlines[i].get("type") == "text":
                inlines[i : i + 1] = linked(inlines[i]["text"], page["references"], sections)


def linked(text, references, sections):
    begun = 0
    for mention in RULES.finditer(text):
        for number in re.finditer(r"(\d+)\.\d+", mention[0]):
            if number[0] not in sections:
                problems.append(f"{SEMANTICS.relative_to(ROOT)} has no rule {number[0]}, which a comment names")
                continue
            url = f"/documentation/guides/semantics#{sections[number[0]]}"
            name = f"doc://Guides{url}"
            references[name] = {"type": "topic", "kind": "article", "title": "Semantics", "identifier": name, "url": url, "abstract": []}
            begins, ends = (mention.start() + place for place in number.span())
            yield {"type": "text", "text": text[begun:begins]}
            yield {"type": "reference", "isActive": True, "identifier": name, "overridingTitle": number[0],
                   "overridingTitleInlineContent": [{"type": "text", "text": number[0]}]}  # fmt: skip
            begun = ends
    yield {"type": "text", "text": text[begun:]}


def sections_of_rules():
    """Returns the anchor of the heading above each rule."""
    found = {}
    for part in SEMANTICS.read_text().split("\n## ")[1:]:
        found |= {number: markdown.fragment(part.partition("\n")[0]) for number in re.findall(r"(?m)^\*\*(\d+\.\d+)\*\*", part)}
    return found


def quoted(node, references):
    """Returns a part of another page's abstract. A link without a reference would show nothing, so its name replaces
    it."""
    path = node.get("identifier", "") if node.get("type") == "reference" else node.get("code", "")
    if path.startswith("/Promise") or path.startswith("doc://") and path not in references:
        names = path.split("/documentation/")[-1].lstrip("/").split("/")[1:] or [path]
        last = re.sub(r"-(\w{4,5}|\(.*|swift\..*)$", "", names[-1])
        return {"type": "codeVoice", "code": ".".join([*(name for name in names[-2:-1] if "(" in last and name[0].isupper()), last])}
    return node


def repair(page, data, sections):
    references = page["references"]
    for reference in references.values():
        if reference.get("url") == OLD_ROOT:
            reference["url"] = "/documentation"
        if reference.get("kind") == "symbol":
            reference["title"] = reference["title"].replace("fileID:line:", "")
            without_place(reference.get("fragments", []))
        if "abstract" in reference:
            reference["abstract"] = [quoted(node, references) for node in reference["abstract"]]
    if page["kind"] == "symbol":
        page["metadata"]["title"] = page["metadata"]["title"].replace("fileID:line:", "")
        without_place(page["metadata"].get("fragments", []))
        link_rules(page, sections)
    # docc omits the page of an extended type if a catalogue lists all members elsewhere, but breadcrumbs still lead to
    # that page. Replace it with the page of the type itself, if there is one.
    for path in page.get("hierarchy", {}).get("paths", []):
        for name in list(path):
            url = references[name]["url"]
            if not (data / (url[1:] + ".json")).exists():
                _, top, _, rest = url.split("/", 3)
                if (data / top / (rest + ".json")).exists():
                    references[name]["url"] = f"/{top}/{rest}"
                else:
                    path.remove(name)


def add_style(folder):
    for file in (folder / "css").glob("index.*.css"):
        file.write_text(file.read_text() + (ROOT / "Scripts/site.css").read_text())


def build_site(whole, site, base):
    shutil.rmtree(site, ignore_errors=True)
    how = ["transform-for-static-hosting", whole, "--output-path", site, "--hosting-base-path", base]
    if failed := run("process-archive", *how):
        finish(failed)
    # docc replaces the archive's style sheet and first page with its own. Its first page shows an error for `/`.
    add_style(site)
    (site / "index.html").write_text('<!doctype html><meta http-equiv="refresh" content="0; url=documentation/">\n')


modules = (BUILD / "symbols/modules").read_text().split()
for module in modules:
    problems.extend(uncommented(module))
    landing = ROOT / "Sources" / module / f"{module}.docc/{module}.md"
    if not landing.exists():
        finish(f"{module}: has no landing page, {landing.relative_to(ROOT)}")
write_guides(modules)
names = ["Guides", *modules]
convert_all(names)
added = additions()
for module in modules:
    problems.extend(not_curated(module, added))

whole = BUILD / "Promises.doccarchive"
shutil.rmtree(whole, ignore_errors=True)
archives = [ARCHIVES / f"{name}.doccarchive" for name in names]
failed = run("merge", *archives, "--output-path", whole, "--synthesized-landing-page-name", "Promises")
if failed:
    finish(failed)
lead_to_guides(whole)
if len(sys.argv) > 1:
    build_site(whole, ROOT / ".build/site", sys.argv[1])
if not problems:
    print(f"To look at it: python3 -m http.server -d {whole.relative_to(ROOT)} 8000, and http://localhost:8000/documentation/")
finish()
