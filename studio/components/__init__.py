"""Components: one class each, AutoGen's JSON on the wire, and nothing executed while they are read."""

from typing import TYPE_CHECKING

from studio.components.advice import Advice as Advice
from studio.components.advice import advice_kinds as advice_kinds
from studio.components.base import Component as Component
from studio.components.base import JsonObject as JsonObject
from studio.components.base import Opaque as Opaque
from studio.components.base import Warn as Warn
from studio.components.base import component_classes as component_classes
from studio.components.base import find_class as find_class
from studio.components.base import load_packages as load_packages
from studio.components.base import walk as walk
from studio.components.capability import Capability as Capability
from studio.components.document import MAX_BYTES as MAX_BYTES
from studio.components.document import check_bounds as check_bounds
from studio.components.document import parse_document as parse_document
from studio.components.document import parse_json as parse_json
from studio.components.field_titles import PARTICIPANT_NAMES as PARTICIPANT_NAMES
from studio.components.field_titles import sentence_case as sentence_case
from studio.components.field_titles import title_from_name as title_from_name
from studio.components.field_titles import unit_from_name as unit_from_name
from studio.components.findings import error_at as error_at
from studio.components.findings import errors_at as errors_at
from studio.components.lazy_exports import lazy
from studio.components.secrets import DefaultEnv as DefaultEnv
from studio.components.secrets import SecretRef as SecretRef
from studio.components.secrets import env as env
from studio.components.secrets import is_reference as is_reference
from studio.components.secrets import references_within as references_within
from studio.components.secrets import secret_source as secret_source

if TYPE_CHECKING:
    from studio.components.comparison.changes import Change as Change
    from studio.components.comparison.changes import diff as diff
    from studio.components.comparison.changes import summary as summary
    from studio.components.comparison.merging import MergeConflict as MergeConflict
    from studio.components.comparison.merging import Merged as Merged
    from studio.components.comparison.merging import Side as Side
    from studio.components.comparison.merging import merge as merge
    from studio.components.loading import Part as Part
    from studio.components.loading import Report as Report
    from studio.components.loading import SecretUse as SecretUse
    from studio.components.loading import all_capabilities as all_capabilities
    from studio.components.loading import envelopes as envelopes
    from studio.components.loading import load_component as load_component
    from studio.components.loading import validate_component as validate_component
    from studio.components.schema import GROUPS as GROUPS
    from studio.components.schema import Slot as Slot
    from studio.components.schema import catalogue as catalogue
    from studio.components.schema import form_schema as form_schema
    from studio.components.schema import group_of as group_of
    from studio.components.schema import slots as slots
    from studio.components.schema import template as template
    from studio.components.secret_extraction import FoundSecret as FoundSecret
    from studio.components.secret_extraction import extract_secrets as extract_secrets
    from studio.components.type_switch import TypeSwitch as TypeSwitch
    from studio.components.type_switch import switch_to as switch_to
else:
    __getattr__ = lazy(
        __name__,
        {
            "studio.components.comparison.changes": "Change diff summary",
            "secret_extraction": "FoundSecret extract_secrets",
            "loading": "Part Report SecretUse all_capabilities envelopes load_component validate_component",
            "studio.components.comparison.merging": "MergeConflict Merged Side merge",
            "schema": "GROUPS Slot catalogue form_schema group_of slots template",
            "type_switch": "TypeSwitch switch_to",
        },
    )
