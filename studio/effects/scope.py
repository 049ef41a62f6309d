"""The port as one of several has it that work side by side."""

from __future__ import annotations

from uuid import NAMESPACE_OID

from studio.effects.ids import SCOPE_LENGTH, numbered_ids, scope_of
from studio.effects.port import Effects, EffectsMiddleware


class Scoped(EffectsMiddleware):
    """Ids do not depend on what the others do meanwhile, and tell by their beginning whose they are.

    Make the scopes of all that work side by side before any of them begins, so that they follow their order.
    """

    def __init__(self, outer: Effects) -> None:
        super().__init__(outer)
        self._name = outer.new_id()
        self.scope = scope_of(self._name)
        self._ids = numbered_ids(NAMESPACE_OID, f"{self._name} ")
        self._scopes = {self.scope}
        outer.use_recorded_id(self.scope)

    def use_recorded_id(self, scope: str) -> None:
        self._scopes.add(scope)
        self._outer.use_recorded_id(scope)

    def made(self, item_id: str) -> bool:
        """Whether an id was, or will be, given here or in a scope inside this one."""
        return item_id[:SCOPE_LENGTH] in self._scopes

    def new_id(self) -> str:
        return self.scope + next(self._ids)[SCOPE_LENGTH:]
