"""Pictures that messages name by an address. No page loads them by itself: a person asks for each."""

from __future__ import annotations

import base64

from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.messages import Image
from studio.web.dependencies import SettingsDep
from studio.web.fetch import PICTURES, UrlUnreachable, fetch_document
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/pictures", tags=["runs"])


class PictureRequest(RequestBody):
    url: str = Field(max_length=4000, description="http or https address on the public internet, fetched once.")


class PictureOut(DeferredModel):
    picture: str = Field(description="A `data:` URI.")


@router.post("", summary="Fetch a PNG, JPEG, GIF or WebP picture of at most 5 MB from a public address")
async def load_picture(body: PictureRequest, settings: SettingsDep) -> PictureOut:
    content = await fetch_document(
        body.url, allow_private=settings.allow_private_urls, accept=PICTURES, instead="Open the address in a browser."
    )
    picture = Image.from_base64(base64.b64encode(content).decode("ascii"))
    if not picture.mime_type.startswith("image/"):
        raise UrlUnreachable(
            f"{body.url!r} is not a PNG, JPEG, GIF or WebP image.", fix="Open the address in a browser."
        )
    return PictureOut(picture=f"data:{picture.mime_type};base64,{picture.data}")
