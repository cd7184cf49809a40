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

from package import ROOT, SWIFT, SYMBOLS, output_of


def library_modules():
    package = json.loads(output_of(SWIFT, "package", "describe", "--type", "json"))
    wanted = {name for product in package["products"] if "library" in product["type"] for name in product["targets"]}
    imports = {target["name"]: sorted(target.get("target_dependencies", [])) for target in package["targets"]}
    return [name for name in graphlib.TopologicalSorter(dict(sorted(imports.items()))).static_order() if name in wanted]


modules = library_modules()
for module in modules:
    flags = os.environ.get("FLAGS", "").split()
    subprocess.run([SWIFT, "build", *flags, "--target", module], cwd=ROOT, check=True)
built = output_of(SWIFT, "build", "--show-bin-path").strip() + "/Modules"
target = json.loads(output_of(SWIFT, "-print-target-info"))["target"]["triple"]
options = ["-target", target, "-I", built, "-I", "Sources/CPromiseSystem/include"]
options += ["-sdk", output_of("xcrun", "--show-sdk-path").strip()] if sys.platform == "darwin" else []
# With extension blocks, members that a module adds to another module's types have their own pages.
options += ["-minimum-access-level", "public", "-skip-synthesized-members", "-emit-extension-block-symbols"]

shutil.rmtree(SYMBOLS, ignore_errors=True)
for module in modules:
    folder = SYMBOLS / module
    folder.mkdir(parents=True)
    output_of(SWIFT, "symbolgraph-extract", "-module-name", module, *options, "-output-dir", folder)
(SYMBOLS / "modules").write_text("\n".join(modules) + "\n")
