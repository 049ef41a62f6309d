"""The one port between the engine and the world.

Model replies, tool and code results, human answers, memory look-ups and the clock pass through `call` or `stream`;
ids and times come from `new_id` and `now`. Everything else in the engine is deterministic, so a run can be repeated
from the results that were recorded here.

The port in force is a context variable: a script that sets none talks to the world directly (`LiveEffects`), the run
supervisor sets a `RecordingEffects` one.
"""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.effects.ids import random_id as random_id
from studio.effects.port import INJECTED_BY as INJECTED_BY
from studio.effects.port import AskHuman as AskHuman
from studio.effects.port import Effects as Effects
from studio.effects.port import EffectsMiddleware as EffectsMiddleware
from studio.effects.port import HumanAnswer as HumanAnswer
from studio.effects.port import HumanQuestion as HumanQuestion
from studio.effects.port import InjectedMessage as InjectedMessage
from studio.effects.port import LiveEffects as LiveEffects
from studio.effects.port import Message as Message
from studio.effects.port import RequestRecorder as RequestRecorder
from studio.effects.port import ask_human as ask_human
from studio.effects.port import ask_on_console as ask_on_console
from studio.effects.port import call as call
from studio.effects.port import current as current
from studio.effects.port import monotonic_s as monotonic_s
from studio.effects.port import new_id as new_id
from studio.effects.port import now as now
from studio.effects.port import stream as stream
from studio.effects.port import use as use
from studio.effects.request import HASH_VERSION as HASH_VERSION
from studio.effects.request import AsyncGeneratorLike as AsyncGeneratorLike
from studio.effects.request import EffectKind as EffectKind
from studio.effects.request import EffectRequest as EffectRequest
from studio.effects.request import Perform as Perform
from studio.effects.request import StreamItem as StreamItem
from studio.effects.request import ToolCall as ToolCall
from studio.effects.request import canonical_json as canonical_json
from studio.effects.request import sha256_hex as sha256_hex
from studio.effects.scope import Scoped as Scoped

if TYPE_CHECKING:
    from studio.effects.divergence import Diverged as Diverged
    from studio.effects.divergence import Divergence as Divergence
    from studio.effects.divergence import NotRecorded as NotRecorded
    from studio.effects.idempotency import idempotency_key as idempotency_key
    from studio.effects.idempotency import idempotency_scope as idempotency_scope
    from studio.effects.journal import Pages as Pages
    from studio.effects.journal import Recorded as Recorded
    from studio.effects.journal import ReplayCursor as ReplayCursor
    from studio.effects.outcomes import error_body as error_body
    from studio.effects.outcomes import result_body as result_body
    from studio.effects.recording import REPEATABLE as REPEATABLE
    from studio.effects.recording import Append as Append
    from studio.effects.recording import Named as Named
    from studio.effects.recording import RecordingEffects as RecordingEffects
    from studio.effects.recording import is_idle as is_idle
    from studio.effects.redaction import RedactingEffects as RedactingEffects
    from studio.effects.replay import Match as Match
    from studio.effects.replay import ReplayEffects as ReplayEffects
    from studio.effects.replay import Substitute as Substitute
else:
    __getattr__ = lazy(
        __name__,
        {
            "divergence": "Diverged Divergence NotRecorded",
            "idempotency": "idempotency_key idempotency_scope",
            "outcomes": "error_body result_body",
            "recording": "REPEATABLE Append Named RecordingEffects is_idle",
            "redaction": "RedactingEffects",
            "replay": "Match ReplayEffects Substitute",
            "journal": "Pages Recorded ReplayCursor",
        },
    )
