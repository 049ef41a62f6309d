"""Measure what hostile files cost: the server's memory at most and afterwards, and its answer. Prints Markdown.

    .venv/bin/python scripts/measure_uploads.py
    .venv/bin/python scripts/measure_uploads.py --megabytes 20 --times 50

Each file goes to a studio in a process of its own: it is uploaded, and read as far as the studio reads such a file. The
memory is that of the server; what reads documents is a process of its own with a limit.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import struct
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import httpx

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from scripts.measure_files import memory_mb, served  # noqa: E402
from tests.web import sample_documents as samples  # noqa: E402

MIB = 1024 * 1024
WIDE_PX = 30_000
ROWS = 1_000_000
SCRIPT = b"<svg xmlns='http://www.w3.org/2000/svg'><script>fetch('/api/teams')</script></svg>"
Sent = Callable[[httpx.Client], str]


def pieces(megabytes: int, stop_after: int | None = None) -> Iterator[bytes]:
    """So many megabytes that nothing makes smaller; `stop_after` some, the sender goes away."""
    for number in range(megabytes):
        if number == stop_after:
            raise _Gone
        yield os.urandom(MIB)


class _Gone(Exception):
    """The sender leaves in the middle of an upload."""


def upload(client: httpx.Client, name: str, content: bytes | Iterator[bytes]) -> httpx.Response:
    return client.post("/api/files", params={"name": name}, content=content, timeout=300)


def words(answer: httpx.Response) -> str:
    """The status, and what an error says."""
    if answer.status_code < 400:
        return str(answer.status_code)
    return f"{answer.status_code}: {answer.json()['error']['message']}"


def only_uploaded(name: str, make: Callable[[], bytes | Iterator[bytes]]) -> Sent:
    return lambda client: words(upload(client, name, make()))


def read_as_text(name: str, make: Callable[[], bytes]) -> Sent:
    def sent(client: httpx.Client) -> str:
        kept = upload(client, name, make()).raise_for_status().json()
        path = f"/api/files/{kept['id']}/text"
        return words(client.get(path, params={"name": name}, timeout=300))

    return sent


def unpacked(name: str, make: Callable[[], bytes]) -> Sent:
    def sent(client: httpx.Client) -> str:
        kept = upload(client, name, make()).raise_for_status().json()
        answer = client.post(f"/api/files/{kept['id']}/unpack", timeout=300)
        left_out = answer.json().get("left_out") if answer.status_code == 200 else None
        return f"{words(answer)}, left out: {left_out[0]}" if left_out else words(answer)

    return sent


def downloaded(megabytes: int) -> Sent:
    def sent(client: httpx.Client) -> str:
        kept = upload(client, "large.bin", pieces(megabytes)).raise_for_status().json()
        with client.stream("GET", f"/api/files/{kept['id']}", timeout=300) as answer:
            size = sum(map(len, answer.iter_bytes()))
        return f"{answer.status_code}, {size // MIB} MiB back"

    return sent


def repeated(times: int, send: Callable[[httpx.Client], object]) -> Sent:
    def sent(client: httpx.Client) -> str:
        for _ in range(times):
            with suppress(_Gone, httpx.TransportError):
                send(client)
        return f"{times} times"

    return sent


def announced(megabytes: int) -> Sent:
    """A body of a size that the server learns from its head."""

    def sent(client: httpx.Client) -> str:
        length = {"Content-Length": str(megabytes * MIB)}
        with client.stream("POST", "/api/files", headers=length, content=pieces(megabytes), timeout=300) as answer:
            answer.read()
        return words(answer)

    return sent


def table() -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows((number, f"name {number}", number * 7 % 1000) for number in range(ROWS))
    return text.getvalue().encode()


def picture() -> bytes:
    """A white square of 30,000 pixels: 900 million, in one megabyte."""
    pack = zlib.compressobj(9)
    line = b"\0" + b"\xff" * (WIDE_PX // 8)
    packed = b"".join(pack.compress(line) for _ in range(WIDE_PX)) + pack.flush()
    head = struct.pack(">IIBBBBB", WIDE_PX, WIDE_PX, 1, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", packed), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


def cases(megabytes: int, times: int) -> Sequence[tuple[str, Sent]]:
    """What is sent, in this order."""
    return (
        ("nothing: 0 bytes", only_uploaded("empty.txt", lambda: b"")),
        (f"{megabytes} MB, uploaded and downloaded", downloaded(megabytes)),
        ("2 GB, as its head says", announced(2048)),
        ("more than the limit, without a word before", only_uploaded("large.bin", lambda: pieces(megabytes + 20))),
        ("a picture that is called a PDF", read_as_text("picture.pdf", picture)),
        ("a picture 30,000 px wide and high", only_uploaded("picture.png", picture)),
        ("a PDF with a password, read", read_as_text("secret.pdf", samples.encrypted_pdf)),
        ("a document that unpacks to 400 MB, read", read_as_text("bomb.docx", samples.bomb)),
        ("the same as a ZIP, unpacked", unpacked("bomb.zip", samples.bomb)),
        ("a CSV of a million rows, read", read_as_text("table.csv", table)),
        ("an SVG with a script, read", read_as_text("drawing.svg", lambda: SCRIPT)),
        ("a name of 300 characters with path parts", only_uploaded("../" * 60 + "\n" * 60 + "x" * 60, lambda: b"x")),
        ("the same megabyte again and again", repeated(times, lambda client: upload(client, "same.bin", b"x" * MIB))),
        (
            f"an upload of {megabytes} MB that ends in the middle",
            repeated(max(1, times // 50), lambda client: upload(client, "half.bin", pieces(megabytes, megabytes // 2))),
        ),
    )


def measured(folder: Path, megabytes: int, times: int) -> Generator[str]:
    with served(folder) as (client, pid):
        client.get("/runs").raise_for_status()
        read_as_text("first.pdf", lambda: samples.pdf("Hello"))(client)  # loads what reads documents
        yield f"| (before) | | | | {memory_mb(pid, 'VmRSS'):.0f} MB |"
        for what, send in cases(megabytes, times):
            Path(f"/proc/{pid}/clear_refs").write_text("5")  # the most that it had begins anew
            before, began = memory_mb(pid, "VmRSS"), time.perf_counter()
            said = send(client)
            took = time.perf_counter() - began
            peak, after = memory_mb(pid, "VmHWM"), memory_mb(pid, "VmRSS")
            yield f"| {what} | {said} | {took:.1f} s | {peak - before:+.0f} MB | {after:.0f} MB |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=100, help="the largest file that is kept by default")
    parser.add_argument("--times", type=int, default=1000, help="how often the same file is sent")
    given = parser.parse_args()
    print("| | answer | time | memory at most | and after |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for row in measured(Path(folder), given.megabytes, given.times):
            print(row, flush=True)


if __name__ == "__main__":
    main()
