"""Reads one document as Markdown. Started as a script, in a process of its own, by `documents`.

Takes the path of the document, its kind and the most characters as arguments, and "by-page" where each page of a PDF is
to end with a form feed; prints one line of JSON: {"text", "characters", "pages"}, or {"error": words for a person}, or
{"missing": a package}. Of a damaged document, parsers raise whatever they come across, and the process ends without a
word. It stands alone: what it imports beside Python's own modules is the package `markitdown`.
"""

from __future__ import annotations

import email
import email.policy
import io
import json
import resource
import socket
import sys
import zipfile
from email.message import EmailMessage
from pathlib import Path
from typing import Any, NoReturn

MEMORY_BYTES = 2 * 1024**3
CPU_S = 60
MAX_UNPACKED_BYTES = 300 * 1024**2
"""Of all parts of an Office document together."""
MAX_PARTS = 10_000
PARTS = {"docx": "word/document.xml", "pptx": "ppt/presentation.xml", "xlsx": "xl/workbook.xml"}
"""What makes a ZIP file a document of this kind."""
PROGRAMS = {"docx": "Word", "pptx": "PowerPoint", "xlsx": "Excel"}


class Unreadable(Exception):
    """What is wrong with the document, in words."""


def no_network(*_: object, **__: object) -> NoReturn:
    raise OSError("A document reaches no network.")


def confine() -> None:
    """Bound this process, also where no jail is around it."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    socket.socket.connect = no_network  # pyright: ignore[reportAttributeAccessIssue]


def check_parts(content: bytes, kind: str) -> None:
    """Raises: Unreadable: It is no Office document of this kind, or unpacks to too much."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
    except zipfile.BadZipFile as error:
        raise Unreadable(f"The {PROGRAMS[kind]} file is damaged.") from error
    if PARTS[kind] not in {part.filename for part in parts}:
        raise Unreadable(f"The content is not that of a {PROGRAMS[kind]} file.")
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
        raise Unreadable(f"The {PROGRAMS[kind]} file unpacks to more than {MAX_UNPACKED_BYTES // 1024**2} MB.")


def pages_of(content: bytes) -> int:
    """The pages of a PDF.

    Raises:
        Unreadable: It is encrypted.
    """
    from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError, PDFPasswordIncorrect
    from pdfminer.pdfpage import PDFPage
    from pdfminer.pdfparser import PDFParser

    try:
        return sum(1 for _ in PDFPage.create_pages(PDFDocument(PDFParser(io.BytesIO(content)))))
    except (PDFPasswordIncorrect, PDFEncryptionError) as error:
        raise Unreadable("The PDF is encrypted. Remove its password.") from error


def converted(content: bytes, kind: str) -> str:
    """The document as Markdown."""
    from markitdown import MissingDependencyException, StreamInfo, converters

    of_kind: dict[str, Any] = {
        "pdf": converters.PdfConverter,
        "docx": converters.DocxConverter,
        "pptx": converters.PptxConverter,
        "xlsx": converters.XlsxConverter,
        "html": converters.HtmlConverter,
        "msg": converters.OutlookMsgConverter,
    }
    charset = "utf-8" if kind == "html" else None
    try:
        found = of_kind[kind]().convert(io.BytesIO(content), StreamInfo(extension=f".{kind}", charset=charset))
    except MissingDependencyException as error:
        raise ModuleNotFoundError("An extra of the package is missing.", name="markitdown") from error
    return str(found.markdown)


def page_texts(content: bytes) -> str:
    """The text of a PDF; each page ends with a form feed."""
    from pdfminer.high_level import extract_text

    return str(extract_text(io.BytesIO(content)))


def mail(content: bytes) -> str:
    """An e-mail: its head, its text, and the names of what is attached."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    lines = [f"{name}: {message[name]}" for name in ("From", "To", "Cc", "Date", "Subject") if message[name]]
    body = message.get_body(("plain", "html"))
    text = str(body.get_content()) if body is not None else ""
    if body is not None and body.get_content_subtype() == "html":
        text = converted(text.encode(), "html")
    names = [part.get_filename() or "unnamed" for part in message.iter_attachments()]
    attached = f"\n\nAttachments: {', '.join(names)}" if names else ""
    return "\n".join(lines) + f"\n\n{text.strip()}{attached}"


def read(path: str, kind: str, most: int, by_page: bool = False) -> dict[str, Any]:
    """What is printed."""
    content = Path(path).read_bytes()
    pages: int | None = None
    try:
        if kind in PARTS:
            check_parts(content, kind)
        if kind == "pdf":
            pages = pages_of(content)
        if kind == "pdf" and by_page:
            text = page_texts(content)
        else:
            text = mail(content) if kind == "eml" else converted(content, kind)
    except Unreadable as error:
        return {"error": str(error)}
    except ModuleNotFoundError as error:
        return {"missing": (error.name or "markitdown").partition(".")[0]}
    except MemoryError:
        return {"error": "Reading the document takes too much memory."}
    if kind == "pdf" and not text.strip():
        return {"error": "The PDF holds no text, only pictures of it."}
    return {"text": text[:most], "characters": len(text), "pages": pages}


def main() -> None:
    """Read the document that the arguments name."""
    confine()
    answer = read(sys.argv[1], sys.argv[2], int(sys.argv[3]), "by-page" in sys.argv[4:])
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
