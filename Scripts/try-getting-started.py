#!/usr/bin/env python3
"""Follows Docs/Guides/GettingStarted.md word for word, with a new package, and fails where the guide is wrong. It takes
no arguments.

- A Swift block after a paragraph that ends with `name`: is the content of that file, and replaces an existing file.
- A Swift block below "Add this to the end of `targets:` in `Package.swift`:" is added there.
- In a console block, a line with $ is a command. It must print the lines below it, in which … matches any text.

Then the script builds the package again in other language modes, where the compiler must not warn.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from package import ROOT, SWIFT

GUIDE = ROOT / "Docs/Guides/GettingStarted.md"
TARGETS_END = "  ]\n)\n"
# Additions to the guide's manifest.
MODES = {
    "in Swift 5 mode": """
package.swiftLanguageModes = [.v5]
for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
""",
    "with -default-isolation MainActor": """
for target in package.targets {
  target.swiftSettings = [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)]
}
""",
}


def fail(message):
    sys.exit(f"{GUIDE.relative_to(ROOT)}: {message}")


def fits(wanted, printed):
    """Returns whether the output has the wanted lines. … matches any text in a line, and any lines if it is alone."""
    patterns = [re.escape(line).replace("…", ".*") + r"\n" if line != "…" else r"(?:.*\n)*" for line in wanted]
    return re.fullmatch("".join(patterns), printed)


def write(file, text):
    print(f"-- {file.name}", flush=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def run(package, command, wanted=()):
    print(f"$ {command}", flush=True)
    done = subprocess.run(command, shell=True, cwd=package, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    # Swift Testing writes to standard output and to standard error.
    is_expected = not wanted or fits(wanted, done.stdout) or fits(wanted, done.stderr)
    if done.returncode or not is_expected:
        should = "\n".join(["It should print:", *wanted])
        fail(f"`{command}` exits with {done.returncode}, and prints:\n{done.stdout}{done.stderr}\n{should}")


def follow(package):
    text = GUIDE.read_text()
    manifest = package / "Package.swift"
    commands = []
    for match in re.finditer(r"(?ms)^```(\w*)\n(.*?)^```$", text):
        language, block = match.groups()
        # Joins the lines of the paragraph, because it may wrap anywhere.
        before = " ".join(text[: match.start()].rsplit("```", 1)[-1].split())
        if language == "console":
            for command, wanted in re.findall(r"(?m)^\$ (.*)\n((?:(?!\$ ).*\n)*)", block):
                run(package, command, wanted.splitlines())
                commands.append(command)
        elif before.endswith("Add this to the end of `targets:` in `Package.swift`:"):
            write(manifest, manifest.read_text().removesuffix(TARGETS_END) + block + TARGETS_END)
        elif named := re.search(r"`([^`]+)`[^`]*:$", before):
            write(package / named[1], block)
        else:
            fail(f"no file is named before this block:\n{block}")
    if not commands:
        fail("no command found")


# TEST_TARGETS would remove targets from this package, even as a dependency.
os.environ.pop("TEST_TARGETS", None)
with tempfile.TemporaryDirectory(prefix="try-") as made:
    folder = pathlib.Path(made)
    package = folder / "weather"
    package.mkdir()
    (folder / "swift-promises").symlink_to(ROOT)
    follow(package)
    manifest = package / "Package.swift"
    text = manifest.read_text()
    for mode, addition in MODES.items():
        print(f"== {mode}")
        write(manifest, text + addition)
        run(package, f"{SWIFT} build --quiet --build-tests")
