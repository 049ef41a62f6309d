// @ts-check

/**
 * Heights of many rows, as sums that are found and changed in a few steps however many there are (a
 * Fenwick tree).
 */
export class RowHeights {
  /** @type {number[]} */
  #each = []
  /** @type {number[]} 1-based: each place holds the sum of a power of two of rows */
  #sums = [0]

  /** @param {number[]} [each] px */
  constructor(each = []) {
    this.#each = [...each]
    this.#sums = [0, ...each]
    for (let place = 1; place < this.#sums.length; place += 1) {
      const above = place + (place & -place)
      if (above < this.#sums.length) this.#sums[above] = this.#sum(above) + this.#sum(place)
    }
  }

  get count() {
    return this.#each.length
  }

  get total() {
    return this.above(this.count)
  }

  /** @param {number} row */
  get(row) {
    return this.#each[row] ?? 0
  }

  /** @param {number} px */
  push(px) {
    const place = this.#each.push(px)
    let sum = px
    for (let below = place - 1; below > place - (place & -place); below -= below & -below)
      sum += this.#sum(below)
    this.#sums.push(sum)
  }

  /**
   * @param {number} row
   * @param {number} px
   * @returns {number} by how much it has changed
   */
  set(row, px) {
    const change = px - this.get(row)
    if (change === 0) return 0
    this.#each[row] = px
    for (let place = row + 1; place < this.#sums.length; place += place & -place)
      this.#sums[place] = this.#sum(place) + change
    return change
  }

  /**
   * Height of all rows before this one.
   * @param {number} row
   */
  above(row) {
    let sum = 0
    for (let place = Math.min(row, this.count); place > 0; place -= place & -place)
      sum += this.#sum(place)
    return sum
  }

  /**
   * The row at a height; the last one below the end.
   * @param {number} px
   */
  at(px) {
    let place = 0
    let rest = px
    for (let step = 1 << Math.floor(Math.log2(Math.max(1, this.count))); step > 0; step >>= 1) {
      const next = place + step
      if (next <= this.count && this.#sum(next) <= rest) {
        place = next
        rest -= this.#sum(next)
      }
    }
    return Math.max(0, Math.min(place, this.count - 1))
  }

  /** @param {number} place */
  #sum(place) {
    return this.#sums[place] ?? 0
  }
}
