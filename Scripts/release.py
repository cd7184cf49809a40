#!/usr/bin/env python3
"""Checks that a version can be released, and prints the commands that tag it. The script itself tags nothing.

    release VERSION                  runs all checks, .ci/run last
    release VERSION --passed COMMIT  skips .ci/run, which has passed for this commit
    release VERSION --notes          prints the section of the changelog, without any check
    release --test                   tests this script in a temporary repository

A version can be released if there are no uncommitted changes, the newest section of CHANGELOG.md is that of the version
and has a date, the version is higher than all tagged versions, Docs/API lists the public API, and CI passes.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
HEADING = re.compile(r"^## (.*)\n", re.MULTILINE)


def git(*arguments):
    # In a container, another user often owns the files, which Git would refuse.
    command = ["git", "-C", str(ROOT), "-c", f"safe.directory={ROOT}", *arguments]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def refuse(reason):
    sys.exit(f"release: {reason}")


def numbers(version):
    return tuple(map(int, version.split(".")))


def sections():
    """Returns the headings of the changelog, newest first, each with its text."""
    parts = HEADING.split((ROOT / "CHANGELOG.md").read_text())
    return list(zip(parts[1::2], parts[2::2]))


def notes(version):
    for heading, text in sections():
        if re.split(r"[ ,]", heading)[0] == version:
            return heading, text.strip()
    refuse(f"CHANGELOG.md has no section for {version}: ## {version}, and the date")


def check_version(version):
    tagged = [tag for tag in git("tag", "--list").split() if VERSION.fullmatch(tag)]
    if version in tagged and git("rev-list", "-n", "1", version) != git("rev-parse", "HEAD"):
        refuse(f"{version} is a tag already, of another commit")
    higher = [tag for tag in tagged if numbers(tag) > numbers(version)]
    if higher:
        refuse(f"{max(higher, key=numbers)} is tagged, which is higher than {version}")


def check_tree():
    changed = git("status", "--porcelain")
    if changed:
        refuse(f"there are uncommitted changes, commit or remove them:\n{changed}")


def check_changelog(version):
    heading, text = notes(version)
    if sections()[0][0] != heading:
        refuse(f"the newest section of CHANGELOG.md is “{sections()[0][0]}”, and not that of {version}")
    if not re.fullmatch(rf"{re.escape(version)}, \d{{4}}-\d{{2}}-\d{{2}}", heading):
        refuse(f"CHANGELOG.md says “{heading}”: replace it with “{version}, ” and the date of the release")
    if not text:
        refuse(f"CHANGELOG.md says nothing of {version}")


def check_api():
    if subprocess.run(["make", "check-api"], cwd=ROOT, stdout=sys.stderr).returncode:
        refuse("Docs/API does not list the public API, or it could not be compared: see above")


def check_ci(passed):
    head = git("rev-parse", "HEAD")
    if passed:
        if len(passed) < 7 or not head.startswith(passed):
            refuse(f"CI has passed for {passed}, but the commit to release is {head}")
        print(f"CI has passed for this commit, says the caller: {head}")
    elif subprocess.run([".ci/run"], cwd=ROOT, stdout=sys.stderr).returncode:
        refuse("CI fails, see above")


def release(version, passed):
    check_version(version)
    check_tree()
    check_changelog(version)
    check_api()
    check_ci(passed)
    # The build must not have changed the tree.
    check_tree()
    print(f"{version} can be released. To release it:\n")
    print(f"    git tag --annotate {version} --message 'Version {version}' {git('rev-parse', 'HEAD')}")
    print(f"    git push origin {version}")


def test():
    """Tests that the script refuses each wrong state, with a message that names it."""
    with tempfile.TemporaryDirectory() as folder:
        repository = pathlib.Path(folder)
        (repository / ".ci").mkdir()
        (repository / "Scripts").mkdir()
        shutil.copy(__file__, repository / "Scripts/release.py")
        changelog = repository / "CHANGELOG.md"

        def run(*command):
            return subprocess.run(command, cwd=repository, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

        def commit(newest, api="true", ci="true"):
            changelog.write_text(f"# Changelog\n\n{newest}\n## 0.8.0, 2026-01-02\n\n- Old.\n")
            (repository / "Makefile").write_text(f"check-api:\n\t{api}\n")
            (repository / ".ci/run").write_text(f"#!/bin/sh\n{ci}\n")
            (repository / ".ci/run").chmod(0o755)
            identity = ["-c", "user.name=check", "-c", "user.email=check@localhost", "-c", "commit.gpgSign=false"]
            run("git", "add", "--all")
            run("git", *identity, "commit", "--quiet", "--allow-empty", "--message", "State")
            return run("git", "rev-parse", "HEAD").stdout.strip()

        def expect(said, *arguments, refused=True):
            done = run("Scripts/release.py", *arguments)
            if (done.returncode != 0) != refused or said not in done.stdout:
                sys.exit(f"release --test: {' '.join(arguments)} should say “{said}”, and says:\n{done.stdout}")

        run("git", "init", "--quiet")
        good = "## 0.9.0, 2026-12-01\n\n- New.\n"
        head = commit(good)
        expect(f"'Version 0.9.0' {head}", "0.9.0", refused=False)
        expect("- New.", "0.9.0", "--notes", refused=False)
        expect("is not a version", "v0.9.0")
        expect("is not a version", "0.9")
        expect("no section for 0.9.1", "0.9.1")
        expect("no section for 0.9.1", "0.9.1", "--notes")
        expect("the newest section of CHANGELOG.md is “0.9.0, 2026-12-01”", "0.8.0")

        changelog.write_text(changelog.read_text() + "- More.\n")
        expect("uncommitted changes", "0.9.0")
        (repository / "new").touch()
        run("git", "checkout", "--", "CHANGELOG.md")
        expect("?? new", "0.9.0")
        (repository / "new").unlink()

        commit("## 0.9.0, unreleased\n\n- New.\n")
        expect("CHANGELOG.md says “0.9.0, unreleased”", "0.9.0")
        commit("## 0.9.0, 2026-12-01\n")
        expect("says nothing of 0.9.0", "0.9.0")
        commit(f"## Unreleased\n\n- Newer.\n\n{good}")
        expect("the newest section of CHANGELOG.md is “Unreleased”", "0.9.0")

        commit(good, api="false")
        expect("Docs/API does not list the public API", "0.9.0")
        other = commit(good, ci="exit 1")
        expect("CI fails", "0.9.0")
        expect("can be released", "0.9.0", "--passed", other[:10], refused=False)
        expect("the commit to release is", "0.9.0", "--passed", head)
        expect("the commit to release is", "0.9.0", "--passed", other[:3])
        commit(good, ci="touch built")
        expect("?? built", "0.9.0")
        (repository / "built").unlink()

        commit(good)
        run("git", "tag", "0.9.0")
        expect("can be released", "0.9.0", refused=False)
        commit(good)
        expect("0.9.0 is a tag already, of another commit", "0.9.0")
        run("git", "tag", "--delete", "0.9.0")
        run("git", "tag", "0.10.0")
        expect("0.10.0 is tagged, which is higher than 0.9.0", "0.9.0")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("version", nargs="?", default="", help="for example 0.9.0")
    options.add_argument("--passed", metavar="COMMIT", help="the commit for which CI has passed")
    options.add_argument("--notes", action="store_true", help="print the section of the changelog")
    options.add_argument("--test", action="store_true", help="test this script")
    given = options.parse_args()
    if given.test:
        return test()
    if not VERSION.fullmatch(given.version):
        refuse(f"“{given.version}” is not a version, such as 0.9.0: make release VERSION=0.9.0")
    if given.notes:
        return print(notes(given.version)[1])
    release(given.version, given.passed)


main()
