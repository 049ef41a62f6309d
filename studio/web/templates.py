"""Jinja as the studio uses it: everything escaped, nothing undefined, JSON in the order of the document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from studio.store import Role
from studio.web.assets.assets import Loading, load_assets
from studio.web.auth.authorization import AUTH_CONTEXT
from studio.web.auth.session_cache import AuthContext
from studio.web.help_links import HELP
from studio.web.review.source_lines import as_said

MODULE = re.compile(r"""\bmodule\("([^"]+)"\)""")
"""Where a template names the module of its page."""
REFERENCE = re.compile(r"""\{%-?\s*(?:extends|include|import|from)\s+["]([^"]+\.html)["]""")
"""Where a template names another one that it needs."""


@dataclass(frozen=True)
class PageGlobals:
    """What every template may use without being given it."""

    static_url: Callable[[str], str]
    loading: Callable[[str], Loading]
    importmap: str


class Templates:
    """Renders pages and fragments."""

    def __init__(self, folder: Path, page_globals: PageGlobals) -> None:
        self._folder, self._loading = folder, page_globals.loading
        self._prepared: set[str] = set()
        self._env = Environment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._env.policies["json.dumps_kwargs"] = {"sort_keys": False}
        cast("dict[str, object]", self._env.globals).update(
            static_url=page_globals.static_url,
            loading=page_globals.loading,
            importmap=Markup(page_globals.importmap),
            nav="",
            trusts_typed_code=False,
        )
        cast("dict[str, object]", self._env.filters).update(
            moment=moment, relative_time=relative_time, exact_time=exact_time, zoned_time=zoned_time, visible=as_said
        )

    @property
    def environment(self) -> Environment:
        return self._env

    def prepare(self, *names: str) -> Iterator[None]:
        """Compile these templates and what they need, else all, and join the modules of their pages: the first visitor
        would wait.

        One with each step.
        """
        for name in names or self._env.list_templates(extensions=["html"]):
            if name in self._prepared:
                continue
            self._prepared.add(name)
            text = (self._folder / name).read_text(encoding="utf-8")
            for path in MODULE.findall(text):
                self._loading(path)
            self._env.get_template(name)
            yield
            if needed := REFERENCE.findall(text):
                yield from self.prepare(*needed)

    def page(self, request: Request, name: str, *, title: str, **context: object) -> HTMLResponse:
        """A whole page; `name` is relative to the templates folder."""
        admitted = cast("AuthContext | None", request.scope.get(AUTH_CONTEXT))
        person = admitted.person if admitted else None
        return _html(
            self.text(
                name,
                request=request,
                title=title,
                person=person,
                may=person.may if person else _may_nothing,
                csrf_token=admitted.csrf if admitted else "",
                help_url=HELP[name],
                **context,
            )
        )

    def fragment(self, name: str, **context: object) -> HTMLResponse:
        """A piece of a page, which looks the same alone as inside it."""
        return _html(self.text(name, **context))

    def text(self, name: str, **context: object) -> str:
        return self._env.get_template(name).render(context)


@cache
def load_templates() -> Templates:
    """The same for every studio of this process, as they are compiled once."""
    assets = load_assets()
    return Templates(assets.templates, PageGlobals(assets.url, assets.loading, assets.importmap))


def _may_nothing(role: Role) -> bool:
    del role
    return False


def _html(text: str) -> HTMLResponse:
    """Half of a surrogate pair, which JSON allows and UTF-8 does not, becomes a question mark."""
    return HTMLResponse(text.encode("utf-8", "replace"))


def moment(at: datetime | str) -> str:
    """A time for the `datetime` attribute; naive values are UTC, as they are stored."""
    return _aware(at).isoformat(timespec="seconds")


def relative_time(at: datetime | str) -> Markup:
    """A `<time>` that says how long ago, in the largest fitting unit, and the exact time on hover."""
    return Markup('<time datetime="{}" title="{}">{}</time>').format(moment(at), _exact(at), _ago(at))


def exact_time(at: datetime | str) -> Markup:
    """A `<time>` with the date, the minute and the zone."""
    return Markup('<time datetime="{}">{}</time>').format(moment(at), _exact(at))


def zoned_time(at: datetime, zone: str) -> Markup:
    """A `<time>` with the day and the minute as clocks in the zone of `at` show them; `zone` is its IANA name.

    Where the page is read in another zone, a script adds what clocks show there.
    """
    text = f"{at:%a} {at.day} {at:%b %Y, %H:%M}"
    return Markup('<time datetime="{}" data-zone="{}">{}</time>').format(moment(at), zone, text)


def _exact(at: datetime | str) -> str:
    return _aware(at).astimezone(UTC).strftime("%d %b %Y, %H:%M UTC")


def _ago(at: datetime | str) -> str:
    seconds = max(0, int((datetime.now(UTC) - _aware(at)).total_seconds()))
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        count = seconds // size
        if count:
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


def _aware(at: datetime | str) -> datetime:
    value = datetime.fromisoformat(at) if isinstance(at, str) else at
    return value if value.tzinfo else value.replace(tzinfo=UTC)
