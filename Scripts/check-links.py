#!/usr/bin/env python3
"""Fails for a broken link in the site that `make docs` or `make site` built, or in the repository's Markdown.

Usage: check-links [folder]. The folder is an archive of docc, by default that of `make docs`, or a site for a web host.
Links to other hosts are not followed.
"""
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

sys.dont_write_bytecode = True
import markdown  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
# References to rules, table rows and decisions, which a reader of an abstract cannot follow.
CODE = re.compile(r"\b(rules?|rows?|decisions?|DESIGN|SEMANTICS|FEATURES)\s+([A-Z]{0,2}\d+(\.\d+)*)\b")

problems = []
followed = 0


# The site


def nodes(value):
    """Yields a JSON value and all values in it."""
    yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from nodes(part)


def objects(value):
    return (node for node in nodes(value) if isinstance(node, dict))


def text_of(inlines):
    return "".join(part.get("text") or part.get("code") or text_of(part.get("inlineContent", [])) for part in inlines)


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.base = re.search(r'var baseUrl = "(.*?)"', self.shell("documentation/index.html")).group(1)
        data = folder / "data"
        self.pages = {}
        for file in sorted(data.rglob("*.json")):
            self.pages["/" + str(file.relative_to(data).with_suffix(""))] = json.loads(file.read_text())
        self.anchors = {path: {node["anchor"] for node in objects(page) if "anchor" in node} for path, page in self.pages.items()}

    def shell(self, path):
        return (self.folder / path).read_text()

    def leads(self, url):
        """Returns whether an address has an HTML file, the data of a page, and the heading that it names."""
        path, _, anchor = url.partition("#")
        path = urllib.parse.unquote(path).rstrip("/")
        if path not in self.pages or not (self.folder / path[1:] / "index.html").exists():
            return False
        known = {urllib.parse.unquote(known).lower() for known in self.anchors[path]}
        return not anchor or urllib.parse.unquote(anchor).lower() in known

    def check(self):
        for path, page in self.pages.items():
            self.check_page(path, page)
        for language in json.loads(self.shell("index/index.json"))["interfaceLanguages"].values():
            for node in objects(language):
                if "path" in node:
                    self.follow("the sidebar", node["path"])
        for file in sorted(self.folder.rglob("*.html")):
            self.check_shell(file)

    def follow(self, place, url):
        global followed
        followed += 1
        if not self.leads(url):
            problems.append(f"{place}: the link to {url} leads nowhere")

    def check_page(self, path, page):
        references = page["references"]
        # References describe other pages. Follow only the references that the page shows.
        shown = {node for key, part in page.items() if key not in ("references", "identifier") for node in nodes(part) if isinstance(node, str)}
        for name in shown:
            if name in references:
                self.check_reference(path, references[name])
            elif name.startswith("doc://"):
                problems.append(f"{path}: nothing is known of {name}, to which it links")
        abstract = text_of(page.get("abstract", []))
        if page["kind"] == "symbol" and CODE.search(abstract):
            problems.append(f"{path}: its abstract has a code that a reader cannot follow: {abstract}")

    def check_reference(self, path, reference):
        if reference.get("url", "").startswith("/"):
            self.follow(path, reference["url"])
        for variant in reference.get("variants", []):
            if not (self.folder / variant["url"].lstrip("/")).exists():
                problems.append(f"{path}: there is no picture {variant['url']}")

    def check_shell(self, file):
        place = file.relative_to(self.folder)
        text = file.read_text()
        refresh = re.search(r'http-equiv="refresh" content="0; url=(.*?)"', text)
        if refresh:
            target = (file.parent / refresh[1]).resolve().relative_to(self.folder.resolve())
            self.follow(place, f"/{target}")
        for url in re.findall(r'(?:src|href)="(/[^"]*)"', text):
            inside = url.removeprefix(self.base)
            if not url.startswith(self.base) or not (self.folder / inside).exists():
                problems.append(f"{place}: there is no {url}")


# The repository


def check_documents():
    global followed
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, check=True, text=True, capture_output=True
    ).stdout.split("\n")
    for name in filter(None, names):
        file = ROOT / name
        # docc checks the links of catalogues.
        if ".docc/" in name or not file.exists():
            continue
        for match in markdown.LINK.finditer(markdown.without_comments(file.read_text())):
            target = match["target"] or match["reference"]
            if target and not re.match(r"[a-z]+:", target):
                followed += 1
                if not markdown.destination(file, target):
                    problems.append(f"{name}: {match[0].strip()} leads nowhere")


folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".build/docs/Promises.doccarchive"
site = Site(folder)
site.check()
check_documents()
print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
print(f"check-links: {followed} links of {len(site.pages)} pages and the repository's Markdown, {len(problems)} lead nowhere")
sys.exit(1 if problems else 0)
