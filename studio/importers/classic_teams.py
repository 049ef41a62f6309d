"""Chats of AutoGen 0.2 as teams: two agents, group chats, chats one after the other, and chats within an agent."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.importers.classic_agents import MAX_REPLIES, AgentMaker
from studio.importers.classic_endings import TERMINATE, Ending, ending_of
from studio.importers.classic_script import MAX_HOPS, ClassicAgent, ClassicScript
from studio.importers.classic_selection import Selection
from studio.importers.classic_texts import SUMMARY_PROMPT
from studio.importers.components import USER_PROXY, component, config_of, labelled
from studio.importers.expressions import escaped
from studio.importers.findings import NO_SETTING, Report
from studio.importers.python_script import keywords, short

ROUND_ROBIN = "autogen_agentchat.teams.RoundRobinGroupChat"
SELECTOR = "autogen_agentchat.teams.SelectorGroupChat"
NESTED = "studio.teams.NestedChatAgent"
MANAGERS, GROUPS = ("GroupChatManager",), ("GroupChat", "GroupChatModerator")
MAX_ROUNDS = 10
"""Messages of a group chat where a script names no number, its opening among them."""
CHAT_SETTINGS = (
    "sender",
    "recipient",
    "message",
    "max_turns",
    "turns",
    "summary_method",
    "summary_args",
    "carryover",
    "clear_history",
    "silent",
    "verbose",
    "cache",
    "chat_id",
)
"""Settings of a chat that are read, or have no effect on what is said."""
INNER_TURNS = 10
"""Replies in a chat within an agent that ends only when an agent says so."""


class TeamMaker:
    """Makes the teams of a script."""

    def __init__(self, classic: ClassicScript, agents: AgentMaker, report: Report) -> None:
        self.classic = classic
        self.agents = agents
        self.report = report
        self._open: list[ClassicAgent] = []
        """Agents whose inner chats are being made, against those that hold themselves."""

    # --- participants ---

    def participants(self, agent: ClassicAgent, opener: ClassicAgent | None = None) -> list[JsonObject]:
        """What an agent becomes, with the chats that it has before it answers.

        Args:
            opener: Who begins the chat; its first message is that of the user here.
        """
        if agent.kind == "SocietyOfMindAgent":
            return [self._society(agent)]
        parts = self.agents.parts(agent)
        call = next((each for each in self._nested() if self._owner(each) is agent), None)
        if call is None or agent in self._open or len(self._open) > MAX_HOPS:
            return parts
        self._open.append(agent)
        try:
            parts[-1] = self._with_chats(agent, parts[-1], call, opener)
        finally:
            self._open.pop()
        return parts

    def _nested(self) -> Sequence[ast.Call]:
        return list(self.classic.calls("register_nested_chats"))

    def _owner(self, call: ast.Call) -> ClassicAgent | None:
        return self.classic.agent_of(call.func.value) if isinstance(call.func, ast.Attribute) else None

    def _with_chats(
        self, agent: ClassicAgent, part: JsonObject, call: ast.Call, opener: ClassicAgent | None
    ) -> JsonObject:
        given = self.classic.arguments(call)
        queue = given.get("chat_queue") or next(iter(call.args), None)
        chats = [self.classic.entries(each) for each in self.classic.items(queue) or ()]
        name, place = self.agents.name(agent), self.classic.script.place(call)
        inner = self._chats(agent, chats, name)
        if inner is None:
            why = "The list of its chats cannot be read."
            self.report.add("dropped", place, f"Nested chats of {name}", why, fix="Add a nested chat.", became=name)
            return part
        triggers = self._triggers(given.get("trigger"), opener)
        config = {**inner, "agent": part, **({"triggers": triggers} if triggers is not None else {})}
        described = config_of(part).get("description", "")
        why = "The prompt around earlier results is worded differently."
        if triggers is None and "trigger" in given:
            why += " The chats begin for messages of all senders."
        self.report.add("approximated", place, f"Nested chats of {name}", why, became=name)
        return labelled(component(NESTED, name=name, description=described, **config), self.classic.label(agent))

    def _triggers(self, node: ast.expr | None, opener: ClassicAgent | None) -> list[JsonValue] | None:
        """Names of the senders that start the chats; None where they cannot be told, or are all."""
        found = self.classic.agents_of(node)
        text = self.classic.text_or_none(node)
        named = self.classic.agent_named(text) if text else None
        found += [named] if named is not None else []
        if not found:
            return None
        names: list[JsonValue] = ["user"] if opener in found else []
        for each in found:
            names += [self.agents.name(each), *([f"{self.agents.name(each)}_code"] if self._is_double(each) else [])]
        return names

    def _is_double(self, agent: ClassicAgent) -> bool:
        is_more = self.agents.has_model(agent) or self.agents.mode(agent) == "ALWAYS"
        return self.agents.runs_code(agent) and is_more

    def _chats(
        self, sender: ClassicAgent | None, chats: Sequence[Mapping[str, ast.expr]], owner: str
    ) -> JsonObject | None:
        """Participants, chats and the model that sums them up, for an agent that has these chats."""
        participants: list[JsonObject] = []
        plan: list[JsonValue] = []
        summing: ast.expr | None = None
        for given in chats:
            recipient = given.get("recipient")
            self._report_chat(given, owner)
            part, is_team = self._recipient(recipient, sender)
            if part is None:
                continue
            name = config_of(part)["name"]
            if all(config_of(each)["name"] != name for each in participants):
                participants.append(part)
            turns = 1 if is_team or sender is None else self._inner_turns(given)
            chat: JsonObject = {"participant": name, "message": self._message(given.get("message"), owner)}
            chat["max_turns"] = turns
            chat |= self._summary(given)
            if chat.get("summary_method"):
                agent = self.classic.agent_of(recipient) or sender
                summing = summing or (agent.given.get("llm_config") if agent is not None else None)
            plan.append(chat)
        if not participants:
            return None
        found: JsonObject = {"participants": cast("list[JsonValue]", participants), "chats": plan}
        if any(cast("JsonObject", each).get("summary_method") for each in plan):
            place = (
                self.classic.place(sender) if sender is not None else self.classic.script.place(self.classic.nodes[0])
            )
            found["model_client"] = self.agents.models.client(summing, place, owner)
        return found

    def _report_chat(self, given: Mapping[str, ast.expr], owner: str) -> None:
        """Say what of a chat within an agent does not come along."""
        for name, node in given.items():
            if name not in CHAT_SETTINGS:
                why = NO_SETTING
                self.report.add("dropped", self.classic.script.place(node), f"`{name}` of a chat of {owner}", why)
        agent = self.classic.agent_of(given.get("recipient"))
        node = agent.given.get("is_termination_msg") if agent is not None else None
        if node is not None and ending_of(self.classic, node).texts != (TERMINATE,):
            why = f"A chat within an agent ends at {TERMINATE}, or after its turns."
            self.report.add("dropped", self.classic.script.place(node), f"End of a chat of {owner}", why)

    def _recipient(self, node: ast.expr | None, sender: ClassicAgent | None) -> tuple[JsonObject | None, bool]:
        """Whom a chat is with, and whether that is a team."""
        manager = self.classic.call_of(node, *MANAGERS)
        if manager is not None:
            team = self.group(manager, sender)
            label = self.classic.text_or_none(keywords(manager).get("name")) or "group_chat"
            config_of(team)["name"] = self.agents.names.free(label)
            return team, True
        agent = self.classic.agent_of(node)
        if agent is None:
            return None, False
        parts = self.participants(agent)
        if len(parts) == 1:
            return parts[0], False
        name = self.agents.names.free(f"{self.agents.name(agent)}_group")
        team = component(ROUND_ROBIN, name=name, participants=cast("list[JsonValue]", parts), max_turns=len(parts))
        return team, True

    def _inner_turns(self, given: Mapping[str, ast.expr]) -> int:
        turns = self.classic.number_or_none(given.get("max_turns") or given.get("turns"))
        return max(1, turns) if turns is not None else INNER_TURNS

    def _message(self, node: ast.expr | None, owner: str) -> JsonValue:
        """The first message of a chat; what only a run knows of it is the message that started the chats."""
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return None
        resolved = self.classic.resolved(node)
        function = self.classic.function_of(node)
        if isinstance(resolved, ast.Lambda):
            body: ast.expr = resolved.body
        elif function is not None:
            returned = [each.value for each in ast.walk(function) if isinstance(each, ast.Return) and each.value]
            body = returned[-1] if returned else resolved
        else:
            item = resolved.value if isinstance(resolved, ast.Subscript) else None
            items = self.classic.items(item) or []
            at = self.classic.number_or_none(resolved.slice) if isinstance(resolved, ast.Subscript) else None
            body = items[at] if at is not None and at < len(items) else resolved
        text = self.classic.script.text(body)
        if not text.unknown:
            return escaped(text.value)
        value = text.value
        for placeholder in dict.fromkeys(_placeholders(value)):
            value = value.replace(placeholder, "{message}")
        why = f"Only a run there knows {', '.join(text.unknown)}. The message to answer stands in its place."
        place = self.classic.script.place(node)
        self.report.add("approximated", place, f"Message of a chat of {owner}", why, fix="Check it.", became=owner)
        return value

    def _summary(self, given: Mapping[str, ast.expr]) -> JsonObject:
        method = given.get("summary_method")
        if self.classic.text_or_none(method) == "reflection_with_llm":
            arguments = self.classic.entries(given.get("summary_args"))
            prompt = self.classic.text_or_none(arguments.get("summary_prompt")) or SUMMARY_PROMPT
            return {"summary_method": "reflection_with_llm", "summary_prompt": prompt}
        if method is not None and self.classic.text_or_none(method) != "last_msg":
            why = "The summary is made by code there. The last message is the result here."
            place = self.classic.script.place(method)
            self.report.add("approximated", place, f"Summary by `{short(method)}`", why)
        return {}

    def _society(self, agent: ClassicAgent) -> JsonObject:
        """An agent that answers from the conversation of a group chat."""
        self.agents.used.add(agent)
        name, place = self.agents.name(agent), self.classic.place(agent)
        manager = self.classic.call_of(agent.given.get("chat_manager"), *MANAGERS)
        if manager is None:
            raise InvalidDocument("The group chat of the agent cannot be read.", fix="Import its agents by themselves.")
        team = self.group(manager, None)
        client = self.agents.models.client(agent.given.get("llm_config"), place, name)
        prepared = agent.given.get("response_preparer")
        text = self.classic.text_or_none(prepared)
        given: JsonObject = {"response_prompt": text} if text else {}
        why = "It asks its model with our words for the answer." if prepared is not None and not text else ""
        label = self.classic.label(agent)
        self.report.add("approximated" if why else "exact", place, f"Agent “{label}”", why, became=name)
        provider = "autogen_agentchat.agents.SocietyOfMindAgent"
        return labelled(component(provider, name=name, team=team, model_client=client, **given), label)

    # --- teams ---

    def pair(self, sender: ClassicAgent, recipient: ClassicAgent, given: Mapping[str, ast.expr]) -> JsonObject:
        """Two agents that answer each other; the message of the first one is the task."""
        answering = self.participants(recipient, sender)
        replying = self.participants(sender)
        participants = [*answering, *replying]
        bound = self._bound(sender, recipient, given, len(answering), len(participants))
        pairs = [(sender, answering, replying), (recipient, replying, answering)]
        conditions = [each for owner, partners, own in pairs for each in self._endings(owner, partners, own)]
        return component(
            ROUND_ROBIN,
            participants=cast("list[JsonValue]", participants),
            termination_condition=any_of(conditions),
            max_turns=bound,
        )

    def _bound(
        self,
        sender: ClassicAgent,
        recipient: ClassicAgent,
        given: Mapping[str, ast.expr],
        answers: int,
        together: int,
    ) -> int:
        """Turns of a pair: the last round ends with the recipient, or with the sender when the recipient gave up."""
        rounds = self.classic.number_or_none(given.get("max_turns"))
        bounds = [(max(1, rounds) - 1) * together + answers] if rounds is not None else []
        first = self.classic.number_or_none(sender.given.get("max_consecutive_auto_reply"))
        second = self.classic.number_or_none(recipient.given.get("max_consecutive_auto_reply"))
        if self.agents.mode(sender) == "NEVER" or self.agents.has_model(sender):
            bounds.append((MAX_REPLIES if first is None else first) * together + answers)
        if self.agents.mode(recipient) == "NEVER" or self.agents.has_model(recipient):
            bounds.append(max(1, MAX_REPLIES if second is None else second) * together)
        if rounds is not None and any(agent in self.agents.registrations.by_agent for agent in (sender, recipient)):
            why = "Each call of a tool is a turn there. Here an agent calls its tools within one turn."
            place = self.classic.script.place(given["max_turns"])
            self.report.add("approximated", place, "Limit of turns", why, fix="Check the limit of the team.")
        return min(bounds, default=MAX_REPLIES * together)

    def group(self, manager: ast.Call, sender: ClassicAgent | None) -> JsonObject:
        """A group chat, in which the message of the sender is the task."""
        given = self.classic.arguments(manager)
        call = self.classic.call_of(given.get("groupchat") or next(iter(manager.args), None), *GROUPS)
        if call is None:
            raise InvalidDocument("The group chat cannot be read.", fix="Write `GroupChat(...)` out in the script.")
        settings = dict(zip(("agents", "messages", "max_round"), call.args, strict=False)) | self.classic.arguments(
            call
        )
        members = self.members(settings.get("agents"), call)
        selection = Selection(self.classic, self.agents, self.report)
        order = selection.order(members, sender, settings, call)
        members = order.members
        idle = [agent for agent in members if self.agents.is_only_executing(agent)]
        speaking = [agent for agent in members if agent not in idle] or members
        for agent in idle if speaking is not members else ():
            self._without(agent)
        participants: list[JsonObject] = []
        conditions = self.group_endings(given.get("is_termination_msg"), speaking, manager)
        for agent in speaking:
            own = self.participants(agent, sender)
            participants += own
            limit = agent.given.get("max_consecutive_auto_reply")
            if limit is not None and all(each["provider"] != USER_PROXY for each in own):
                what = f"`max_consecutive_auto_reply` of {self.agents.name(agent)}"
                why = "An agent of a group chat has no limit of its own here."
                self.report.add("dropped", self.classic.script.place(limit), what, why)
        stop = self.ends_by_stop(participants)
        conditions += [stop] if stop is not None else []
        rounds = self.classic.number_or_none(settings.get("max_round"))
        turns = max(1, (MAX_ROUNDS if rounds is None else rounds) - 1)
        common: JsonObject = {
            "participants": cast("list[JsonValue]", participants),
            "termination_condition": any_of(conditions),
            "max_turns": turns if order.limit is None else min(turns, order.limit),
        }
        if order.is_fixed or len(participants) < 2:
            return component(ROUND_ROBIN, **common)
        choosing = selection.settings(settings, speaking, given.get("llm_config"), manager)
        return component(SELECTOR, **common, **choosing)

    def members(self, node: ast.expr | None, call: ast.Call) -> list[ClassicAgent]:
        """The agents of a list; all of the script where the list is not written out."""
        items = self.classic.items(node) if node is not None else None
        found = [self.classic.agent_of(each) for each in items or ()]
        members = [each for each in dict.fromkeys(found) if each is not None]
        if members and items is not None and len(members) == len(set(map(ast.dump, items))):
            return members
        if members:
            why = f"Agents of the list cannot be read. Here it has {len(members)} of {len(items or ())}."
        else:
            members, why = (
                list(self.classic.agents),
                "The list of agents cannot be read, so all of the files take part.",
            )
        self.report.add(
            "asked", self.classic.script.place(call), "Members of the team", why, fix="Check who takes part."
        )
        return members

    def _without(self, agent: ClassicAgent) -> None:
        self.agents.used.add(agent)
        why = "It only executes functions there. Here the agent that calls a tool executes it."
        what = f"Agent “{self.classic.label(agent)}”"
        self.report.add("approximated", self.classic.place(agent), what, why)

    def sequence(self, sender: ClassicAgent | None, chats: Sequence[ast.expr], call: ast.Call) -> JsonObject:
        """Chats one after the other, each with the results of those before it."""
        entries = [self.classic.entries(each) for each in chats]
        senders = [self.classic.agent_of(each.get("sender")) or sender for each in entries]
        first = next((each for each in senders if each is not None), None)
        name = self.agents.names.free("sequence")
        inner = self._chats(first, entries, name)
        if inner is None:
            raise InvalidDocument("The chats cannot be read.", fix="Write them out as a list in the script.")
        if first is not None and any(each not in (None, first) for each in senders):
            why = f"All chats are begun by {self.agents.name(first)} here."
            self.report.add("approximated", self.classic.script.place(call), "Senders of the chats", why, became=name)
        if first is not None:
            inner["agent"] = self.participants(first)[0]
        for entry in entries:
            if "carryover" in entry:
                why = "Only results of earlier chats are carried over."
                place = self.classic.script.place(entry["carryover"])
                self.report.add("dropped", place, "Own text that is carried over", why, became=name)
        why = "The prompt around earlier results is worded differently. The messages are in the team, not in the task."
        self.report.add("approximated", self.classic.script.place(call), "Chats in a row", why, became=name)
        agent = component(NESTED, name=name, **inner)
        return component(ROUND_ROBIN, participants=[agent], max_turns=1)

    def alone(self, agents: Sequence[ClassicAgent]) -> JsonObject:
        """Agents that answer once each."""
        participants = [part for agent in agents for part in self.participants(agent)]
        return component(ROUND_ROBIN, participants=cast("list[JsonValue]", participants), max_turns=len(participants))

    # --- ends ---

    def ends_by_stop(self, participants: Sequence[JsonObject]) -> JsonObject | None:
        """What ends a team in which a person, or an agent that replies in the place of one, can end the chat."""
        has_person = any(each["provider"] == USER_PROXY for each in participants)
        return component("autogen_agentchat.conditions.StopMessageTermination") if has_person else None

    def _endings(
        self, owner: ClassicAgent, partners: Sequence[JsonObject], own: Sequence[JsonObject]
    ) -> list[JsonObject]:
        """What an agent takes as the last message of its partners."""
        node = owner.given.get("is_termination_msg")
        ending = ending_of(self.classic, node)
        person = next((each for each in own if each["provider"] == USER_PROXY), None)
        stop = [each for each in (self.ends_by_stop(own),) if each is not None]
        is_asked = person is not None and config_of(person).get("human_input_mode") != "NEVER"
        name = self.agents.name(owner)
        if is_asked and ending.texts in ((TERMINATE,), ()):
            return stop
        self._report_ending(ending, node, owner, partners, name)
        if is_asked:
            why = "The run ends there, and no person is asked first."
            place = self.classic.script.place(node) if node is not None else self.classic.place(owner)
            self.report.add("approximated", place, f"End of a chat of {name}", why, became=name)
        return [*_conditions(ending, [str(config_of(each)["name"]) for each in partners]), *stop]

    def _report_ending(
        self,
        ending: Ending,
        node: ast.expr | None,
        owner: ClassicAgent,
        partners: Sequence[JsonObject],
        name: str,
    ) -> None:
        place = self.classic.script.place(node) if node is not None else self.classic.place(owner)
        what = f"`is_termination_msg` of {name}"
        if ending.how == "unread":
            why = "What it looks for cannot be read, so it ends no run."
            self.report.add("dropped", place, what, why, fix="Add a stop condition.", became=name)
        elif ending.how == "default":
            if any(TERMINATE in str(config_of(each).get("system_message")) for each in partners):
                why = f"A message ends the chat there if it is {TERMINATE} and nothing else. Here it has to hold it."
                self.report.add("approximated", place, f"End of a chat of {name}", why, became=name)
        elif ending.how == "end":
            why = "The text ends the run wherever it stands in a message."
            self.report.add("approximated", place, what, why, became=name)
        else:
            self.report.add("exact", place, what, became=name)

    def group_endings(
        self, node: ast.expr | None, members: Sequence[ClassicAgent], manager: ast.Call
    ) -> list[JsonObject]:
        """What the manager takes as the last message, or members who are not asked to speak after it."""
        ending = ending_of(self.classic, node)
        texts = list(ending.texts)
        place = self.classic.script.place(node if node is not None else manager)
        for agent in members:
            written = agent.given.get("is_termination_msg")
            own = ending_of(self.classic, written)
            if own.how == "unread" and written is not None:
                why = "What it looks for cannot be read, so it ends no run."
                what = f"`is_termination_msg` of {self.agents.name(agent)}"
                self.report.add("dropped", self.classic.script.place(written), what, why, fix="Add a stop condition.")
            if own.how in ("anywhere", "end"):
                texts += own.texts
        if ending.how == "unread":
            why = "What it looks for cannot be read, so it ends no run."
            self.report.add(
                "dropped", place, "`is_termination_msg` of the group chat", why, fix="Add a stop condition."
            )
        elif ending.how != "anywhere" or len(set(texts)) > len(ending.texts):
            why = "A message ends the run if it holds the text anywhere."
            self.report.add("approximated", place, "End of the group chat", why)
        names = [self.agents.name(agent) for agent in members]
        return _conditions(Ending(tuple(dict.fromkeys(texts)), ending.how), names)


def _conditions(ending: Ending, sources: Sequence[str]) -> list[JsonObject]:
    names = list[JsonValue](sources)
    if ending.how == "always":
        return [component("autogen_agentchat.conditions.SourceMatchTermination", sources=names)]
    provider = "autogen_agentchat.conditions.TextMentionTermination"
    return [component(provider, text=text, sources=names) for text in ending.texts]


def any_of(conditions: Sequence[JsonObject]) -> JsonValue:
    """What ends a team when one of these conditions is met; None without one."""
    found: list[JsonObject] = []
    for each in conditions:
        if each not in found:
            found.append(each)
    if len(found) < 2:
        return found[0] if found else None
    return component("autogen_agentchat.base.OrTerminationCondition", conditions=cast("list[JsonValue]", found))


def _placeholders(text: str) -> list[str]:
    """The `{names}` of a text, without braces that stand twice."""
    found: list[str] = []
    at = 0
    while at < len(text):
        if text[at : at + 2] in ("{{", "}}"):
            at += 2
            continue
        end = text.find("}", at)
        if text[at] == "{" and end > 0:
            found.append(text[at : end + 1])
            at = end
        at += 1
    return found
