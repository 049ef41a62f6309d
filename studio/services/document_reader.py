"""Reads one document as Markdown, or a table as rows. Started as a script, in a process of its own, by `documents`.

Takes the path of the document, its kind and the most characters as arguments, and "by-page" where each page of a PDF is
to end with a form feed; prints one line of JSON: {"text", "characters", "pages"}, of a table {"rows", "is_cut"}, or
{"error": words for a person}, or {"missing": a package}. Of a damaged document, parsers raise whatever they come
across, and the process ends without a word. It stands alone: what it imports beside Python's own modules are the
packages `markitdown` and `arro3`.
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


ROWS_AT_ONCE = 500
MAX_ROWS = 5_000
MAX_COLUMNS = 40
MAX_CELL_CHARS = 300


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


def table(path: str, most: int) -> dict[str, Any]:
    """The head and the first rows of a Parquet file, a batch at a time."""
    from arro3.io import read_parquet

    batches = read_parquet(path, batch_size=ROWS_AT_ONCE)
    names = [str(name)[:MAX_CELL_CHARS] for name in batches.schema.names]
    columns = range(min(len(names), MAX_COLUMNS))
    rows, characters = [[names[place] for place in columns]], 0
    for batch in batches:
        cells = [batch.column(place) for place in columns]
        for number in range(batch.num_rows):
            if len(rows) > MAX_ROWS or characters > most:
                return {"rows": rows, "is_cut": True}
            rows.append([cell_text(column[number].as_py()) for column in cells])
            characters += sum(map(len, rows[-1]))
    return {"rows": rows, "is_cut": len(names) > MAX_COLUMNS}


def cell_text(value: object) -> str:
    """A value as a cell shows it."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value[: MAX_CELL_CHARS // 2].hex()
    return str(value)[:MAX_CELL_CHARS]


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
    pages: int | None = None
    try:
        if kind == "parquet":
            return table(path, most)
        content = Path(path).read_bytes()
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
