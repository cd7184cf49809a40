#!/usr/bin/env python3
"""Checks that a version can be released, and prints the commands that tag it. The script itself tags nothing.

    release VERSION                  runs all checks, .ci/run last
    release VERSION --passed COMMIT  skips .ci/run, which has passed for this commit
    release VERSION --notes          prints the section of the changelog, without any check

A version can be released if there are no uncommitted changes, the newest section of CHANGELOG.md is that of the version
and has a date, the version is higher than all tagged versions, and CI passes.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


def git(*arguments):
    # In a container, another user often owns the files, which Git would refuse.
    command = ["git", "-C", str(ROOT), "-c", f"safe.directory={ROOT}", *arguments]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def refuse(reason):
    sys.exit(f"release: {reason}")


def notes(version):
    """Returns the heading and the text of the version's section, and whether it is the newest."""
    sections = re.split(r"(?m)^## ", (ROOT / "CHANGELOG.md").read_text())[1:]
    for section in sections:
        heading, _, text = section.partition("\n")
        if re.split(r"[ ,]", heading)[0] == version:
            return heading, text.strip(), section == sections[0]
    refuse(f"CHANGELOG.md has no section for {version}: ## {version}, and the date")


def check_tree():
    if changed := git("status", "--porcelain"):
        refuse(f"there are uncommitted changes, commit or remove them:\n{changed}")


def check_tags(version):
    def numbers(tag):
        return tuple(map(int, tag.split(".")))

    tagged = [tag for tag in git("tag", "--list").split() if VERSION.fullmatch(tag)]
    if version in tagged and git("rev-list", "-n", "1", version) != git("rev-parse", "HEAD"):
        refuse(f"{version} is a tag already, of another commit")
    if higher := [tag for tag in tagged if numbers(tag) > numbers(version)]:
        refuse(f"{max(higher, key=numbers)} is tagged, which is higher than {version}")


def check_changelog(version):
    heading, text, is_newest = notes(version)
    if not is_newest:
        refuse(f"the newest section of CHANGELOG.md is not that of {version}")
    if not re.fullmatch(rf"{re.escape(version)}, \d{{4}}-\d{{2}}-\d{{2}}", heading) or not text:
        refuse(f"CHANGELOG.md needs the heading “{version}, ” with the date of the release, and a text below it")


def check_ci(passed):
    head = git("rev-parse", "HEAD")
    if passed and (len(passed) < 7 or not head.startswith(passed)):
        refuse(f"CI has passed for {passed}, but the commit to release is {head}")
    if not passed and subprocess.run([".ci/run"], cwd=ROOT, stdout=sys.stderr).returncode:
        refuse("CI fails, see above")
    # CI must not have changed the tree.
    check_tree()


options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("version", nargs="?", default="", help="for example 0.9.0")
options.add_argument("--passed", metavar="COMMIT", help="the commit for which CI has passed")
options.add_argument("--notes", action="store_true", help="print the section of the changelog")
given = options.parse_args()
version = given.version
if not VERSION.fullmatch(version):
    refuse(f"“{version}” is not a version, such as 0.9.0: make release VERSION=0.9.0")
if given.notes:
    print(notes(version)[1])
    sys.exit()
check_tree()
check_tags(version)
check_changelog(version)
check_ci(given.passed)
print(f"{version} can be released. To release it:\n")
print(f"    git tag --annotate {version} --message 'Version {version}' {git('rev-parse', 'HEAD')}")
print(f"    git push origin {version}")
