#!/usr/bin/env python3
"""Checks that a version can be released, and prints the commands that tag it. The script itself tags nothing.

    release VERSION          checks everything except that CI passes
    release VERSION --notes  prints the section of the changelog

A version can be released if there are no uncommitted changes, the newest section of CHANGELOG.md is that of the version
and has a date, and the version is not lower than a tagged version.
"""
import re
import sys

from package import ROOT, finish, git

version, *options = sys.argv[1:] or [""]
newest = re.split(r"(?m)^## ", (ROOT / "CHANGELOG.md").read_text())[1]
heading, _, notes = newest.partition("\n")
problems = []
if not re.fullmatch(r"\d+\.\d+\.\d+", version):
    problems.append(f"“{version}” is not a version, such as 0.9.0: make release VERSION=0.9.0")
if not re.fullmatch(rf"{re.escape(version)}, \d{{4}}-\d{{2}}-\d{{2}}", heading) or not notes.strip():
    problems.append(f"the newest section of CHANGELOG.md needs the heading “{version}, ”, a date, and a text")
if problems:
    finish(problems)
if options == ["--notes"]:
    print(notes.strip())
    sys.exit()

if changed := git("status", "--porcelain"):
    problems.append(f"there are uncommitted changes, commit or remove them:\n{changed}")
tags = [tag for tag in git("tag", "--list").split() if re.fullmatch(r"\d+\.\d+\.\d+", tag)]
highest = max([version, *tags], key=lambda tag: [int(number) for number in tag.split(".")])
if highest != version:
    problems.append(f"{highest} is tagged, which is higher than {version}")
if problems:
    finish(problems)
head = git("rev-parse", "HEAD")
print(f"If CI passes for this commit, {version} can be released. To release it:\n")
print(f"    git tag --annotate {version} --message 'Version {version}' {head}")
print(f"    git push origin {version}")
