"""A model file of llama.cpp, small enough to be made on the spot, whose answers are known beforehand.

Its one layer adds nothing. What comes after a character depends on that character alone: each has an embedding of its
own, and the output points from there to its follower. A conversation ends with what was said last, so that its last
character decides the answer.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

BEGIN, END = 1, 2
SPECIAL = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]
LETTERS = [*map(chr, range(ord("!"), ord("~"))), "~", "▁", "\n"]
TOKENS = [*SPECIAL, *(f"<0x{number:02X}>" for number in range(256)), *LETTERS]
TYPES = [2, 3, 3, 3, 3, *[6] * 256, *[1] * len(LETTERS)]
"""Unknown, control, byte and normal, by their numbers in the format."""
WIDTH = 384
"""At least as many as there are tokens, and a multiple of 32."""
FOLLOWERS = {
    "?": "N",
    "N": "i",
    "i": "e",
    "e": ".",
    ".": None,
    "~": "x",
    "x": "y",
    "y": "z",
    "z": "x",
    '"': '"',
    "9": "}",
}
"""`?` is answered by “Nie.”, `~` by an answer without end; what a schema leaves open is soon closed."""
TEMPLATE = (
    "{% for each in messages %}<|im_start|>{{ each.role }}\n{{ each.content }}"
    "{% if not loop.last %}<|im_end|>{% endif %}{% endfor %}"
)


def make_model(path: Path) -> None:
    """Write the file; needs the packages `gguf` and `numpy`."""
    gguf: Any = import_module("gguf")
    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer)
    for name, values in _tensors().items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _describe(writer: Any) -> None:
    writer.add_context_length(65_536)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(2)
    writer.add_rope_dimension_count(WIDTH // 2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(TOKENS)
    writer.add_token_scores([0.0] * len(TOKENS))
    writer.add_token_types(TYPES)
    writer.add_bos_token_id(BEGIN)
    writer.add_eos_token_id(END)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)


def _tensors() -> dict[str, Any]:
    np: Any = import_module("numpy")
    numbers = {token: number for number, token in enumerate(TOKENS)}
    output = np.zeros((len(TOKENS), WIDTH), np.float32)
    for token, follower in FOLLOWERS.items():
        output[END if follower is None else numbers[follower], numbers[token]] = 1
    embedding = np.eye(len(TOKENS), WIDTH, dtype=np.float32)
    for letter in LETTERS:  # a letter may also be written as its byte, and then the same follows
        embedding[numbers[f"<0x{ord(letter):02X}>" if letter != "▁" else "<0x20>"]] = embedding[numbers[letter]]
    square, low, high = (WIDTH, WIDTH), (32, WIDTH), (WIDTH, 32)
    layer = {"attn_q": square, "attn_k": square, "attn_v": square, "attn_output": square}
    layer |= {"ffn_gate": low, "ffn_up": low, "ffn_down": high}
    return {
        "token_embd.weight": embedding,
        "output.weight": output,
        **{
            f"{name}.weight": np.ones(WIDTH, np.float32)
            for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm")
        },
        **{f"blk.0.{name}.weight": np.zeros(shape, np.float32) for name, shape in layer.items()},
    }
