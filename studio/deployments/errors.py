"""Why a call is refused. Callers read these: nothing of the team, its tools or the studio stands in them."""

from __future__ import annotations

from studio.errors import Conflict, NotFound, StudioError


class CallRefused(StudioError):
    """A call cannot begin now. Trying again later helps.

    Args:
        what: One sentence for the caller.
        retry_after_s: When to try again; 0 when nobody can tell.
    """

    code = "call_refused"

    def __init__(self, what: str, *, fix: str = "", retry_after_s: int = 0) -> None:
        super().__init__(what, fix=fix)
        self.retry_after_s = retry_after_s


class DeploymentUnavailable(CallRefused):
    """The deployment is off, its team may not run, or the studio is stopping."""

    code = "unavailable"


class LimitReached(CallRefused):
    """The deployment takes no more calls for now."""

    code = "limit_reached"


class ThreadBusy(Conflict):
    """Another call of the thread has not ended."""

    code = "thread_busy"
    retry_after_s = 2


class IdempotencyKeyReused(Conflict):
    """The key of an earlier request came with another body."""

    code = "idempotency_key_reused"


class CallNotFound(NotFound):
    """There is no such call, or it belongs to another key; callers are not told which."""

    code = "call_not_found"

    def __init__(self) -> None:
        super().__init__("There is no such call.", fix="Check the ID, and use the key that began the call.")
