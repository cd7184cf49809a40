#!/usr/bin/env python3
"""Checks that the workflows only install tools and call the Makefile, so that all their steps can run elsewhere. It
takes no arguments.

- A step runs `make` with targets of the Makefile, or begins with a command of INSTALLS or RELEASES.
- An action is pinned to a major version or to a commit.
- The files fit their schemas, if check-jsonschema (from PyPI) is installed.
"""

import itertools
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GITHUB = ROOT / ".github"
SCHEMAS = {"workflows": "github-workflows", "ISSUE_TEMPLATE": "github-issue-forms"}
INSTALLS = "apt-get update && apt-get install -y "
RELEASES = "gh release create "


def makefile_targets():
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    return set(re.search(r"^\.PHONY:(.*)$", text, re.MULTILINE)[1].split())


def values(text, name):
    """Returns the values that a matrix of the workflow assigns to the name."""
    found = []
    for one in re.findall(rf"\b{name}: (\[[^]]*\]|\"[^\"]*\"|[^\s,}}]+)", text):
        parts = one.strip("[]").split(",") if one.startswith("[") else [one]
        found += [part.strip().strip('"') for part in parts]
    return [value for value in found if "${{" not in value]


def expanded(text, command):
    """Yields the command with each value of the matrix. Any other expression becomes the word "…"."""
    names = re.findall(r"\$\{\{ matrix\.(\w+) \}\}", command)
    for choice in itertools.product(*(values(text, name) for name in names)):
        result = command
        for name, value in zip(names, choice):
            result = result.replace(f"${{{{ matrix.{name} }}}}", value)
        yield re.sub(r"\$\{\{.*?\}\}", "…", result)


def problems_of(text, targets):
    for command in re.findall(r"\brun: (.*)", text):
        if command.startswith((INSTALLS, RELEASES)):
            continue
        commands = list(expanded(text, command))
        if not commands:
            yield f"the matrix gives no value to: {command}"
        for words in (one.split(" >")[0].split() for one in commands):
            called = [word for word in words[1:] if "=" not in word and not word.startswith("-")]
            if words[0] != "make" or not called:
                yield f"a step must call the Makefile: {command}"
            else:
                yield from (f"the Makefile has no target {word}: {command}" for word in called if word not in targets)
    for action in re.findall(r"\buses: (\S+)", text):
        if not re.search(r"@(v\d+|[0-9a-f]{40})$", action):
            yield f"an action must be pinned to a major version or a commit: {action}"


def test():
    targets = {"ci", "test-all"}

    def found(text):
        return len(list(problems_of(text, targets)))

    assert found("- uses: actions/checkout@v6\n- run: make ci\n") == 0
    assert found('target: [ci, "test-all CI="]\n- run: make ${{ matrix.target }} TAG=${{ github.ref_name }} > x\n') == 0
    assert found("target: [ci, nothing]\n- run: make ${{ matrix.target }}\n") == 1
    assert found("- run: make ${{ matrix.target }}\n") == 1
    assert found("- run: make CI=\n") == 1
    assert found("- run: swift test\n") == 1
    assert found("- uses: actions/checkout@main\n") == 1


def main():
    test()
    targets, failed = makefile_targets(), False
    files = sorted((GITHUB / "workflows").glob("*.yml"))
    if not files:
        sys.exit(f"{sys.argv[0]}: no workflows found")
    for file in files:
        for problem in problems_of(file.read_text(), targets):
            failed = True
            print(f"{file.relative_to(ROOT)}: {problem}", file=sys.stderr)
    if checker := shutil.which("check-jsonschema"):
        for folder, schema in SCHEMAS.items():
            checked = [str(file) for file in sorted((GITHUB / folder).glob("*.yml")) if file.name != "config.yml"]
            failed |= (
                subprocess.run([checker, "--quiet", "--builtin-schema", f"vendor.{schema}", *checked]).returncode != 0
            )
    sys.exit(failed)


main()
