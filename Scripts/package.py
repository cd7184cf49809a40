"""The parts of this package, and the way of reporting, that several scripts of this folder share."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWIFT = os.environ.get("SWIFT", "swift")
SWIFTC = shutil.which(f"{SWIFT}c") or "swiftc"
# The library products, each after its imports.
MODULES = re.findall(r'\.library\(name: "(\w+)"', (ROOT / "Package.swift").read_text())


def output_of(*command, **options):
    """Runs a command in the root folder, and returns what it prints on standard output. Exits if the command fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, text=True, capture_output=True, **options)
    if done.returncode:
        sys.exit(f"status {done.returncode}: {' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def git(*arguments):
    # In a container, another user often owns the files, which Git would refuse.
    return output_of("git", "-c", f"safe.directory={ROOT}", *arguments).strip()


def features():
    """Returns the options for the features in Package.swift."""
    package = (ROOT / "Package.swift").read_text()
    found = re.findall(r'\.enableUpcomingFeature\("(\w+)"\)', package)
    if not found or ".strictMemorySafety()" not in package:
        sys.exit("Package.swift does not say its features as it did: look at Scripts/package.py")
    return ["-strict-memory-safety"] + [word for name in found for word in ("-enable-upcoming-feature", name)]


def compiler_options():
    """Returns the options with which SwiftPM compiles a module."""
    options = ["-swift-version", "6", "-package-name", "swift_promises", "-parse-as-library", "-wmo", *features()]
    return [*options, "-I", str(ROOT / "Sources/CPromiseSystem/include")]


def symbol_graphs(module):
    """Returns the files in which `make symbols` has described the public declarations of a module, its own first."""
    return sorted((ROOT / ".build/debug").resolve().with_name("symbolgraph").glob(f"{module}[.@]*"))


def finish(problems):
    """Prints the problems and ends the script, with 1 if there is one."""
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    sys.exit(1 if problems else 0)
