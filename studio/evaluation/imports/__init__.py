"""Suites of other tools, read without executing or fetching anything, each with a report of what came along."""

from studio.evaluation.imports.drafts import ImportedSuite as ImportedSuite
from studio.evaluation.imports.importing import SUITE_SOURCES as SUITE_SOURCES
from studio.evaluation.imports.importing import import_suite as import_suite
from studio.evaluation.imports.importing import merged as merged
from studio.evaluation.imports.importing import name_for as name_for
