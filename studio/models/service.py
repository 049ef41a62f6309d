"""What clients of model services have in common: a named model at an address, and what it takes to ask it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, model_validator

from studio.components import Capability, Component, JsonObject, SecretRef, Warn
from studio.models.base import ChatCompletionClient
from studio.models.coercion import complete_model_info, without_zero_limit
from studio.models.headers import references_in, references_within_braces
from studio.models.info import KnownInfo, context_tokens, is_known, known_info, max_output_tokens
from studio.models.openai_services import exact_address, is_this_machine


class ServiceClient(ChatCompletionClient):
    """Asks a model by its name at a service."""

    if TYPE_CHECKING:  # each client declares the field itself, so that its form has its own order
        model: str

    @property
    def address(self) -> str:
        """Base URL of the service."""
        raise NotImplementedError

    @property
    def is_free(self) -> bool:
        return is_this_machine(self.address)

    def max_output_tokens(self) -> int:
        return max_output_tokens(self.model)

    def known_abilities(self) -> KnownInfo:
        """What a model of this name can do, asked in this client's way."""
        return known_info(self.model)

    def _headers(self) -> Mapping[str, str] | None:
        """HTTP headers of the config; their values may name secrets."""
        return None

    def _needed_secrets(self) -> Iterator[SecretRef]:
        """Secrets that are read though no field names them."""
        yield from ()

    def _secrets(self) -> Iterator[SecretRef]:
        yield from _references_in(self)
        yield from self._needed_secrets()
        yield from references_in(self._headers())
        yield from references_within_braces(self.address)

    def capabilities(self) -> Iterator[Capability]:
        host = exact_address(self.address, self._headers())
        # The host is part of what is approved: a key for one service must not go to another that a config names.
        for secret in self._secrets():
            text = f"Sends the secret {secret.reference} to {host}."
            yield Capability("secret", text, f"{secret.reference} to {host}", is_connection=True)
        yield Capability("host", f"Sends the conversation to {host}.", host, is_connection=True)
        if not self.is_free:
            text = f"Spends tokens of {self.model} at {host}."
            yield Capability("spend", text, f"{self.model} at {host}", is_connection=True)

    @property
    def source(self) -> str:
        return self.model

    def settings(self) -> JsonObject:
        return {"address": self.address, "model": self.model, **self.create_arguments()}

    def context_length(self) -> int:
        return context_tokens(self.model)

    @model_validator(mode="after")
    def _fill_info(self) -> Self:
        if self.model_info is None:
            object.__setattr__(self, "model_info", self.known_abilities())
        return self

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        coerced = without_zero_limit(complete_model_info(config, warn), warn)
        model = coerced.get("model")
        if isinstance(model, str) and coerced.get("model_info") is None and not is_known(model):
            warn(
                f"The studio does not know the model {model!r}; it is taken to call tools and to read no pictures. "
                "Set “Model capabilities” if that is wrong.",
                "/model",
            )
        return coerced


def _references_in(config: BaseModel) -> Iterator[SecretRef]:
    """Secrets that the fields name, also those of the objects inside; components inside speak for themselves."""
    for name in type(config).model_fields:
        value = getattr(config, name)
        if isinstance(value, SecretRef):
            yield value
        elif isinstance(value, BaseModel) and not isinstance(value, Component):
            yield from _references_in(value)
