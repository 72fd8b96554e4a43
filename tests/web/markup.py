"""Reading pages strictly: every element closed in order, every identifier once, attributes quoted."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img", "hr"}
SVG_LEAVES = {"path", "circle", "line", "rect", "polygon", "polyline"}


class Reader(HTMLParser):
    """Collects what is wrong with a page, and what it holds."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.forms: list[dict[str, str]] = []
        self.tags: set[str] = set()
        self.words: list[str] = []

    @property
    def token(self) -> str:
        """What its forms prove themselves with."""
        return next(form["csrf"] for form in self.forms if "csrf" in form)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.add(tag)
        if len(found) != len(attrs):
            self.faults.append(f"<{tag}> repeats an attribute at {self.getpos()}")
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.faults.append(f"<{tag}> carries {name} at {self.getpos()}")
            if not all(c.isalnum() or c in "-:" for c in name):
                self.faults.append(f"<{tag}> has attribute {name!r} at {self.getpos()}")
            if name == "id":
                self.ids.append(value or "")
            if name == "href" and tag == "a":
                self.links.append(value or "")
        if tag == "form":
            self.forms.append({name: value or "" for name, value in attrs})
        if tag == "input" and found.get("name") == "csrf" and self.forms:
            self.forms[-1]["csrf"] = found.get("value") or ""
        if tag == "script" and not (found.get("src") or "").startswith("/static/"):
            self.faults.append("a script that is not a file of ours")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]} at {self.getpos()}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.words.append(data.strip())

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    if reader.open:
        reader.faults.append(f"never closed: {reader.open}")
    twice = {one for one in reader.ids if reader.ids.count(one) > 1}
    if twice:
        reader.faults.append(f"identifiers twice: {sorted(twice)}")
    return reader
