"""Corpora: what a user gives, as a stream of documents, never lines.

Everything that takes a corpus takes it through `Corpus.from_input`. `Document` is what comes out.
Nothing here knows what the documents are used for.
"""

from __future__ import annotations

from toksmith.corpus.document import Document, document_digest
from toksmith.corpus.standard_library import standard_library_split
from toksmith.corpus.stream import Corpus, CorpusInput

__all__ = [
    "Corpus",
    "CorpusInput",
    "Document",
    "document_digest",
    "standard_library_split",
]
