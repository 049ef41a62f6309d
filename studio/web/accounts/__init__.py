"""Who may come in, and what they may do."""

from studio.web.accounts.person import OWNER as OWNER
from studio.web.accounts.person import TOKEN_HOLDER as TOKEN_HOLDER
from studio.web.accounts.person import Person as Person
from studio.web.accounts.roles import NEEDS as NEEDS
from studio.web.accounts.roles import Need as Need
