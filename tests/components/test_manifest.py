from __future__ import annotations

import pytest

from studio.components.manifest import manifest_of
from studio.components.named_hosts import hosts_in_python, is_host

MODEL = {"provider": "autogen_ext.models.openai.OpenAIChatCompletionClient", "config": {"model": "gpt-4o"}}


def agent(name: str, **config: object) -> dict[str, object]:
    own = {"name": name, "description": "", "model_client": MODEL, **config}
    return {"provider": "autogen_agentchat.agents.AssistantAgent", "config": own}


def team(*agents: object) -> object:
    return {"provider": "autogen_agentchat.teams.RoundRobinGroupChat", "config": {"participants": list(agents)}}


def test_each_thing_is_listed_once_with_all_who_ask_for_it():
    manifest = manifest_of(team(agent("writer"), agent("critic")))  # pyright: ignore[reportArgumentType]
    assert [item.group for item in manifest.items] == ["network", "secrets", "money"]
    assert [place.name for place in manifest.items[0].places] == ["writer › gpt-4o", "critic › gpt-4o"]
    assert [place.where for place in manifest.items[0].places] == [
        f"/config/participants/{index}/config/model_client" for index in range(2)
    ]
    assert manifest.items[0].hosts == ("api.openai.com:443",)


def test_a_part_that_is_wrong_hides_nothing_of_the_others():
    broken = {"provider": "autogen_agentchat.agents.AssistantAgent", "config": {"name": 5}}
    manifest = manifest_of(team(agent("writer"), broken))  # pyright: ignore[reportArgumentType]
    assert manifest.report.errors
    assert {item.group for item in manifest.items} == {"network", "secrets", "money"}


@pytest.mark.parametrize(
    ("source", "hosts"),
    [
        ("get('https://api.test/v1')", ("api.test:443",)),
        ("get(f'http://a.test:8080/{x}')", ("a.test:8080",)),
        ("HTTPSConnection('b.test')", ("b.test",)),
        ("socket.create_connection(('c.test', 25))", ("c.test",)),
        ("print('see d.test')", ()),
        ("get('https://user@e.test/')", ()),
        ("'https://' + host", ()),
        ("this is no https://f.test/ Python", ("f.test:443",)),
    ],
)
def test_hosts_that_code_names_are_found_without_running_it(source: str, hosts: tuple[str, ...]):
    assert hosts_in_python(source) == hosts


def test_a_host_is_a_name_and_a_port_at_most():
    assert all(map(is_host, ("a.test", "a.test:443", "localhost", "10.0.0.1", "[::1]:80")))
    assert not any(map(is_host, ("", "a.test/x", "https://a.test", "a b", "a.test:", "*", "a.test\n")))
