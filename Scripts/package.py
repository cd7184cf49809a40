"""The parts of this package, and the way of reporting, that several scripts of this folder share."""
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWIFT = os.environ.get("SWIFT", "swift")
SWIFTC = shutil.which(f"{SWIFT}c") or "swiftc"


def compiler_options():
    """Returns the options with which SwiftPM compiles a module. The features come from Package.swift."""
    options = ["-swift-version", "6", "-strict-memory-safety", "-parse-as-library", "-wmo", "-package-name", "swift_promises"]
    features = re.findall(r'\.enableUpcomingFeature\("(\w+)"\)', (ROOT / "Package.swift").read_text())
    options += [word for feature in features for word in ("-enable-upcoming-feature", feature)]
    return [*options, "-I", str(ROOT / "Sources/CPromiseSystem/include")]


def finish(problems):
    """Prints the problems and ends the script, with 1 if there is one."""
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    sys.exit(1 if problems else 0)
