// @ts-check

/** Closer than this nothing more is to be seen. */
const NARROWEST = 1e-5
/** What is brought into view stands this far from the side. */
const ROOM = 0.2

/** The part of an axis that is in view, as shares of the whole. */
export class TimelineView {
  from = 0
  to = 1

  get width() {
    return this.to - this.from
  }

  get isWhole() {
    return this.from === 0 && this.to === 1
  }

  fit() {
    this.from = 0
    this.to = 1
  }

  /**
   * @param {number} at  place in the view, 0 to 1, that stays where it is
   * @param {number} factor  above 1 is closer
   */
  zoom(at, factor) {
    const width = Math.min(1, Math.max(NARROWEST, this.width / factor))
    const fixed = this.from + at * this.width
    this.#move(fixed - at * width, width)
  }

  /** @param {number} by  in widths of the view */
  pan(by) {
    this.#move(this.from + by * this.width, this.width)
  }

  /**
   * @param {number} from
   * @param {number} to  shares of the whole
   */
  bring(from, to) {
    if (from >= this.from && to <= this.to) return
    this.#move(
      from < this.from
        ? from - ROOM * this.width
        : Math.min(from, to - this.width) + ROOM * this.width,
      this.width,
    )
  }

  /**
   * @param {number} from
   * @param {number} width
   */
  #move(from, width) {
    this.from = Math.max(0, Math.min(1 - width, from))
    this.to = width >= 1 ? 1 : this.from + width
  }
}
