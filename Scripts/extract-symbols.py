#!/usr/bin/env python3
"""Writes the symbol graphs of the public declarations to .build/docs/symbols, for the documentation and the listing of
the API. It takes no arguments. FLAGS in the environment contains options for the build.

Each module of a library product has a folder. The file `modules` lists the modules, each after its imports.
"""
import graphlib
import json
import os
import shutil
import subprocess
import sys

from package import ROOT, SWIFT

SYMBOLS = ROOT / ".build/docs/symbols"
FLAGS = os.environ.get("FLAGS", "").split()


def output_of(*command):
    return subprocess.run([*command], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout


def library_modules():
    package = json.loads(output_of(SWIFT, "package", "describe", "--type", "json"))
    wanted = {name for product in package["products"] if "library" in product["type"] for name in product["targets"]}
    imports = {target["name"]: sorted(target.get("target_dependencies", [])) for target in package["targets"]}
    return [name for name in graphlib.TopologicalSorter(dict(sorted(imports.items()))).static_order() if name in wanted]


modules = library_modules()
for module in modules:
    subprocess.run([SWIFT, "build", *FLAGS, "--target", module], cwd=ROOT, check=True)
built = output_of(SWIFT, "build", "--show-bin-path").strip() + "/Modules"
target = json.loads(output_of(SWIFT, "-print-target-info"))["target"]["triple"]
sdk = ["-sdk", output_of("xcrun", "--show-sdk-path").strip()] if sys.platform == "darwin" else []
# With extension blocks, members that a module adds to another module's types have their own pages.
wanted = ["-minimum-access-level", "public", "-skip-synthesized-members", "-emit-extension-block-symbols"]

shutil.rmtree(SYMBOLS, ignore_errors=True)
for module in modules:
    folder = SYMBOLS / module
    folder.mkdir(parents=True)
    imports = ["-I", built, "-I", "Sources/CPromiseSystem/include"]
    where = ["-module-name", module, "-target", target, *sdk, *imports, "-output-dir", str(folder)]
    subprocess.run([SWIFT, "symbolgraph-extract", *where, *wanted], cwd=ROOT, check=True)
(SYMBOLS / "modules").write_text("\n".join(modules) + "\n")
