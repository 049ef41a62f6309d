"""Scripts in the form of AutoGen 0.2 and AG2, and what scripted models answer in them.

They are written for these tests. `record_classic.py` runs those of AutoGen 0.2 with AutoGen itself.
"""

from __future__ import annotations

from tests.importers.samples import Said, Sample

HEAD = """\
import autogen

llm_config = {"config_list": [{"model": "gpt-4.1", "api_key": "none"}], "cache_seed": None}
"""
STUDENTS = f"""{HEAD}
student = autogen.ConversableAgent("Student", system_message="You ask.", llm_config=llm_config)
teacher = autogen.ConversableAgent("Teacher", system_message="You teach.", llm_config=llm_config)


def main(message):
    student.initiate_chat(teacher, message=message, max_turns=2)
"""
PROXY = f"""{HEAD}
writer = autogen.AssistantAgent("writer", system_message="You write.", llm_config=llm_config)
proxy = autogen.UserProxyAgent(
    "proxy",
    human_input_mode="NEVER",
    code_execution_config=False,
    default_auto_reply="Go on.",
    is_termination_msg=lambda message: "TERMINATE" in message.get("content", ""),
)


def main(message):
    proxy.initiate_chat(writer, message=message)
"""
LIMITED = f"""{HEAD}
coder = autogen.AssistantAgent("coder", llm_config=llm_config)
proxy = autogen.UserProxyAgent(
    "proxy",
    human_input_mode="NEVER",
    code_execution_config=False,
    default_auto_reply="And then?",
    max_consecutive_auto_reply=2,
)


def main(message):
    proxy.initiate_chat(coder, message=message)
"""
TOOLS = f"""{HEAD}
LIMIT = 100
calculator = autogen.AssistantAgent("calculator", system_message="You calculate.", llm_config=llm_config)
proxy = autogen.UserProxyAgent(
    "proxy",
    human_input_mode="NEVER",
    code_execution_config=False,
    is_termination_msg=lambda message: message.get("content") and message["content"].rstrip().endswith("TERMINATE"),
)


@proxy.register_for_execution()
@calculator.register_for_llm(name="half_of", description="Halve a number.")
def half(number: float) -> str:
    return f"half is {{min(LIMIT, number / 2)}}"


def twice(number: float) -> str:
    return f"twice is {{number * 2}}"


autogen.register_function(twice, caller=calculator, executor=proxy, description="Double a number.")


def main(message):
    proxy.initiate_chat(calculator, message=message)
"""
GROUP = f"""{HEAD}
writer = autogen.AssistantAgent("writer", system_message="You write.", llm_config=llm_config)
critic = autogen.AssistantAgent("critic", system_message="You criticize.", llm_config=llm_config)
user = autogen.UserProxyAgent(
    "boss", human_input_mode="NEVER", code_execution_config=False, default_auto_reply="Please go on."
)
group = autogen.GroupChat(
    agents=[writer, user, critic], messages=[], max_round=6, speaker_selection_method="round_robin"
)
manager = autogen.GroupChatManager(groupchat=group, llm_config=llm_config)


def main(message):
    user.initiate_chat(manager, message=message)
"""
SELECTED = GROUP.replace(', speaker_selection_method="round_robin"', "").replace("max_round=6", "max_round=4")
TRANSITIONS = GROUP.replace(
    'speaker_selection_method="round_robin"',
    "allowed_or_disallowed_speaker_transitions={user: [critic], critic: [writer], writer: [critic]}, "
    'speaker_transitions_type="allowed"',
).replace("agents=[writer, user, critic]", "agents=[user, writer, critic]")
CIRCLE = TRANSITIONS.replace("writer: [critic]", "writer: [user]")
NESTED = f"""{HEAD}
lead = autogen.AssistantAgent("lead", system_message="You lead.", llm_config=llm_config)
writer = autogen.AssistantAgent("writer", system_message="You write.", llm_config=llm_config)
critic = autogen.AssistantAgent("critic", system_message="You criticize.", llm_config=llm_config)
user = autogen.UserProxyAgent("boss", human_input_mode="NEVER", code_execution_config=False)
lead.register_nested_chats(
    [
        {{"recipient": writer, "max_turns": 1, "summary_method": "last_msg"}},
        {{"recipient": critic, "message": "Check the text.", "max_turns": 1, "summary_method": "last_msg"}},
    ],
    trigger=user,
)


def main(message):
    user.initiate_chat(lead, message=message, max_turns=1)
"""
SEQUENCE = f"""{HEAD}
writer = autogen.AssistantAgent("writer", system_message="You write.", llm_config=llm_config)
critic = autogen.AssistantAgent("critic", system_message="You criticize.", llm_config=llm_config)
user = autogen.UserProxyAgent("boss", human_input_mode="NEVER", code_execution_config=False)


def main(message):
    user.initiate_chats(
        [
            {{"recipient": writer, "message": "Write {{a}} poem.", "max_turns": 1, "summary_method": "last_msg"}},
            {{"recipient": critic, "message": "Check it.", "max_turns": 1}},
        ]
    )
"""
PATTERN = """\
from typing import Annotated

from autogen import ConversableAgent, LLMConfig, UpdateSystemMessage
from autogen.agentchat import initiate_group_chat
from autogen.agentchat.group import (
    AgentNameTarget,
    AgentTarget,
    ContextExpression,
    ContextVariables,
    ExpressionContextCondition,
    OnCondition,
    OnContextCondition,
    ReplyResult,
    RevertToUserTarget,
    StringLLMCondition,
    TerminateTarget,
)
from autogen.agentchat.group.patterns import DefaultPattern

llm_config = LLMConfig({"api_type": "openai", "model": "gpt-4.1"}, temperature=0)
state = ContextVariables(data={"tries": 0, "topic": None})


def note(topic: Annotated[str, "What it is about"], context_variables: ContextVariables) -> ReplyResult:
    \"\"\"Note the topic.\"\"\"
    context_variables["topic"] = topic
    return ReplyResult(message=f"Noted {topic}.", target=AgentNameTarget("cook"), context_variables=context_variables)


with llm_config:
    desk = ConversableAgent(name="desk", system_message="You send people on.", functions=[note])
    cook = ConversableAgent(
        name="cook",
        update_agent_state_before_reply=[UpdateSystemMessage("You cook. The topic is {topic}.")],
    )
    baker = ConversableAgent(name="baker", system_message="You bake.")
user = ConversableAgent(name="user", human_input_mode="ALWAYS")

desk.handoffs.add_llm_conditions(
    [OnCondition(target=AgentTarget(baker), condition=StringLLMCondition(prompt="It is about bread."))]
)
desk.handoffs.add_context_condition(
    OnContextCondition(
        target=AgentTarget(cook),
        condition=ExpressionContextCondition(ContextExpression("${tries} > 2 and not ${topic} == 'rain'")),
    )
)
desk.handoffs.set_after_work(RevertToUserTarget())
baker.handoffs.set_after_work(AgentTarget(desk))
cook.handoffs.set_after_work(TerminateTarget())

pattern = DefaultPattern(
    initial_agent=desk, agents=[cook, desk, baker], user_agent=user, context_variables=state
)
result, variables, last = initiate_group_chat(pattern=pattern, messages="Bread?", max_rounds=12)
"""

