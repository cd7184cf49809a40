#!/usr/bin/env python3
"""Fails for a broken link in the repository's Markdown. It takes no arguments. Links to other hosts are not followed.

docc checks the links of catalogues, of documentation comments, and of the guides once they are pages (`make docs`).
"""
import re

import markdown
from package import ROOT, finish, git

problems = []
for name in git("ls-files", "--cached", "--others", "--exclude-standard", "*.md").splitlines():
    file = ROOT / name
    if ".docc/" in name or not file.exists():
        continue
    for match in markdown.LINK.finditer(markdown.without_comments(file.read_text())):
        target = match["target"] or match["reference"]
        if target and not re.match(r"[a-z]+:", target) and not markdown.destination(file, target):
            problems.append(f"{name}: {match[0].strip()} leads nowhere")
finish(problems)
