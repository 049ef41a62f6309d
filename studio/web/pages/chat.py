"""The chat page of a deployment: what a browser loads before it has a token.

The page is the same for a deployment that is not there, or not open to who asks: it then has no title and no greeting.
Only the sites that may show it in a frame stand in its head, since browsers read them there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.exceptions import HTTPException

from studio.deployments import DeploymentSettings
from studio.store.deployment_tables import Deployment
from studio.web.assets.assets import CONTENT_TYPES, FOREVER
from studio.web.assets.chat_page import ICON, SCRIPT, SHEET, chat_page_files
from studio.web.auth.guard import content_security_policy, public_hosts
from studio.web.dependencies import GuestDep, SettingsDep, StoreDep, TemplatesDep
from studio.web.protocols.chat import is_open_to, title_of
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
TITLE = "Chat"
EMBED_FOR_S = 300
ANY_SITE: Mapping[str, str] = {"Cross-Origin-Resource-Policy": "cross-origin"}
"""Of the script that shows a page in a frame: what it holds is public."""


@router.get("/d/{deployment}/chat")
async def chat_page(
    request: Request,
    deployment: str,
    store: StoreDep,
    templates: TemplatesDep,
    guest: GuestDep,
    settings: SettingsDep,
) -> Response:
    found = await store.deployments.find(deployment)
    shown = found if found and is_open_to(found, guest) else None
    chat = DeploymentSettings.model_validate(shown.settings).chat if shown else None
    files = chat_page_files()
    html = templates.text(
        "pages/chat.html",
        title=title_of(shown) if shown else TITLE,
        greeting=chat.greeting if chat else "",
        deployment=deployment,
        has_sign_in=not settings.only_deployments and request.url.netloc not in public_hosts(settings),
        files=files,
        sheet=SHEET,
        script=SCRIPT,
        favicon=ICON,
    )
    csp = content_security_policy(scripts=[files.importmap_hash], frames=frames_of(found))
    return HTMLResponse(html, headers={"Content-Security-Policy": csp})


@router.get("/chat/{deployment}")
async def chat_of_people(deployment: str) -> Response:
    """The address for people of the studio: who is not signed in is asked to, and comes back."""
    return RedirectResponse(f"/d/{deployment}/chat", 303)


@router.get("/d/{deployment}/chat/embed.js")
async def embed_script(deployment: str) -> Response:
    del deployment
    headers = {**ANY_SITE, "Cache-Control": f"public, max-age={EMBED_FOR_S}"}
    return Response(chat_page_files().embed, media_type=CONTENT_TYPES[".js"], headers=headers)


@router.get("/d/{deployment}/chat/files/{build}/{file}")
async def chat_file(deployment: str, build: str, file: str) -> Response:
    del deployment
    files = chat_page_files()
    if build != files.build_id or file not in files.files:
        raise HTTPException(404)
    kind = CONTENT_TYPES.get(PurePosixPath(file).suffix, "application/octet-stream")
    return Response(files.files[file], media_type=kind, headers={"Cache-Control": FOREVER})


def frames_of(deployment: Deployment | None) -> list[str]:
    """The sites that may show the chat page in a frame."""
    chat = DeploymentSettings.model_validate(deployment.settings).chat if deployment else None
    return list(chat.origins) if chat and chat.access != "off" else []
