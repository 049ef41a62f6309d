"""The documentation that ships with the studio: read, rendered and searched, from files that are here."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.help.library import SECTIONS as SECTIONS
from studio.help.library import Library as Library
from studio.help.library import Page as Page
from studio.help.library import load_library as load_library
from studio.help.library import prepare_library as prepare_library
from studio.help.search import MAX_QUERY as MAX_QUERY
from studio.help.search import Hit as Hit

if TYPE_CHECKING:
    from studio.help.rendering import Heading as Heading
else:
    __getattr__ = lazy(__name__, {"rendering": "Heading"})
