// @ts-check

/**
 * Joins pieces of a text by their offset, so that a page that joins late or reconnects has each
 * character once.
 */
export class StreamedText {
  text = ''
  /** @type {Map<number, string>} pieces that came before the text they follow */
  #ahead = new Map()

  /**
   * @param {number} offset
   * @param {string} piece
   * @returns {string} what is new at the end of the text
   */
  add(offset, piece) {
    if (offset > this.text.length) {
      this.#ahead.set(offset, piece)
      return ''
    }
    const before = this.text.length
    this.text += piece.slice(before - offset)
    this.#takeAhead()
    return this.text.slice(before)
  }

  #takeAhead() {
    for (const [offset, piece] of [...this.#ahead].sort(([a], [b]) => a - b)) {
      if (offset > this.text.length) return
      this.#ahead.delete(offset)
      this.text += piece.slice(this.text.length - offset)
    }
  }
}
