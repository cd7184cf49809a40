"""Finds the headings and links of Markdown documents, for the other scripts of this folder."""
import re

# Code blocks come first, because a code span cannot begin in a block.
CODE = r"(?P<kept>^(?P<fence>```|~~~).*?^(?P=fence)|(?P<ticks>`+)[^`](?:(?!\n\n).)*?(?P=ticks))"
INLINE = r"(?P<image>!?)\[(?P<text>(?:[^][`]|`[^`]*`)*)\]\((?P<target>[^()]*(?:\([^()]*\)[^()]*)*)\)"
REFERENCE = r"^ {0,3}\[[^]]+\]:\s*(?P<reference>\S+)[^\n]*"
# Each match is code (`kept`), an inline link or image (`target`), or the definition of a reference link (`reference`).
LINK = re.compile(f"(?ms){CODE}|{INLINE}|{REFERENCE}")


def without_comments(text):
    return re.sub(r"(?s)<!--.*?-->\n?", "", text)


def fragment(title):
    return re.sub(r"[^\w\- ]", "", title).replace(" ", "-")


def headings(file):
    """Returns the headings of a document, by their anchors on GitHub."""
    found = {}
    for title in re.findall(r"(?m)^#+ (.*)", re.sub(r"(?ms)^(```|~~~).*?^\1", "", file.read_text())):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "").replace("*", "").strip()
        slug = fragment(plain.lower())
        count = sum(1 for other in found if re.fullmatch(rf"{re.escape(slug)}(-\d+)?", other))
        found[f"{slug}-{count}" if count else slug] = plain
    return found


def destination(file, target):
    """Returns the file or folder to which a document's link leads, and its anchor, or `None` for a broken link."""
    path, _, anchor = target.partition("#")
    other = (file.parent / path).resolve() if path else file
    if not other.exists() or anchor and (other.suffix != ".md" or anchor not in headings(other)):
        return None
    return other, anchor
