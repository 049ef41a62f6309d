"""Who may come in, and what they may do."""

from studio.web.auth.person import OWNER as OWNER
from studio.web.auth.person import TOKEN_HOLDER as TOKEN_HOLDER
from studio.web.auth.person import Person as Person
from studio.web.auth.roles import NEEDS as NEEDS
from studio.web.auth.roles import RouteAccess as RouteAccess
