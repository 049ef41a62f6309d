"""Write `macros/icons.html` and `css/components/icon.css` from the SVG files in `static/icons`.

Run `python scripts/icons.py` after adding a file from Lucide to `static/icons`.
"""

import re
from pathlib import Path
from urllib.parse import quote

FRONTEND = Path(__file__).resolve().parent.parent / "frontend"
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

STYLE_HEAD = """\
/* Made by scripts/icons.py from static/icons. Lucide icons, ISC licence. */
@layer components {
  .icon {
    display: inline-block;
    flex: none;
    inline-size: 1em;
    block-size: 1em;
    font-size: 16px;
    background: currentColor;
    mask: var(--icon) center / contain no-repeat;
  }
  .icon-svg { flex: none; }
"""


def main() -> None:
    files = sorted((FRONTEND / "static/icons").glob("*.svg"))
    shapes: list[str] = []
    rules: list[str] = []
    for file in files:
        text = file.read_text().strip()
        match = SHAPES.search(text)
        if match is None:
            raise SystemExit(f"{file} holds no <svg>")
        shapes.append(f"  '{file.stem}': '{match[1]}',")
        masked = text.replace("currentColor", "#000")
        rules.append(
            f"  .icon[data-icon=\"{file.stem}\"] {{ --icon: url('data:image/svg+xml,{quote(masked, safe=' =:/')}'); }}"
        )
    (FRONTEND / "templates/macros/icons.html").write_text(MACRO.format(shapes="\n".join(shapes)))
    (FRONTEND / "static/css/components/icon.css").write_text(STYLE_HEAD + "\n".join(rules) + "\n}\n")


if __name__ == "__main__":
    main()
