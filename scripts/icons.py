"""Write `macros/icons.html` and `css/components/icon.css` from the SVG files in `static/icons`.

Run `python scripts/icons.py` after adding a file from Lucide to `static/icons`.
"""

import math
import re
from pathlib import Path
from urllib.parse import quote

FRONTEND = Path(__file__).resolve().parent.parent / "frontend"
UNITS = 24
"""The side of a Lucide icon."""

SHAPES = re.compile(r"<svg[^>]*>(.*)</svg>", re.DOTALL)

MACRO = """\
{{# Made by scripts/icons.py from static/icons. Lucide icons, ISC licence. #}}
{{% set shapes = {{
{shapes}
}} %}}

{{# One inline icon. Decorative unless it gets a label. #}}
{{% macro icon(name, label="") -%}}
<svg class="icon-svg" viewBox="0 0 24 24" width="16" height="16" fill="none" stroke="currentColor" stroke-width="2" \
stroke-linecap="round" stroke-linejoin="round" {{% if label %}}role="img" aria-label="{{{{ label }}}}"\
{{% else %}}aria-hidden="true"{{% endif %}}>{{{{ shapes[name]|safe }}}}</svg>
{{%- endmacro %}}
"""

SPRITE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" viewBox="0 0 {size} {size}" '
    'fill="none" stroke="#000" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">{shapes}</svg>'
)

# A browser makes a document of each picture that a style names, which takes it a millisecond. All icons are one
# picture therefore, a square of squares of which an element shows one; without a name it shows none.
STYLE = """\
/* Made by scripts/icons.py from static/icons. Lucide icons, ISC licence. */
@layer components {{
  .icon {{
    display: inline-block;
    flex: none;
    inline-size: 1em;
    block-size: 1em;
    font-size: 16px;
    background: currentColor;
    mask: url('data:image/svg+xml,{sprite}') 200% 0 / {side}00% no-repeat;
  }}
  .icon-svg {{ flex: none; }}
{rules}
}}
"""


def main() -> None:
    files = sorted((FRONTEND / "static/icons").glob("*.svg"))
    side = math.ceil(math.sqrt(len(files)))
    shapes: list[str] = []
    squares: list[str] = []
    rules: list[str] = []
    for index, file in enumerate(files):
        match = SHAPES.search(file.read_text())
        if match is None:
            raise SystemExit(f"{file} holds no <svg>")
        row, column = divmod(index, side)
        shapes.append(f"  '{file.stem}': '{match[1]}',")
        squares.append(f'<g transform="translate({column * UNITS} {row * UNITS})">{match[1]}</g>')
        rules.append(f'  .icon[data-icon="{file.stem}"] {{ mask-position: {at(column, side)} {at(row, side)}; }}')
    sprite = SPRITE.format(size=side * UNITS, shapes="".join(squares))
    style = STYLE.format(sprite=quote(sprite, safe=" =:/"), side=side, rules="\n".join(rules))
    (FRONTEND / "templates/macros/icons.html").write_text(MACRO.format(shapes="\n".join(shapes)))
    (FRONTEND / "static/css/components/icon.css").write_text(style)


def at(number: int, side: int) -> str:
    """The position in percent of which the square of this number is what is seen."""
    return f"{100 * number / (side - 1):.6g}%" if number else "0"


if __name__ == "__main__":
    main()
