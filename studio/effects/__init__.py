"""The one port between the engine and the world.

Model replies, tool and code results, human answers, memory look-ups and the clock pass through `call` or `stream`;
ids and times come from `new_id` and `now`. Everything else in the engine is deterministic, so a run can be repeated
from the results that were recorded here.

The port in force is a context variable: a script that sets none talks to the world directly (`Live`), the run
supervisor sets a `Recording` one.
"""

from studio.effects.divergence import Diverged, Divergence, NotRecorded
from studio.effects.ids import named_id, random_id
from studio.effects.once import idempotency_key, once_with
from studio.effects.outcomes import error_body, result_body
from studio.effects.port import (
    HANDED_IN_BY,
    AskHuman,
    Effects,
    Form,
    HandedIn,
    HumanQuestion,
    Live,
    Message,
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
from studio.effects.recording import REPEATABLE, Append, Named, Recording, nothing_waits
from studio.effects.redacting import Redacting
from studio.effects.repeating import Match, Repeating, Substitute
from studio.effects.request import (
    HASH_VERSION,
    AsyncGeneratorLike,
    EffectKind,
    EffectRequest,
    Perform,
    StreamItem,
    ToolAct,
    canonical_json,
    sha256_hex,
)
from studio.effects.scope import Scoped
from studio.effects.tape import Pages, Recorded, Tape

__all__ = [
    "HANDED_IN_BY",
    "HASH_VERSION",
    "REPEATABLE",
    "Append",
    "AskHuman",
    "AsyncGeneratorLike",
    "Diverged",
    "Divergence",
    "EffectKind",
    "EffectRequest",
    "Effects",
    "Form",
    "HandedIn",
    "HumanQuestion",
    "Live",
    "Match",
    "Message",
    "Named",
    "NotRecorded",
    "Noting",
    "Pages",
    "Perform",
    "Recorded",
    "Recording",
    "Redacting",
    "Relay",
    "Repeating",
    "Scoped",
    "StreamItem",
    "Substitute",
    "Tape",
    "ToolAct",
    "ask_human",
    "ask_on_console",
    "call",
    "call_for",
    "canonical_json",
    "current",
    "error_body",
    "idempotency_key",
    "is_live",
    "monotonic_s",
    "named_id",
    "new_id",
    "nothing_waits",
    "now",
    "once_with",
    "random_id",
    "result_body",
    "sha256_hex",
    "stream",
    "use",
]
