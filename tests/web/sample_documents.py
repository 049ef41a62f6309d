"""Documents for tests, made of a few lines."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping


def pdf(*pages: str) -> bytes:
    """A PDF with these lines of text on each page."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>"]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects.append(f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode())
    objects.append(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    for number, text in enumerate(pages):
        lines = " T* ".join(f"({line}) Tj" for line in text.split("\n"))
        content = f"BT /F1 12 Tf 14 TL 72 700 Td {lines} ET".encode()
        font = "/Resources<</Font<</F1 3 0 R>>>>/MediaBox[0 0 612 792]"
        objects.append(f"<</Type/Page/Parent 2 0 R{font}/Contents {5 + 2 * number} 0 R>>".encode())
        objects.append(b"<</Length %d>>stream\n%b\nendstream" % (len(content), content))
    return _assembled(objects, b"")


def encrypted_pdf() -> bytes:
    """A PDF with a password that nobody knows."""
    whole = pdf("Secret")
    key = b"<</Filter/Standard/V 1/R 2/P -4/O(" + b"o" * 32 + b")/U(" + b"u" * 32 + b")>>"
    return whole.replace(b"/Root 1 0 R", b"/Root 1 0 R/ID[(i)(i)]/Encrypt " + key)


def _assembled(objects: list[bytes], extra: bytes) -> bytes:
    written, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n%b" % (len(objects) + 1, table)
    end = b"trailer<</Size %d/Root 1 0 R%b>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, extra, len(written))
    return written + head + end


_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def docx(*paragraphs: str, entity: str = "") -> bytes:
    """A Word document; `entity` declares one, which its text names."""
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in (*paragraphs, *(["&x;"] if entity else [])))
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    document = f'{entity}<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'
    return zipped({"[Content_Types].xml": _TYPES, "_rels/.rels": _RELATIONS, "word/document.xml": document})


def bomb() -> bytes:
    """A Word document that unpacks to 400 MB."""
    return zipped({"[Content_Types].xml": _TYPES, "_rels/.rels": _RELATIONS, "word/document.xml": "\0" * 400 * 1024**2})


def zipped(parts: Mapping[str, str]) -> bytes:
    """A ZIP file."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return content.getvalue()


def xlsx() -> bytes:
    """A spreadsheet with two rows of two cells."""
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    types = _TYPES.replace("/word/document.xml", "/xl/workbook.xml").replace(
        "wordprocessingml.document", "spreadsheetml.sheet"
    )
    sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
    types = types.replace("</Types>", f'<Override PartName="/xl/sheet1.xml" ContentType="{sheet}"/></Types>')
    text = '<c t="inlineStr"><is><t>{}</t></is></c>'.format
    rows = f"<row>{text('city')}{text('people')}</row><row>{text('Paris')}<c><v>2</v></c></row>"
    relations = _RELATIONS.replace("word/document.xml", "xl/workbook.xml")
    sheets = '<sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets>'
    return zipped(
        {
            "[Content_Types].xml": types,
            "_rels/.rels": relations,
            "xl/workbook.xml": f'<workbook xmlns="{space}" xmlns:r="{kinds}">{sheets}</workbook>',
            "xl/_rels/workbook.xml.rels": _RELATIONS.replace('officeDocument"', 'worksheet"').replace(
                "word/document.xml", "sheet1.xml"
            ),
            "xl/sheet1.xml": f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>',
        }
    )


EML = (
    b"From: ada@example.org\r\nTo: bob@example.org\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n"
    b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n"
    b"<p>Hello <b>Bob</b></p>\r\n"
    b"--x\r\nContent-Disposition: attachment; filename=a.pdf\r\nContent-Type: application/pdf\r\n\r\n%PDF\r\n--x--\r\n"
)
