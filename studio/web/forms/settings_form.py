"""The form of settings that are a Pydantic model of the studio's own, not a component."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pydantic import BaseModel

from studio.web.forms.form_fields import FieldMaker, Problems
from studio.web.forms.form_model import FormField, Json
from studio.web.forms.form_schema import Schemas, as_object


def settings_fields(settings: BaseModel) -> Mapping[str, FormField]:
    """The fields by their names; those of a model inside it are the `parts` of its field."""
    schema = cast("Mapping[str, Json]", settings.model_json_schema())
    maker = FieldMaker(Schemas(as_object(schema.get("$defs"))), Problems(()))
    fields = maker.fields(as_object(schema["properties"]), (), settings.model_dump(mode="json"), "")
    return {field.name: field for field in fields}
