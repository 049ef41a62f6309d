"""The one port between the engine and the world.

Model replies, tool and code results, human answers, memory look-ups and the clock pass through `call` or `stream`;
ids and times come from `new_id` and `now`. Everything else in the engine is deterministic, so a run can be repeated
from the results that were recorded here.

The port in force is a context variable: a script that sets none talks to the world directly (`Live`), the run
supervisor sets a `Recording` one.
"""

from studio.effects.ids import named_id, random_id
from studio.effects.port import (
    AskHuman,
    Effects,
    Form,
    HumanQuestion,
    Live,
    Noting,
    Relay,
    ask_human,
    ask_on_console,
    call,
    call_for,
    current,
    is_live,
    monotonic_s,
    new_id,
    now,
    stream,
    use,
)
from studio.effects.recording import REPEATABLE, Append, Recording, nothing_waits
from studio.effects.request import (
    AsyncGeneratorLike,
    EffectKind,
    EffectRequest,
    Perform,
    StreamItem,
    canonical_json,
    sha256_hex,
)

__all__ = [
    "REPEATABLE",
    "Append",
    "AskHuman",
    "AsyncGeneratorLike",
    "EffectKind",
    "EffectRequest",
    "Effects",
    "Form",
    "HumanQuestion",
    "Live",
    "Noting",
    "Perform",
    "Recording",
    "Relay",
    "StreamItem",
    "ask_human",
    "ask_on_console",
    "call",
    "call_for",
    "canonical_json",
    "current",
    "is_live",
    "monotonic_s",
    "named_id",
    "new_id",
    "nothing_waits",
    "now",
    "random_id",
    "sha256_hex",
    "stream",
    "use",
]
