#!/usr/bin/env python3
"""Draws Docs/Pictures/run.png, which shows the recorded page of a run of the link checker in a headless Chromium.

    draw-run               builds and runs the example, and writes the picture
    draw-run --page FILE   uses a page that `link-checker --record FILE.html` has written
    draw-run --find TEXT   selects the first promise with this text, instead of "visit /news"

The environment variable CHROMIUM names another browser. Two runs take different times, so their pictures differ, and
no test compares them.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from package import ROOT, SWIFT

PICTURE = ROOT / "Docs/Pictures/run.png"
WIDTH = 1440
HEIGHT = 600
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
LARGEST = 200_000  # In bytes. Every clone contains the picture.


def browser():
    named = os.environ.get("CHROMIUM")
    found = [path for path in map(shutil.which, [named] if named else BROWSERS) if path]
    if not found:
        where = f"CHROMIUM names {named}, which is no program" if named else \
            f"none of {', '.join(BROWSERS)} is installed"
        sys.exit(f"draw-run.py: it needs a Chromium, and {where}. Install one, or set CHROMIUM to its path")
    return found[0]


def record(page):
    """Runs the example. Its status is 1, because its site has a broken link."""
    command = [SWIFT, "run", "link-checker", "--demo", "--record", page]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode not in (0, 1) or not page.exists():
        sys.exit(f"draw-run.py: the link checker has failed:\n{run.stderr}")


def draw(chromium, page, find, picture, profile):
    address = f"{page.resolve().as_uri()}#find={urllib.parse.quote(find)}"
    run = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
         f"--window-size={WIDTH},{HEIGHT}", "--virtual-time-budget=5000", f"--screenshot={picture}", address],
        capture_output=True, text=True, timeout=120)
    if run.returncode or not picture.exists():
        sys.exit(f"draw-run.py: {chromium} has failed:\n{run.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--find", default="visit /news")
    options = parser.parse_args()
    chromium = browser()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        page = options.page or folder / "run.html"
        if options.page is None:
            record(page)
        elif not page.exists():
            sys.exit(f"draw-run.py: there is no file {page}")
        draw(chromium, page, options.find, folder / "run.png", folder / "profile")
        size = (folder / "run.png").stat().st_size
        if size > LARGEST:
            sys.exit(f"draw-run.py: the picture has {size} bytes, and at most {LARGEST} are wanted")
        shutil.copyfile(folder / "run.png", PICTURE)


main()
