"""Tools of a script's own classes, where those have more to do than give a result."""

from __future__ import annotations

from tests.autogen.conftest import RunScript


def test_a_stream_tool_that_nobody_hears_to_the_end_is_closed(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_core import CancellationToken
        from autogen_core.tools import BaseStreamTool
        from pydantic import BaseModel

        class NoArgs(BaseModel):
            pass

        class Counting(BaseStreamTool[NoArgs, NoArgs, NoArgs]):
            def __init__(self) -> None:
                super().__init__(NoArgs, NoArgs, "count", "Counts.")

            async def run(self, args, cancellation_token):
                return 2

            async def run_stream(self, args, cancellation_token):
                try:
                    yield 1
                    yield 2
                finally:
                    print("closed")

        async def main():
            items = Counting().run_json_stream({}, CancellationToken())
            print(await anext(items))
            await items.aclose()
            print("after")

        asyncio.run(main())
    """)
    assert outcome.lines == ["1", "closed", "after"]
