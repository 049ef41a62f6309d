"""Where foreign code runs: outside the server's process, and in a jail."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import waiting
from studio.sandbox.limits import TEXT_LIMIT as TEXT_LIMIT
from studio.sandbox.limits import TIMEOUT_S as TIMEOUT_S
from studio.sandbox.limits import Limits as Limits
from studio.sandbox.limits import working_directory as working_directory

if TYPE_CHECKING:
    from studio.sandbox.choosing import Examined as Examined
    from studio.sandbox.choosing import choose_jail as choose_jail
    from studio.sandbox.choosing import examined as examined
    from studio.sandbox.choosing import jail_or_refusal as jail_or_refusal
    from studio.sandbox.confining import confined as confined
    from studio.sandbox.jail import UNCONFINED as UNCONFINED
    from studio.sandbox.jail import Jail as Jail
    from studio.sandbox.jail import MissingJail as MissingJail
    from studio.sandbox.jail import NoJail as NoJail
    from studio.sandbox.jail import PlainProcess as PlainProcess
    from studio.sandbox.jail import current_jail as current_jail
    from studio.sandbox.opening import open_sandbox as open_sandbox
    from studio.sandbox.opening import outside_of as outside_of
    from studio.sandbox.opening import own_folder as own_folder
    from studio.sandbox.owning import kill_group as kill_group
    from studio.sandbox.owning import owned as owned
    from studio.sandbox.owning import to_its_end as to_its_end
    from studio.sandbox.policy import Bounds as Bounds
    from studio.sandbox.policy import Outside as Outside
    from studio.sandbox.policy import Policy as Policy
    from studio.sandbox.policy import place_of as place_of
    from studio.sandbox.process import run_function as run_function
    from studio.sandbox.proxy import network_for as network_for
    from studio.sandbox.warm import Workers as Workers
    from studio.sandbox.warm import current_workers as current_workers
    from studio.sandbox.working import bare_environment as bare_environment
else:
    __getattr__ = waiting(
        __name__,
        {
            "choosing": "Examined choose_jail examined jail_or_refusal",
            "confining": "confined",
            "jail": "UNCONFINED Jail MissingJail NoJail PlainProcess current_jail",
            "opening": "open_sandbox outside_of own_folder",
            "owning": "kill_group owned to_its_end",
            "policy": "Bounds Outside Policy place_of",
            "process": "run_function",
            "proxy": "network_for",
            "warm": "Workers current_workers",
            "working": "bare_environment",
        },
    )
