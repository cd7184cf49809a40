#!/usr/bin/env python3
"""Checks that a version can be released, and prints the commands that tag it. The script itself tags nothing.

    release VERSION                  runs all checks, .ci/run last
    release VERSION --passed COMMIT  skips .ci/run, which has passed for this commit
    release VERSION --notes          prints the section of the changelog, without any check

A version can be released if there are no uncommitted changes, the newest section of CHANGELOG.md is that of the version
and has a date, the version is higher than all tagged versions, and CI passes.
"""
import re
import subprocess
import sys

from package import ROOT, git

VERSION = r"\.".join([r"(?:0|[1-9]\d*)"] * 3)


def refuse_if(is_wrong, reason):
    if is_wrong:
        sys.exit(f"release: {reason}")


def refuse_changes():
    changed = git("status", "--porcelain")
    refuse_if(changed, f"there are uncommitted changes, commit or remove them:\n{changed}")


version, *options = sys.argv[1:] or [""]
is_version = re.fullmatch(VERSION, version)
refuse_if(not is_version, f"“{version}” is not a version, such as 0.9.0: make release VERSION=0.9.0")
newest = re.split(r"(?m)^## ", (ROOT / "CHANGELOG.md").read_text())[1]
heading, _, notes = newest.partition("\n")
is_dated = re.fullmatch(rf"{re.escape(version)}, \d{{4}}-\d{{2}}-\d{{2}}", heading) and notes.strip()
refuse_if(not is_dated, f"the newest section of CHANGELOG.md needs the heading “{version}, ”, a date, and a text")
if options == ["--notes"]:
    print(notes.strip())
    sys.exit()

refuse_changes()
head = git("rev-parse", "HEAD")
tags = [tag for tag in git("tag", "--list").split() if re.fullmatch(VERSION, tag)]
highest = max([version, *tags], key=lambda tag: [int(number) for number in tag.split(".")])
refuse_if(highest != version, f"{highest} is tagged, which is higher than {version}")
is_taken = version in tags and git("rev-list", "-n", "1", version) != head
refuse_if(is_taken, f"{version} is a tag of another commit")
if options[:1] == ["--passed"]:
    passed = "".join(options[1:])
    is_head = len(passed) >= 7 and head.startswith(passed)
    refuse_if(not is_head, f"CI has passed for “{passed}”, which is not the commit to release, or too short: {head}")
else:
    refuse_if(subprocess.run([".ci/run"], cwd=ROOT, stdout=sys.stderr).returncode, "CI fails, see above")
    # CI must not have changed the tree.
    refuse_changes()
print(f"{version} can be released. To release it:\n")
print(f"    git tag --annotate {version} --message 'Version {version}' {head}")
print(f"    git push origin {version}")
