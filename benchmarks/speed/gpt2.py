"""GPT-2's pattern and byte characters, as the peers need them to run a vocabulary of ours."""

from __future__ import annotations

from typing import Final

#: As tiktoken writes it; the pattern that toksmith and `tokenizers` call by name.
PATTERN: Final = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def _byte_characters() -> list[str]:
    shown = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1)}
    shown |= set(range(ord("®"), ord("ÿ") + 1))
    others = [byte for byte in range(256) if byte not in shown]
    return [chr(byte if byte in shown else 256 + others.index(byte)) for byte in range(256)]


#: The character that stands for each byte in files of GPT-2 and of `tokenizers`.
CHARACTERS: Final = _byte_characters()
_BYTES: Final = {character: byte for byte, character in enumerate(CHARACTERS)}


def to_characters(token: bytes) -> str:
    """A token as `tokenizers` spells it.

    >>> to_characters(b" the")
    'Ġthe'
    """
    return "".join(CHARACTERS[byte] for byte in token)


def from_characters(token: str) -> bytes:
    """The bytes of a token as `tokenizers` spells it; inverse of `to_characters`.

    >>> from_characters("Ġthe")
    b' the'
    """
    return bytes(_BYTES[character] for character in token)
