"""Write the table of valid compositions into ARCHITECTURE.md.

    python tools/composition_table.py

The table comes from the code; a test says when the page is behind.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from toksmith._core import boundaries
from toksmith.recipes import compositions, known_encoders

PAGE: Final = Path(__file__).parents[1] / "ARCHITECTURE.md"
BEGIN: Final = "<!-- compositions: made by tools/composition_table.py -->"
END: Final = "<!-- end of compositions -->"


def table() -> str:
    """Return the table in Markdown."""
    encoders = known_encoders()
    lines = [
        f"| method | {' | '.join(encoders)} |",
        f"| --- |{' --- |' * len(encoders)}",
    ]
    for method, of_method in compositions().items():
        cells = [
            "own" if encoder == of_method[0] else "yes" if encoder in of_method else "–"
            for encoder in encoders
        ]
        lines.append(f"| `{method}` | {' | '.join(cells)} |")
    lines += ["", f"Each with every boundary: {', '.join(boundaries())}."]
    return "\n".join(lines)


def page_with_table(page: str) -> str:
    """Return the page with the table as the code has it now."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    return pattern.sub(lambda _: f"{BEGIN}\n{table()}\n{END}", page)


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
