"""The studio of the tests of its web interface."""

from tests.web.conftest import app as app
from tests.web.conftest import client as client
from tests.web.conftest import first_database as first_database
from tests.web.conftest import first_start as first_start
from tests.web.conftest import server as server
from tests.web.conftest import settings as settings
