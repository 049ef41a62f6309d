"""What a load balancer or an orchestrator asks, without a key: whether to restart a server, and whether to use it."""

from __future__ import annotations

from fastapi import Response

from studio.web.dependencies import ServicesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)


@router.get("/healthz")
async def health() -> dict[str, bool]:
    """Whether the process responds. Restart a server that does not."""
    return {"ok": True}


@router.get("/readyz")
async def readiness(response: Response, services: ServicesDep) -> dict[str, bool]:
    """Whether requests can be served: 503 while the database does not respond and while the server is stopping."""
    is_ready = not services.closing.is_set() and await services.readiness.check()
    response.status_code = 200 if is_ready else 503
    return {"ok": is_ready}
