"""The forms of what leads from one participant to another: edges of a graph, handoffs."""

from pydantic import JsonValue

from studio.web.forms.form_model import FormField
from studio.web.forms.forms import form_at

AGENT = "autogen_agentchat.agents.AssistantAgent"


def graph(**edges: JsonValue) -> JsonValue:
    nodes: JsonValue = {name: {"name": name, "edges": each} for name, each in edges.items()}
    return {"provider": "autogen_agentchat.teams.GraphFlow", "config": {"participants": [], "graph": {"nodes": nodes}}}


def nodes_of(document: JsonValue) -> FormField:
    return next(each for each in form_at(document, "/config/graph").fields if each.name == "nodes")


def test_a_node_tells_where_its_edges_lead_and_on_what_condition() -> None:
    plain: JsonValue = {"target": "b", "condition": None, "activation_group": "b", "activation_condition": "all"}
    conditional: JsonValue = {"target": "a", "condition": "AGAIN", "activation_group": "loop"}
    held: JsonValue = {"target": "b", "context_condition": "attempts < 3"}
    nodes = nodes_of(graph(a=[plain], b=[conditional, held], c=[]))
    assert [each.summary for each in nodes.parts] == ["→ b", "→ a if “AGAIN”, → b if attempts < 3", "No edges"]


def test_nodes_are_called_as_their_participants_and_not_renamed_alone() -> None:
    nodes = nodes_of(graph(a=[]))
    assert nodes.has_fixed_keys
    assert [part.name for part in (*nodes.parts[0].parts, *nodes.parts[0].folded)] == ["edges", "activation"]


def test_a_handoff_by_name_alone_says_who_hands_over_to_whom_and_offers_the_members() -> None:
    members: list[JsonValue] = [
        {"provider": AGENT, "config": {"name": "x", "handoffs": ["y", {"target": "user"}]}},
        {"provider": AGENT, "config": {"name": "y"}},
    ]
    team: JsonValue = {"provider": "autogen_agentchat.teams.Swarm", "config": {"participants": members}}
    form = form_at(team, "/config/participants/0/config/handoffs/0")
    (target,) = form.primary
    assert (form.title, target.label, target.suggestions) == ("x hands off to y", "Target", ("x", "y"))
    assert (form.help, target.help) == ("", "Name of the agent, or of the user.")
    assert form_at(team, "/config/participants/0/config/handoffs/1").title == "x hands off to user"


def test_a_place_that_is_called_like_its_class_has_a_label_all_the_same() -> None:
    form = form_at({"provider": "autogen_agentchat.tools.TeamTool", "config": {}}, "")
    assert "Team" in [each.label for each in form.fields]
