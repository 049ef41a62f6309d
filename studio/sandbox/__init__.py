"""Where foreign code runs: outside the server's process."""

from studio.sandbox.owning import kill_group as kill_group
from studio.sandbox.owning import owned as owned
from studio.sandbox.owning import to_its_end as to_its_end
from studio.sandbox.process import TEXT_LIMIT as TEXT_LIMIT
from studio.sandbox.process import TIMEOUT_S as TIMEOUT_S
from studio.sandbox.process import Limits as Limits
from studio.sandbox.process import bare_environment as bare_environment
from studio.sandbox.process import run_function as run_function
from studio.sandbox.process import working_directory as working_directory
