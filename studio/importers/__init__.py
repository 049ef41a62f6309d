"""Teams of other tools, each made into a team of ours with a report of what came along."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.importers.findings import Imported as Imported

if TYPE_CHECKING:
    from studio.importers.bundle import Bundle as Bundle
    from studio.importers.bundle import bundle_of as bundle_of
    from studio.importers.bundle import read_bundle as read_bundle
    from studio.importers.importing import SOURCES as SOURCES
    from studio.importers.importing import UnknownSource as UnknownSource
    from studio.importers.importing import detect as detect
    from studio.importers.importing import import_bundle as import_bundle
    from studio.importers.importing import import_foreign as import_foreign
    from studio.importers.importing import name_for as name_for
else:
    __getattr__ = lazy(
        __name__,
        {
            "bundle": "Bundle bundle_of read_bundle",
            "importing": "SOURCES UnknownSource detect import_bundle import_foreign name_for",
        },
    )
