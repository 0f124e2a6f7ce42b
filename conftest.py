"""Runs the examples in the documentation: what a reader copies has been executed."""

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser()], patterns=["*.md"], excludes=["testdata/*"]
).pytest()
