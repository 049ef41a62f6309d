"""The one way out: every connection that a team or a person asks for goes through a guard."""

from studio.egress.addresses import IPAddress as IPAddress
from studio.egress.addresses import is_public as is_public
from studio.egress.answers import MODEL_BYTES as MODEL_BYTES
from studio.egress.answers import Meter as Meter
from studio.egress.answers import TooLong as TooLong
from studio.egress.answers import Unreadable as Unreadable
from studio.egress.clients import http_client as http_client
from studio.egress.clients import put_behind_guard as put_behind_guard
from studio.egress.guard import ANY_HOST as ANY_HOST
from studio.egress.guard import CONNECT_S as CONNECT_S
from studio.egress.guard import FIRST_TRIES_S as FIRST_TRIES_S
from studio.egress.guard import Endpoint as Endpoint
from studio.egress.guard import Guard as Guard
from studio.egress.guard import HostRefused as HostRefused
from studio.egress.guard import StudioRefused as StudioRefused
from studio.egress.guard import is_private_allowed as is_private_allowed
from studio.egress.guard import leads_to_studio as leads_to_studio
from studio.egress.guard import place_of as place_of
from studio.egress.itself import keeping_out_of as keeping_out_of
from studio.egress.names import Resolver as Resolver
from studio.egress.names import resolving as resolving
