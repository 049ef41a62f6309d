"""Writes a screenshot as a PNG with a palette: a third of the size, and nobody sees the difference."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TypedDict

from playwright.sync_api import Page

COUNT_COLOURS = """async (address) => {
  const image = await createImageBitmap(await (await fetch(address)).blob())
  const { width, height } = image
  const context = new OffscreenCanvas(width, height).getContext('2d')
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  const pixels = new Uint32Array(data.buffer)
  const counts = new Map()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const parts = (colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255]
  const used = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour)
  const hues = new Map()
  for (const colour of used) {
    const hue = parts(colour).map((part) => part >> 5).join()
    if (!hues.has(hue)) hues.set(hue, colour)
  }
  const palette = [...new Set([...hues.values(), ...used])].slice(0, 256)
  const known = palette.map(parts)
  const places = new Map(palette.map((colour, index) => [colour, index]))
  const nearest = (colour) => {
    const [red, green, blue] = parts(colour)
    let best = 0
    let least = Infinity
    known.forEach(([r, g, b], index) => {
      const distance = (r - red) ** 2 + 2 * (g - green) ** 2 + (b - blue) ** 2
      if (distance < least) [best, least] = [index, distance]
    })
    places.set(colour, best)
    return best
  }
  const indices = Uint8Array.from(pixels, (pixel) => places.get(pixel) ?? nearest(pixel))
  let text = ''
  for (let at = 0; at < indices.length; at += 32768) text += String.fromCharCode(...indices.subarray(at, at + 32768))
  return { width, height, palette: known.flat(), indices: btoa(text) }
}"""
"""A colour of every hue there is, then those used most; each pixel as the number of the colour nearest to it."""


class Counted(TypedDict):
    width: int
    height: int
    palette: list[int]
    indices: str


def with_few_colours(png: bytes, page: Page) -> bytes:
    """The same picture with 256 colours at most.

    Args:
        png: Without transparency.
        page: Any page whose scripts may be called, such as an empty one.
    """
    counted: Counted = page.evaluate(COUNT_COLOURS, f"data:image/png;base64,{base64.b64encode(png).decode()}")
    width, indices = counted["width"], base64.b64decode(counted["indices"])
    rows = b"".join(b"\0" + indices[at : at + width] for at in range(0, len(indices), width))
    head = struct.pack(">IIBBBBB", width, counted["height"], 8, 3, 0, 0, 0)
    chunks = {b"IHDR": head, b"PLTE": bytes(counted["palette"]), b"IDAT": zlib.compress(rows, 9), b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks.items())


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
