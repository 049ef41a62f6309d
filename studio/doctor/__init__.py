"""Looks at a studio, and says what is in order and what to do about the rest."""

from studio.doctor.checks import examine as examine
from studio.doctor.checks import examine_here as examine_here
from studio.doctor.exposure import is_exposed as is_exposed
from studio.doctor.exposure import is_loopback as is_loopback
from studio.doctor.finding import Finding as Finding
from studio.doctor.finding import Level as Level
