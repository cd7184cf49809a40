#!/usr/bin/env python3
"""Fails if a kind of text contains more phrases that hide the subject, per 1,000 words, than its limit allows. It takes
no arguments. Code spans and code blocks are ignored.
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


# The texts of each kind, by the endings of their files. A block that is not prose has no group.
KINDS = {
    "documentation comments": ("swift", r"(?m)^\s*/// ?(.*)"),
    "comments": ("swift", r"(?m)(?:^|\s)//(?!/| ?(?:expect|prints|modes|on): ) ?(.*)"),
    "names of tests": ("swift", r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"'),
    "pages": ("md", r"(?ms)^\s*```.*?^\s*```|^ {4}[^\n]*|^([^\n]+)"),
    "comments of tools": ("py sh run Makefile", r'(?m)^\s*#(?!!) ?(.*)|"""(?s:(.*?))"""'),
    "comments of models": ("pml", r"(?s)/\*(?! S:)(.*?)\*/"),  # The others name lines of the sources.
}


def texts(path):
    """Yields the kind, the number of the line, and the text of each piece of prose."""
    for kind, (endings, pattern) in KINDS.items():
        if path.name.rpartition(".")[2] in endings.split():
            text = path.read_text()
            for match in re.finditer(pattern, text):
                yield kind, text.count("\n", 0, match.start()) + 1, match[match.lastindex] if match.lastindex else ""


words = collections.Counter()
found = collections.defaultdict(list)
for name in git("ls-files").splitlines():
    path = ROOT / name
    if path.is_symlink() or not path.is_file():
        continue
    for kind, number, text in texts(path):
        text = re.sub(r"``?[^`]*``?", "code", re.sub(r"\]\([^)]*\)", "]", text))
        # Fields of DocC and entries of lists, such as "- Returns: a value" and "- limit: the limit".
        text = re.sub(r"^[-*] [\w ]+: |^ *[Gg]host: ", "", text)
        words[kind] += len(text.split())
        for phrase, (pattern, _) in LIMITS.items():
            found[kind, phrase] += [f"  {name}:{number}: {text}" for _ in re.finditer(pattern, text)]

problems = []
for (kind, phrase), places in sorted(found.items()):
    rate = 1_000 * len(places) / words[kind]
    most = LIMITS[phrase][1]
    if rate > most:
        problems += [f"{kind}: {phrase}: {rate:.1f} for 1,000 words, at most {most}", *places]
finish(problems)