AUTOGEN_SAMPLES = (
    Sample("two-agents", STUDENTS, "Why?", {"teach": ["Because.", "Still because."], "ask": ["Really?"]}),
    Sample("text-that-ends", PROXY, "A poem.", {"write": ["Roses.", "Violets. TERMINATE"]}),
    Sample("text-that-ends-at-once", PROXY, "A word.", {"write": ["TERMINATE"]}),
    Sample("limit-of-replies", LIMITED, "Count.", {"coding": ["One.", "Two.", "Three."]}),
    Sample(
        "tools",
        TOOLS,
        "Half of 9, doubled?",
        {
            "calculate": [
                Said(calls=[("half_of", '{"number": 9}')]),
                Said(calls=[("twice", '{"number": 4.5}')]),
                "It is 9. TERMINATE",
            ]
        },
    ),
    Sample(
        "group-in-order",
        GROUP,
        "A poem.",
        {"write": ["Roses.", "Violets."], "criticize": ["Too short.", "Better."]},
    ),
    Sample(
        "group-selected",
        SELECTED,
        "A poem.",
        {"role play": ["writer", "critic", "writer"], "write": ["Roses.", "Violets."], "criticize": ["Too short."]},
    ),
    Sample(
        "group-one-way",
        CIRCLE,
        "A poem.",
        {"write": ["Roses.", "Violets."], "criticize": ["What about?", "Too short."]},
    ),
    Sample("chats-within", NESTED, "A poem.", {"write": ["Roses."], "criticize": ["Good."]}),
    Sample(
        "chats-in-a-row",
        SEQUENCE,
        "Begin.",
        {"write": ["Roses."], "criticize": ["Good."]},
    ),
)
AG2_HEAD = """\
from autogen import ConversableAgent, LLMConfig
from autogen.agentchat import initiate_group_chat
from autogen.agentchat.group import AgentTarget, ContextVariables, OnCondition, ReplyResult, StringLLMCondition
from autogen.agentchat.group.patterns import DefaultPattern, RoundRobinPattern

llm_config = LLMConfig(api_type="openai", model="gpt-4.1", api_key="none", cache_seed=None)


def note(topic: str, context_variables: ContextVariables) -> ReplyResult:
    \"\"\"Note the topic.\"\"\"
    context_variables["topic"] = topic
    return ReplyResult(message=f"Noted {topic}.", context_variables=context_variables)


writer = ConversableAgent("writer", system_message="You write.", llm_config=llm_config)
critic = ConversableAgent("critic", system_message="You criticize.", llm_config=llm_config)
noter = ConversableAgent("noter", system_message="You note.", llm_config=llm_config, functions=[note])
"""
HANDOFF = """
critic.handoffs.add_llm_condition(
    OnCondition(target=AgentTarget(writer), condition=StringLLMCondition(prompt="To write."))
)
critic.handoffs.add_llm_condition(
    OnCondition(target=AgentTarget(noter), condition=StringLLMCondition(prompt="To note."))
)
"""
AFTER_WORK = "\ncritic.handoffs.set_after_work(AgentTarget(writer))\n"


