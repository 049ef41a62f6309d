"""Code executors as AutoGen's scripts make them."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript

pytestmark = pytest.mark.slow


def test_a_folder_is_there_before_the_executor_is_started(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_core import CancellationToken
        from autogen_core.code_executor import CodeBlock
        from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor

        async def main():
            executor = LocalCommandLineCodeExecutor()
            (executor.work_dir / "data.txt").write_text("of before")
            block = CodeBlock(code="print(open('data.txt').read())", language="python")
            result = await executor.execute_code_blocks([block], CancellationToken())
            print(result.output.strip(), executor.SUPPORTED_LANGUAGES[-1])
            await executor.stop()
            print(LocalCommandLineCodeExecutor(work_dir="new").work_dir.is_dir())

        asyncio.run(main())
    """)
    assert outcome.lines == ["of before python", "True"]


def test_the_current_folder_is_warned_of_however_it_is_named(run_script: RunScript):
    outcome = run_script("""
        import warnings
        from pathlib import Path
        from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor

        for folder in (".", Path.cwd(), "below"):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                LocalCommandLineCodeExecutor(work_dir=folder)
            print([warning.category.__name__ for warning in told])
    """)
    assert outcome.lines == ["['DeprecationWarning']", "['DeprecationWarning']", "[]"]


def test_a_container_may_be_given_graphics_cards(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.code_executors.docker import DockerCommandLineCodeExecutor

        # As `docker.types.DeviceRequest` has them.
        all_of_them = {"Driver": "", "Count": -1, "DeviceIDs": [], "Capabilities": [["gpu"]]}
        two = {"Driver": "nvidia", "Count": 0, "DeviceIDs": ["0", "2"], "Capabilities": [["gpu", "utility"]]}
        executor = DockerCommandLineCodeExecutor(device_requests=[all_of_them, two])
        print(executor._more_options)
        print("device_requests" in executor.dump_component().config, executor.SUPPORTED_LANGUAGES[0])
    """)
    assert outcome.lines == [
        """['--gpus', 'count=all', '--gpus', 'driver=nvidia,"device=0,2",capabilities=utility']""",
        "False bash",
    ]
