"""Agents in several processes: workers, in which they live, and a host, which passes their messages on.

The wire is AutoGen's, so a worker may join a host of AutoGen's, and the other way round. Needs the extra `grpc`.
"""

from studio.models.extras import needs_extra

with needs_extra("grpc", "The runtime for several processes"):
    from studio.actors.grpc.host import GrpcWorkerAgentRuntimeHost
    from studio.actors.grpc.servicer import GrpcWorkerAgentRuntimeHostServicer
    from studio.actors.grpc.worker import GrpcWorkerAgentRuntime

__all__ = ["GrpcWorkerAgentRuntime", "GrpcWorkerAgentRuntimeHost", "GrpcWorkerAgentRuntimeHostServicer"]
