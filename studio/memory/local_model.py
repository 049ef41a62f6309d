"""An embedding model in this process, without any network: static vectors, with the extra `embeddings`.

A static vector is the mean of its words', so that one sentence is lost in a long passage. A passage therefore has a
vector for each few sentences, and is as near to a question as the nearest of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final

from studio.components.readable_json import well_formed
from studio.errors import ConfigError

LOCAL: Final = "local"
"""Stands where the id of a model connection stands else."""
LOCAL_MODEL: Final = "WordLlama"
PART_CHARS = 150
DIMENSIONS = 256
_BYTES = 4 * DIMENSIONS
_SENTENCE_ENDS = re.compile(r"(?<=[.!?。！？])\s+|\n{2,}")


def has_local_model() -> bool:
    """Whether the extra is installed."""
    return find_spec("wordllama") is not None


def embed_here(texts: Sequence[str]) -> Sequence[bytes]:
    """The vectors of each text at length 1, one behind the other: 256 numbers of 4 bytes for each few sentences.

    Raises:
        ConfigError: The extra is not installed.
    """
    model = _model()
    parts = [list(_parts(well_formed(text))) for text in texts]
    numpy: Any = import_module("numpy")
    # A text without a known token has no direction.
    made = numpy.nan_to_num(model.embed([part for each in parts for part in each], norm=True)).astype("float32")
    ends = accumulate(map(len, parts), initial=0)
    return [made[begin:end].tobytes() for begin, end in pairwise(ends)]


def nearness(question: bytes, stored: Sequence[bytes]) -> Sequence[float]:
    """How near the nearest vector of each stored passage is to the nearest of a question."""
    numpy: Any = import_module("numpy")
    asked, kept = (numpy.frombuffer(each, "float32").reshape(-1, DIMENSIONS) for each in (question, b"".join(stored)))
    begins = list(accumulate((len(each) // _BYTES for each in stored[:-1]), initial=0))
    return numpy.maximum.reduceat((kept @ asked.T).max(axis=1), begins).tolist()


def _parts(text: str) -> Iterator[str]:
    """A text in parts of whole sentences, of about `PART_CHARS` characters; at least one."""
    part = ""
    for sentence in _SENTENCE_ENDS.split(text):
        if part and len(part) + len(sentence) > PART_CHARS:
            yield part
            part = ""
        part = f"{part} {sentence}" if part else sentence
    yield part


@cache
def _model() -> Any:
    try:
        import wordllama  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise ConfigError(
            "The local embedding model is not installed.",
            fix='Run `pip install "team-studio[embeddings]"`.',
            where="/connection_id",
        ) from error
    # Its weights and its tokenizer are in the package, where it looks only for what it has downloaded before.
    package = Path(str(wordllama.__file__)).parent
    loader: Any = wordllama.WordLlama
    return loader.load(cache_dir=package, disable_download=True)
