"""What a run must not tell: the secrets that its team names, and those that it reads."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import cast

from pydantic import JsonValue

from studio.components import Component, secret_source
from studio.components.loading import all_capabilities, secrets_among
from studio.components.redaction import Redactor
from studio.components.secrets import SecretSource, secret_noted
from studio.errors import SetupError
from studio.runs.journal.log import NO_CHANGES, Changes, NewRun


def redactor_for(redactor: Redactor, component: object, secrets: SecretSource) -> None:
    """Let what is run here find its secrets, and the redactor know them.

    Those that the team names are known before it begins: what one tool has read it may have left for another, and a run
    that goes on after a stop does not read everything again. The context is the run's own.
    """
    source = redactor.noting(secrets)
    secret_source.set(source)
    secret_noted.set(redactor.add)
    _learn(component, source)


def redact_new_run(new: NewRun, component: Component, secrets: SecretSource) -> NewRun:
    """What a run is started with, in case a person has written down what it must not tell."""
    redactor = Redactor()
    _learn(component, redactor.noting(secrets))
    if not redactor:
        return new
    changes = new.changes
    if changes is not NO_CHANGES:
        changes = Changes.model_validate(redactor.clean(cast("JsonValue", changes.model_dump(mode="json"))))
    said = new.first_message and replace(new.first_message, text=redactor.clean_text(new.first_message.text))
    task, text = redactor.clean(new.task), redactor.clean_text(new.task_text)
    return replace(new, task=task, task_text=text, changes=changes, first_message=said)


def redact_text(text: str, component: Component, secrets: SecretSource) -> str:
    """What is kept of a task that runs of a team will be given later, in case it holds one of the team's secrets."""
    redactor = Redactor()
    _learn(component, redactor.noting(secrets))
    return redactor.clean_text(text) if redactor else text


def _learn(component: object, source: SecretSource) -> None:
    if isinstance(component, Component):
        for use in secrets_among(all_capabilities(component)):
            with suppress(SetupError):  # that of a lost key file is told to whoever uses the secret
                source(use.reference)
