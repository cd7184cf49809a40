#!/usr/bin/env python3
"""Fails for a rule of Docs/Semantics.md that no test carries, and for a test, a source, a page, a mutation or a model
that names an unknown rule. It takes no arguments.

A test carries a rule by the trait `.rule("4.3", "4.4")`. Comments do not count, because a comment cannot fail.
"""
import re

from package import ROOT, finish

PLACES = ["*.md", "Docs/**/*.md", "Docs/**/*.swift"]
PLACES += [f"{folder}/**/*.{ending}" for folder in ["Sources", "Tests"] for ending in ["swift", "md", "mutants", "pml"]]
RULE = r"\d+\.\d+(?!\d)"

rules = set(re.findall(rf"(?m)^\*\*({RULE})\*\* ", (ROOT / "Docs/Semantics.md").read_text()))
carried = set()
problems = []
for file in sorted(file for place in PLACES for file in ROOT.glob(place)):
    # Joins the lines of a comment, because a line may end after the word `rule`.
    text = re.sub(r"\n *///? ?", " ", file.read_text())
    place = file.relative_to(ROOT)
    traits = [rule for trait in re.findall(r"\.rule\(([^)]*)\)", text) for rule in re.findall(r'"([^"]*)"', trait)]
    mentions = re.findall(rf"\b[Rr]ules? ({RULE}(?:(?:,? and | to |, ?| ){RULE})*)", text)
    named = {*traits, *(rule for mention in mentions for rule in re.findall(RULE, mention))}
    problems += [f"{place}: there is no rule {rule}" for rule in sorted(named - rules)]
    carried.update(traits)

problems += [f"Docs/Semantics.md: no test carries rule {rule}" for rule in sorted(rules - carried)]
finish(problems)
