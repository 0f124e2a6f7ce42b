r"""Show tokens so that a reader sees their marks, and read the shown form back.

A form is `#` if lead, the bytes, `#` if trail. A `#`, `\` or `|` of the bytes is written with a
backslash, and the space, newline, tab and CR are `\s`, `\n`, `\t`, `\r`. A token that is not
printable UTF-8 as a whole shows its other bytes as `\xHH`.
"""

import re
from collections.abc import Sequence

from toksmith.reference.boundary import Mode, Word
from toksmith.reference.unicode import is_printable

ESCAPES = {"#": r"\#", "\\": r"\\", "|": r"\|", " ": r"\s", "\n": r"\n", "\t": r"\t", "\r": r"\r"}
UNESCAPES = {shown[1]: character for character, shown in ESCAPES.items()}


def form(token: Word, unicode_version: str | None = None) -> str:
    r"""Return the form of a token.

    Printable is what `str.isprintable` would say on the pinned Unicode version.

    >>> [form(Word(*token)) for token in [(True, b".", True), (True, b"\n  ", False)]]
    ['#.#', '#\\n\\s\\s']
    >>> print(form(Word(True, b"#", True)), form(Word(False, b"\xc2\xa0", False)))
    #\## \xC2\xA0
    """
    text = _escape(token.bytes, ESCAPES, unicode_version)
    return "#" * token.lead + text + "#" * token.trail


def form_in(token: Word, mode: Mode, unicode_version: str | None = None) -> str:
    r"""Return the form of a token as its boundary writes it.

    As `form`, but for `▁` in place of the first space with metaspace, `</w>` in place of the
    last one with end-of-word, and `##` if lead with continuation.

    >>> form_in(Word(False, b"low ", False), "end-of-word")
    'low</w>'
    >>> form_in(Word(True, b"s", False), "continuation")
    '##s'
    """
    rest, bare = token, ""
    if mode in ("metaspace", "metaspace-no-prefix") and token.bytes.startswith(b" "):
        rest, bare = token._replace(bytes=token.bytes[1:]), "▁{}"
    elif mode == "end-of-word" and token.bytes.endswith(b" ") and len(token.bytes) > 1:
        rest, bare = token._replace(bytes=token.bytes[:-1]), "{}</w>"
    elif mode == "continuation" and token.lead:
        rest, bare = token._replace(lead=False), "##{}"
    return bare.replace("{}", form(rest, unicode_version)) if bare else form(token, unicode_version)


def _escape(data: bytes, escapes: dict[str, str], unicode_version: str | None) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if not text or not all(is_printable(ord(c), unicode_version) for c in text):
        text = data.decode("latin-1")  # one character per byte
        return "".join(
            escapes.get(c, c if " " <= c <= "~" or c in escapes else f"\\x{ord(c):02X}")
            for c in text
        )
    return "".join(escapes.get(c, c) for c in text)


def parse_form(text: str) -> Word:
    r"""Undo `form`.

    Raises:
        ValueError: no token has this form.

    >>> parse_form(r"#\##")
    Word(lead=True, bytes=b'#', trail=True)
    """
    match = re.fullmatch(r"(#?)((?:[^#\\|]|\\x[0-9A-F]{2}|\\[#\\|sntr])+)(#?)", text, re.DOTALL)
    if match is None:
        raise ValueError(f"form is {text!r}, but none is written so")
    lead, body, trail = match.groups()
    data = b""
    for piece in re.findall(r"\\x..|\\.|[^\\]", body, re.DOTALL):
        if piece.startswith("\\x"):
            data += bytes([int(piece[2:], 16)])
        else:
            data += (UNESCAPES[piece[1]] if piece.startswith("\\") else piece).encode("utf-8")
    return Word(bool(lead), data, bool(trail))


def explain(
    data: bytes,
    tokens: Sequence[Word],
    unicode_version: str | None = None,
    mode: Mode = "space-prefix",
) -> str:
    r"""Return `text -> form | form | ...` on one line.

    The text before the arrow is shown character by character, and the space, `#` and `|` stand
    for themselves in it.

    >>> from toksmith.reference.boundary import mark
    >>> print(explain(b"the self.x", mark(b"the self.x", "implicit-dual")))
    the self.x -> the | self | #.# | x
    >>> print(explain(b"a\n", mark(b"a\n", "implicit-dual")))
    a\n -> a | #\n
    """
    plain = {character: shown for character, shown in ESCAPES.items() if character not in " #|"}
    characters = data.decode("utf-8", "surrogateescape")
    text = "".join(
        _escape(c.encode("utf-8", "surrogateescape"), plain, unicode_version) for c in characters
    )
    return f"{text} -> {' | '.join(form_in(token, mode, unicode_version) for token in tokens)}"
