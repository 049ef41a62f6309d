"""`python -m studio.actors.grpc [HOST:PORT]`: a host of workers, until SIGTERM or SIGINT."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys

from studio.actors.grpc.host import DEFAULT_ADDRESS, GrpcWorkerAgentRuntimeHost


async def _serve(address: str) -> None:
    host = GrpcWorkerAgentRuntimeHost(address)
    host.start()
    print(f"Workers connect to {host.address}.", flush=True)
    await host.stop_when_signal()


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m studio.actors.grpc", description="Pass messages on between workers of agents."
    )
    parser.add_argument("address", nargs="?", default=DEFAULT_ADDRESS, help=f"HOST:PORT, {DEFAULT_ADDRESS} by default")
    address = parser.parse_args().address
    logging.basicConfig(level=logging.WARNING)
    try:
        asyncio.run(_serve(address))
    except RuntimeError as error:
        print(f"There can be no host at {address!r}. {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