def group_chat(pattern: str, agents: str, before: str = "") -> str:
    """A script of AG2 that begins with the first of these agents."""
    settings = f"initial_agent={agents.partition(',')[0]}, agents=[{agents}]"
    variables = 'context_variables=ContextVariables(data={"topic": None})'
    chat = "    initiate_group_chat(pattern=pattern, messages=message, max_rounds=5)\n"
    return f"{AG2_HEAD}{before}\n\ndef main(message):\n    pattern = {pattern}({settings}, {variables})\n{chat}"


AG2_SAMPLES = (
    Sample(
        "pattern-in-order",
        group_chat("RoundRobinPattern", "critic, writer"),
        "A poem.",
        {"write": ["Roses.", "Violets."], "criticize": ["What about?", "Better."]},
    ),
    Sample(
        "pattern-with-handoff",
        group_chat("DefaultPattern", "critic, writer, noter", HANDOFF),
        "A poem.",
        {"criticize": [Said(calls=[("transfer_to_writer_1", "{}")])], "write": ["Roses."]},
    ),
    Sample(
        "pattern-after-work",
        group_chat("DefaultPattern", "critic, writer", AFTER_WORK),
        "A poem.",
        {"write": ["Roses."], "criticize": ["What about?"]},
    ),
    Sample(
        "pattern-with-variables",
        group_chat("DefaultPattern", "noter, writer"),
        "Bees.",
        {"note": [Said(calls=[("note", '{"topic": "bees"}')]), "Done."]},
    ),
)
RECORDED_SAMPLES = (*AUTOGEN_SAMPLES, *AG2_SAMPLES)
