"""The engine and a script each see their own value of a name, wherever the code stands."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript

pytestmark = pytest.mark.slow


def test_a_module_of_a_script_may_be_called_like_one_of_the_engine(run_script: RunScript):
    outcome = run_script(
        """
        import types
        from autogen_agentchat.agents import BaseChatAgent

        class Mine(BaseChatAgent):
            label = "my label"
            produced_message_types = ()
            async def on_messages(self, messages, cancellation_token): ...
            async def on_reset(self, cancellation_token): ...

        module = types.ModuleType("studio.of_the_user")
        exec("def look(agent): return agent.label", module.__dict__)
        agent = Mine("a", "b")
        print(agent.label, module.look(agent))
        """
    )
    assert outcome.lines == ["my label my label"], outcome.err
