"""What a load balancer, an orchestrator and Prometheus ask, without a key of the studio."""

from __future__ import annotations

from fastapi import Request, Response

from studio.web.dependencies import ServicesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)


@router.get("/healthz")
async def health(request: Request, services: ServicesDep) -> Response:
    """Whether the process responds."""
    return await services.probes.health(request)


@router.get("/readyz")
async def readiness(request: Request, services: ServicesDep) -> Response:
    """Whether requests can be served."""
    return await services.probes.readiness(request)


@router.get("/metrics")
async def metrics(request: Request, services: ServicesDep) -> Response:
    """What Prometheus reads."""
    return await services.probes.metrics(request)
