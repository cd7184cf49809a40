"""What the scripts beside this file read in the Markdown documents of the repository: headings and links."""
import re

# Code blocks come before code spans, because a span does not begin in a block.
CODE = r"(?P<kept>^(?P<fence>```|~~~).*?^(?P=fence)|(?P<ticks>`+)[^`](?:(?!\n\n).)*?(?P=ticks))"
INLINE = r"(?P<image>!?)\[(?P<text>(?:[^][`]|`[^`]*`)*)\]\((?P<target>[^()]*(?:\([^()]*\)[^()]*)*)\)"
REFERENCE = r"^ {0,3}\[[^]]+\]:\s*(?P<reference>\S+)[^\n]*"
# Each match is code (`kept`), a link or an image in a line (`target`), or the definition of a reference link (`reference`).
LINK = re.compile(f"(?ms){CODE}|{INLINE}|{REFERENCE}")


def without_comments(text):
    return re.sub(r"(?s)<!--.*?-->\n?", "", text)


def fragment(title):
    return re.sub(r"[^\w\- ]", "", title).replace(" ", "-")


def headings(file):
    """The headings of a document, by the anchors that GitHub gives them."""
    found = {}
    for title in re.findall(r"(?m)^#+ (.*)", re.sub(r"(?ms)^(```|~~~).*?^\1", "", file.read_text())):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "").replace("*", "").strip()
        slug = fragment(plain.lower())
        count = sum(1 for other in found if re.fullmatch(rf"{re.escape(slug)}(-\d+)?", other))
        found[f"{slug}-{count}" if count else slug] = plain
    return found


def destination(file, target):
    """The file or folder that a link of a document leads to, and its anchor, or None if it leads nowhere."""
    path, _, anchor = target.partition("#")
    other = (file.parent / path).resolve() if path else file
    if not other.exists() or anchor and (other.suffix != ".md" or anchor not in headings(other)):
        return None
    return other, anchor
