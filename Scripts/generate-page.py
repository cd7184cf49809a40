#!/usr/bin/env python3
"""Writes the page of a recording into one Swift file, from its HTML, its style sheet and its scripts.

    generate-page           writes the file
    generate-page --check   fails if the file is out of date, or if node finds a mistake in a script

The page is text in a Swift file, and not a resource: SwiftPM turns an embedded resource into an array literal, which
takes the compiler longer than the rest of the module, and a resource in a bundle needs Foundation. The files are in
Sources/PromiseRecording/Page/Web. The page has neither their comments nor their indentation, because each recording
contains it. Where node is missing, the syntax of the scripts is not checked.
"""
import re
import shutil
import subprocess
import sys

from package import ROOT, finish

WEB = ROOT / "Sources/PromiseRecording/Page/Web"
TARGET = ROOT / "Sources/PromiseRecording/Page/PageSource.swift"
# In this order they are one script.
SCRIPTS = ["reading", "causes", "waits", "tree", "view", "bars", "details", "input"]
# The lines of page.html that stand for other texts.
STYLE = "/* style.css */\n"
SCRIPT = "/* the scripts */\n"
DATA = "<!-- the data -->\n"


def compact(file):
    """Returns a script or a style sheet without the lines of its comments, and without indentation."""
    text = re.sub(r"^ *(/\*.*?\*/|//[^\n]*)\n", "", (WEB / file).read_text(), flags=re.DOTALL | re.MULTILINE)
    return "".join(f"{line.strip()}\n" for line in text.splitlines() if line.strip())


def script():
    """Returns the scripts, one after another."""
    return "".join(compact(f"{name}.js") for name in SCRIPTS)


def literal(text):
    """Returns a text as a literal of Swift."""
    if '"""#' in text or "\\#" in text:
        sys.exit("the page must not contain the end of a literal of Swift")
    lines = "".join(f"    {line}" if line.strip() else "\n" for line in text.splitlines(keepends=True))
    return f'#"""\n{lines}\n    """#'


def written():
    """Returns the Swift file."""
    page = (WEB / "page.html").read_text().replace(STYLE, compact("style.css")).replace(SCRIPT, script())
    start, end = page.split(DATA)
    return f"""\
// Written by Scripts/generate-page.py from the files in the folder Web. Do not edit it: `make page`.

/// The page's own source: HTML, a style sheet and a script, without the data of a recording.
enum PageSource {{
  /// The page up to its data. The script waits until the browser has read the data, which follows.
  static let start = {literal(start)}

  /// The page after its data.
  static let end = {literal(end)}
}}
"""


def mistakes():
    """Returns what node says about the scripts."""
    node = shutil.which("node")
    for file in sorted(WEB.glob("*.js")) if node else []:
        done = subprocess.run([node, "--check", str(file)], text=True, capture_output=True)
        if done.returncode:
            yield f"{file.relative_to(ROOT)}: {done.stderr.strip()}"


def main():
    if sys.argv[1:] != ["--check"]:
        TARGET.write_text(written())
        return
    problems = list(mistakes())
    listed = {f"{name}.js" for name in SCRIPTS} | {"page.html", "style.css"}
    problems += [f"{file.relative_to(ROOT)}: is not part of the page" for file in WEB.iterdir() if file.name not in listed]
    if TARGET.read_text() != written():
        problems.append(f"{TARGET.relative_to(ROOT)}: out of date: make page")
    finish(problems)


main()
