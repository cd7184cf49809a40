#!/usr/bin/env python3
"""Fails if a kind of text contains more phrases that hide the subject, per 1,000 words, than its limit allows. It takes
no arguments.

The kinds are documentation comments, other comments, names of tests, and pages. Code spans and code blocks are ignored.
"""
import collections
import re

from package import ROOT, finish, git

BEGIN = r"(?:^|[.;:,(] |\b(?:and|or|but|for|from|of|on|than|that|to|until|when|where) )"
LIMITS = {  # name: (pattern, the most for 1,000 words)
    "who or whoever as a noun": (BEGIN + r"[Ww]ho(?:ever)?\b(?!\?)", 0.4),
    "nobody, somebody, anybody": (r"\b(?:no|some|any|every)body\b", 0.4),
    "gone for released": (r"\b(?:has|have|had|is|are|was) gone\b|\blet(?:s|ting)? go\b", 0.4),
    "a clause with what as the subject": (r"(?:^|[.;:] )[Ww]hat (?!is |are |does |do |happens|to )\w", 0.6),
    "for ever, so many, dear, mended": (r"\bfor ever\b|\bso many\b(?! that)|\bdear\b|\bmend(?:ed|s)\b", 0.6),
    "a colon or semicolon that joins clauses": (r"[a-z`)\]][:;] (?!code:)[a-z`]", 8.0),
    "a private code": (r"\b[Rr]ows? [A-N]\d|\bDESIGN \d|\bCase \d", 0.0),
}


def texts(path):
    """Yields the kind, the number and the text of each line of prose."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        body = line.strip()
        if path.suffix == ".md":
            if body.startswith("```"):
                fenced = not fenced
            elif not fenced and not line.startswith("    "):
                yield "pages", number, body
            continue
        if name := re.search(r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"', line):
            yield "names of tests", number, name[1]
        comment = re.match(r"(///?) ?(.*)", body)
        # These comments contain expected messages, not prose.
        if comment and not re.match(r"(?:expect|prints|modes|on): ", comment[2]):
            yield "documentation comments" if comment[1] == "///" else "comments", number, comment[2]


words, found = collections.Counter(), collections.defaultdict(list)
for name in git("ls-files", "*.swift", "*.md").splitlines():
    path = ROOT / name
    if path.is_symlink() or not path.is_file():
        continue
    for kind, number, text in texts(path):
        text = re.sub(r"``?[^`]*``?", "code", re.sub(r"\]\([^)]*\)", "]", text))
        # Fields of DocC and entries of lists, such as "- Returns: a value" and "- limit: the limit".
        text = re.sub(r"^[-*] [\w ]+: ", "", text)
        words[kind] += len(text.split())
        for phrase, (pattern, _) in LIMITS.items():
            found[kind, phrase] += [f"  {name}:{number}: {text}" for _ in re.finditer(pattern, text)]

problems = []
for (kind, phrase), places in sorted(found.items()):
    rate, most = 1_000 * len(places) / words[kind], LIMITS[phrase][1]
    if rate > most:
        problems += [f"{kind}: {phrase}: {rate:.1f} for 1,000 words, at most {most}", *places]
finish(problems)
