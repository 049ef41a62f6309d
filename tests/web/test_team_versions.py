"""Versions of a team, what differs between them, and two people who save at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.services.changes import MAX_LINES, MAX_ROWS
from tests.web.documents import assistant, team

HERE, THERE = "Chrome on Linux#a.1", "Firefox on Mac#b.1"


class Editor:
    """Somebody who has a team open."""

    def __init__(self, client: TestClient, team_id: str, author: str) -> None:
        self.client, self.url, self.author = client, f"/api/teams/{team_id}", author
        self.revision = int(client.get(self.url).json()["revision"])

    def put(self, component: JsonObject, **more: Any) -> Any:
        body = {"component": component, "revision": self.revision, "author": self.author, **more}
        return self.client.put(self.url, json=body)

    def save(self, component: JsonObject, **more: Any) -> Any:
        answer = self.put(component, **more)
        assert answer.status_code == 200, answer.text
        self.revision = answer.json()["revision"]
        return answer.json()

    def versions(self) -> list[dict[str, Any]]:
        return self.client.get(f"{self.url}/versions").json()


@pytest.fixture
def pair(client: TestClient) -> tuple[Editor, Editor]:
    made = client.post("/api/teams", json={"component": team(assistant("writer"), assistant("critic"))}).json()
    return Editor(client, made["id"], HERE), Editor(client, made["id"], THERE)


def described(name: str, text: str) -> JsonObject:
    agent = assistant(name)
    assert isinstance(agent["config"], dict)
    agent["config"]["description"] = text
    return agent


def names(component: Any) -> list[str]:
    return [agent["config"]["name"] for agent in component["config"]["participants"]]


def test_two_who_change_different_places_both_keep_their_work(pair: tuple[Editor, Editor]):
    mine, theirs = pair
    theirs.save(team(assistant("writer"), described("critic", "Kind.")))
    answer = mine.save(team(described("writer", "Bold."), assistant("critic"), assistant("editor")))
    agents = answer["component"]["config"]["participants"]
    assert [agent["config"].get("description") for agent in agents[:2]] == ["Bold.", "Kind."]
    assert names(answer["component"]) == ["writer", "critic", "editor"]
    assert answer["merged_changes"] == ["critic: description “Says what it is told.” → “Kind.”"]
    assert [version["kind"] for version in mine.versions()] == ["merge", "side", "", ""]
    assert "editor" in mine.versions()[1]["changes"]


def test_where_both_changed_the_same_a_person_chooses_and_nothing_is_stored_before(pair: tuple[Editor, Editor]):
    mine, theirs = pair
    theirs.save(team(described("writer", "Kind."), assistant("critic")))
    own = team(described("writer", "Bold."), assistant("critic"))
    told = mine.put(own)
    assert told.status_code == 409
    [conflict] = told.json()["conflicts"]
    assert (conflict["label"], conflict["mine"], conflict["theirs"]) == ("writer: description", "Bold.", "Kind.")
    assert len(mine.versions()) == 2
    decided = mine.save(own, choices={conflict["id"]: "mine"}, against=told.json()["revision"])
    assert decided["component"]["config"]["participants"][0]["config"]["description"] == "Bold."
    assert [version["kind"] for version in mine.versions()] == ["merge", "side", "", ""]


def test_a_choice_for_theirs_keeps_mine_as_a_version(pair: tuple[Editor, Editor]):
    mine, theirs = pair
    theirs.save(team(described("writer", "Kind."), assistant("critic")))
    own = team(described("writer", "Bold."), assistant("critic"))
    told = mine.put(own).json()
    mine.save(own, choices={told["conflicts"][0]["id"]: "theirs"}, against=told["revision"])
    side = next(version["number"] for version in mine.versions() if version["kind"] == "side")
    assert mine.client.get(f"{mine.url}/versions/{side}").json()["component"] == own


def test_a_choice_does_not_count_against_what_was_saved_after_it_was_shown(pair: tuple[Editor, Editor]):
    mine, theirs = pair
    theirs.save(team(described("writer", "Kind."), assistant("critic")))
    own = team(described("writer", "Bold."), assistant("critic"))
    told = mine.put(own).json()
    theirs.save(team(described("writer", "Kinder."), assistant("critic")))
    again = mine.put(own, choices={told["conflicts"][0]["id"]: "mine"}, against=told["revision"])
    assert again.status_code == 409
    assert again.json()["conflicts"][0]["theirs"] == "Kinder."


def test_a_lost_answer_is_no_conflict_with_oneself(pair: tuple[Editor, Editor]):
    mine, theirs = pair
    assert mine.put(team(described("writer", "B"), assistant("critic"))).status_code == 200  # the answer is lost
    assert mine.save(team(described("writer", "Bold."), assistant("critic")))["revision"] == 3
    theirs.revision = 3
    theirs.save(team(described("writer", "Bold."), described("critic", "Kind.")))
    mine.revision = 1
    answer = mine.save(team(described("writer", "Bolder."), assistant("critic")))
    assert [agent["config"].get("description") for agent in answer["component"]["config"]["participants"]] == [
        "Bolder.",
        "Kind.",
    ]


def test_two_names_are_one_conflict(pair: tuple[Editor, Editor]):
    mine, theirs = pair
    agents = assistant("writer"), assistant("critic")
    theirs.save(team(*agents, label="Theirs"), name="Theirs")
    told = mine.put(team(*agents, label="Mine"), name="Mine").json()
    assert [conflict["id"] for conflict in told["conflicts"]] == ["name"]
    decided = mine.save(team(*agents, label="Mine"), name="Mine", choices={"name": "mine"}, against=told["revision"])
    assert (decided["name"], decided["component"]["label"]) == ("Mine", "Mine")


def test_cards_that_both_moved_are_no_conflict(pair: tuple[Editor, Editor]):
    mine, theirs = pair
    document = team(assistant("writer"), assistant("critic"))
    theirs.save(document, layout={"pins": {"writer": {"x": 1}, "critic": {"x": 1}}})
    answer = mine.save(document, layout={"pins": {"writer": {"x": 2}}})
    assert answer["layout"] == {"pins": {"writer": {"x": 2}, "critic": {"x": 1}}}
    assert answer["merged_changes"] == ["1 card moved"]


def test_notes_and_mocks_of_two_come_together_and_are_told(pair: tuple[Editor, Editor]):
    mine, theirs = pair
    document = team(assistant("writer"), assistant("critic"))
    note = {"team": "", "text": "Ask Ann.", "x": 0, "y": 0}
    mock = {"/participants/writer": {"kind": "disable"}}
    theirs.save(document, layout={"notes": {"a": note}, "mocks": mock})
    answer = mine.save(document, layout={"notes": {"b": {**note, "text": "Ask Bo."}}})
    assert answer["layout"]["notes"].keys() == {"a", "b"}
    assert answer["layout"]["mocks"] == mock
    assert answer["merged_changes"] == ["Mocks changed", "Notes changed"]


def test_versions_tell_who_and_what_and_take_a_name(pair: tuple[Editor, Editor]):
    mine, _ = pair
    mine.save(team(assistant("writer"), assistant("critic"), assistant("editor")), note="Longer")
    newest = mine.versions()[0]
    assert (newest["author"], newest["note"]) == (HERE, "Longer")
    assert newest["changes"] == "agent editor added"
    assert mine.client.put(f"{mine.url}/versions/2/title", json={"title": " Three "}).status_code == 204
    assert [version["title"] for version in mine.versions()] == ["Three", ""]
    assert mine.client.put(f"{mine.url}/versions/9/title", json={"title": "x"}).status_code == 404


def test_what_changed_since_a_version_comes_with_the_team(pair: tuple[Editor, Editor]):
    mine, theirs = pair
    theirs.save(team(assistant("critic"), assistant("writer")))
    answer = mine.client.get(f"{mine.url}/changes?since=1").json()
    assert (answer["revision"], names(answer["component"])) == (2, ["critic", "writer"])
    assert answer["merged_changes"] == ["agent writer moved from place 1 to 2"]
    assert mine.client.get(f"{mine.url}/changes?since=2").json()["merged_changes"] == []


def test_a_comparison_reads_as_sentences_and_shows_texts_by_line(pair: tuple[Editor, Editor]):
    mine, _ = pair
    mine.save(team(described("writer", "One.\nTwo <b>."), assistant("critic")))
    mine.save(team(described("writer", "One.\nThree."), assistant("critic")))
    team_id = mine.url.rpartition("/")[2]
    document = {"component": team(assistant("critic")), "name": "Greeters", "layout": {"pins": {"critic": {"x": 1}}}}
    before, after = {"team_id": team_id, "version": 2}, {"team_id": team_id, "version": 3}
    html = mine.client.post("/fragments/diff", json={"before": before, "after": after}).text
    assert "description changed" in html
    assert '<del class="diff-line" data-state="removed">Two &lt;b&gt;.</del>' in html
    html = mine.client.post("/fragments/diff", json={"before": after, "after": {"document": document}}).text
    assert "agent writer removed" in html
    assert "1 card moved" in html
    assert mine.client.post("/fragments/diff", json={"before": {}, "after": after}).status_code == 400


def test_a_key_that_is_not_saved_yet_is_no_change_and_is_not_shown(client: TestClient):
    agent = assistant("writer")
    assert isinstance(agent["config"], dict)
    agent["config"]["model_client"] = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", "api_key": "sk-very-secret"},
    }
    made = client.post("/api/teams", json={"component": team(agent)}).json()
    sides = {"before": {"team_id": made["id"], "version": 1}, "after": {"document": {"component": team(agent)}}}
    html = client.post("/fragments/diff", json=sides).text
    assert "sk-very-secret" not in html
    assert "api key" not in html


def test_a_key_that_undo_brings_back_is_taken_out_again(client: TestClient):
    agent = assistant("writer")
    assert isinstance(agent["config"], dict)
    agent["config"]["model_client"] = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", "api_key": "sk-very-secret"},
    }
    made = client.post("/api/teams", json={"component": team()}).json()
    mine, theirs = Editor(client, made["id"], HERE), Editor(client, made["id"], THERE)
    mine.save(team(agent))
    theirs.revision = 2
    theirs.save(team())
    mine.put(team(agent))
    stored = [client.get(f"{mine.url}/versions/{version['number']}").text for version in mine.versions()]
    assert "sk-very-secret" not in json.dumps(stored)


def document(**config: object) -> dict[str, Any]:
    return {"document": {"component": {"provider": "x.Thing", "config": config}}}


@pytest.mark.slow
def test_a_comparison_of_very_long_texts_has_an_end(client: TestClient):
    """A matcher would look at each pair of equal lines, of which there are 400 million."""
    sides = {"before": document(text="a\n" * 20_000), "after": document(text="b\n" + "a\nc\n" * 20_000)}
    html = client.post("/fragments/diff", json=sides).text
    assert html.count('class="diff-line"') <= MAX_LINES + 1
    assert html.count('data-state="skipped"') == 1


def test_one_line_of_a_very_long_text_is_shown_with_its_neighbours(client: TestClient):
    lines = ["a"] * 20_000
    sides = {
        "before": document(text="\n".join([*lines, "b", *lines])),
        "after": document(text="\n".join([*lines, "c", *lines])),
    }
    html = client.post("/fragments/diff", json=sides).text
    assert [html.count(f'data-state="{state}"') for state in ("kept", "removed", "added")] == [4, 1, 1]


def test_more_changes_than_anybody_reads_are_counted(client: TestClient):
    before, after = (document(**{f"f{index}": value for index in range(MAX_ROWS + 7)}) for value in (1, 2))
    html = client.post("/fragments/diff", json={"before": before, "after": after}).text
    assert f"{MAX_ROWS + 7} changes" in html
    assert html.count('class="diff-row"') == MAX_ROWS
    assert "and 7 more" in html
