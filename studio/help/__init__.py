"""The documentation that ships with the studio: read, rendered and searched, from files that are here."""

from studio.help.library import SECTIONS, Library, Page, load_library
from studio.help.rendering import Heading
from studio.help.search import MAX_QUERY, Hit

__all__ = ["MAX_QUERY", "SECTIONS", "Heading", "Hit", "Library", "Page", "load_library"]
