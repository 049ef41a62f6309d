"""Where foreign code runs: outside the server's process, and in a jail."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.sandbox.limits import TEXT_LIMIT as TEXT_LIMIT
from studio.sandbox.limits import TIMEOUT_S as TIMEOUT_S
from studio.sandbox.limits import Limits as Limits
from studio.sandbox.limits import working_directory as working_directory

if TYPE_CHECKING:
    from studio.sandbox.detect import Examined as Examined
    from studio.sandbox.detect import detect_jail as detect_jail
    from studio.sandbox.detect import examined as examined
    from studio.sandbox.detect import jail_or_refusal as jail_or_refusal
    from studio.sandbox.jail import UNCONFINED as UNCONFINED
    from studio.sandbox.jail import Jail as Jail
    from studio.sandbox.jail import JailUnavailable as JailUnavailable
    from studio.sandbox.jail import PlainProcess as PlainProcess
    from studio.sandbox.jail import UnavailableJail as UnavailableJail
    from studio.sandbox.jail import current_jail as current_jail
    from studio.sandbox.jailed_program import confined as confined
    from studio.sandbox.lifecycle import open_sandbox as open_sandbox
    from studio.sandbox.lifecycle import outside_of as outside_of
    from studio.sandbox.lifecycle import own_folder as own_folder
    from studio.sandbox.policy import Policy as Policy
    from studio.sandbox.policy import Quota as Quota
    from studio.sandbox.policy import ServerPaths as ServerPaths
    from studio.sandbox.policy import place_of as place_of
    from studio.sandbox.process import run_function as run_function
    from studio.sandbox.processes import kill_group as kill_group
    from studio.sandbox.processes import owned as owned
    from studio.sandbox.processes import to_its_end as to_its_end
    from studio.sandbox.proxy import network_for as network_for
    from studio.sandbox.worker_main import bare_environment as bare_environment
    from studio.sandbox.worker_pool import WorkerPool as WorkerPool
    from studio.sandbox.worker_pool import current_workers as current_workers
else:
    __getattr__ = lazy(
        __name__,
        {
            "detect": "Examined detect_jail examined jail_or_refusal",
            "jailed_program": "confined",
            "jail": "UNCONFINED Jail UnavailableJail JailUnavailable PlainProcess current_jail",
            "lifecycle": "open_sandbox outside_of own_folder",
            "processes": "kill_group owned to_its_end",
            "policy": "Quota Policy ServerPaths place_of",
            "process": "run_function",
            "proxy": "network_for",
            "worker_pool": "WorkerPool current_workers",
            "worker_main": "bare_environment",
        },
    )
