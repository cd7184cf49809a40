#!/usr/bin/env python3
"""Follows Docs/Guides/GettingStarted.md word for word, with a new package, and fails where the guide is wrong.

Usage: try-getting-started [directory]. The default is a temporary directory. A named directory is kept and reused.

- A Swift block after a paragraph that ends with `name`: is the content of that file, and replaces an existing file.
- A Swift block below "Add this to the end of `targets:` in `Package.swift`:" is added there.
- In a console block, a line with $ is a command. It must print the lines below it, in which … matches any text.

The script then follows the guide twice more, in Swift 5 mode and with `-default-isolation MainActor`, where the
compiler must not warn. These runs do not build the library again, and only build the program and its tests, once, after
the last step.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GUIDE = ROOT / "Docs/Guides/GettingStarted.md"
# The text that each mode appends to the guide's manifest.
MODES = {
    "in Swift 6 mode": "",
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
PRODUCTS = ["PromiseCombinators", "PromiseTesting", "PromiseCore"]  # PromiseCombinators re-exports PromiseContexts


def fail(message):
    sys.exit(f"{GUIDE.relative_to(ROOT)}: {message}")


def fits(wanted, printed):
    """Returns whether the output has the wanted lines. … matches any text in a line, and any lines if it is alone."""
    pattern = "".join(
        r"(?:.*\n)*" if line == "…" else "".join(".*" if part == "…" else re.escape(part) for part in re.split("(…)", line)) + r"\n"
        for line in wanted
    )
    return re.fullmatch(pattern, printed) is not None


def write(package, name, text):
    file = package / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    print(f"-- {name}", flush=True)


def add_target(package, code, mode):
    manifest = package / "Package.swift"
    text = manifest.read_text().removesuffix(mode)
    head, end, tail = text.rpartition("  ]\n)\n")
    if not end:
        fail("there is no list of targets at the end of Package.swift")
    write(package, "Package.swift", f"{head}{code}{end}{tail}{mode}")


def run(package, command, wanted):
    print(f"$ {command}", flush=True)
    result = subprocess.run(command, shell=True, cwd=package, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    printed = result.stdout
    if result.returncode:
        fail(f"`{command}` fails:\n{printed}{result.stderr}")
    # Swift Testing writes to standard output and to standard error.
    if not fits(wanted, printed) and not fits(wanted, result.stderr):
        fail(f"`{command}` should print\n\n" + "\n".join(wanted) + f"\n\nand prints\n\n{printed}{result.stderr}")
    print("\n".join(wanted), flush=True)


def follow(package, mode):
    text = GUIDE.read_text()
    commands = {}
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        language, block = match.groups()
        # Joins the lines of the paragraph, because it may wrap anywhere.
        before = " ".join(text[: match.start()].rsplit("```", 1)[-1].split())
        if language == "swift":
            if before.endswith("Add this to the end of `targets:` in `Package.swift`:"):
                add_target(package, block, mode)
                continue
            named = re.search(r"`([^`]+)`[^`]*:$", before)
            if not named:
                fail(f"no file is named before this block:\n{block}")
            name = named.group(1)
            write(package, name, block + mode if name == "Package.swift" else block)
        elif language == "console":
            for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                commands[command] = wanted.splitlines()
                if not mode:
                    run(package, command, commands[command])
        else:
            fail(f"a block of an unknown kind: {language}")
    if not commands:
        fail("no command found")
    if mode:
        run(package, "swift build --quiet --build-tests", ["…"])
    absent = [product for product in PRODUCTS if f'name: "{product}"' not in text]
    if absent:
        fail(f"no step with {', '.join(absent)}")


def main():
    # TEST_TARGETS would remove targets from this package, even as a dependency.
    os.environ.pop("TEST_TARGETS", None)
    with tempfile.TemporaryDirectory(prefix="try-") as made:
        directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else made)
        package = directory / "weather"
        package.mkdir(parents=True, exist_ok=True)
        checkout = directory / "swift-promises"
        checkout.unlink(missing_ok=True)
        checkout.symlink_to(ROOT)
        for name, mode in MODES.items():
            print(f"== {name}", flush=True)
            for folder in ["Sources", "Tests"]:
                shutil.rmtree(package / folder, ignore_errors=True)
            try:
                follow(package, mode)
            except SystemExit as exit:
                sys.exit(f"{name}: {exit}")


main()
