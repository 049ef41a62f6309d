// @ts-check
// How high cards are that are not made yet. Cards of one shape are equally high, so one of each is
// measured.

/**
 * @typedef {import('./scene.js').CardView} CardView
 * @typedef {import('./scene.js').SlotView} SlotView
 * @typedef {import('./scene.js').Chip} Chip
 * @typedef {(text: string, weight: number) => number} TextWidth
 */

/** Inside the paddings and lines of node.css. */
const INNER_PX = 212
/** What a chip has beside its text, in chip.css; the button for one more; the gap between them. */
const CHIP_PX = 33
const MORE_PX = 24
const GAP_PX = 4
const TEXT_WEIGHT = 400
const CHIP_WEIGHT = 520
/** Nearer to the edge than this share, only measuring the card itself tells. */
const DOUBT = 0.06

/**
 * What the height of a card depends on. Where that cannot be told for sure, the text itself is part
 * of it.
 * @param {CardView} card
 * @param {TextWidth} widthOf
 */
export function shapeOf(card, widthOf) {
  const slots = card.slots
    .filter((slot) => !slot.isOptional)
    .map((slot) => slotShape(slot, widthOf))
  return JSON.stringify([textShape(card.text, widthOf), card.isKnown, card.opening !== null, slots])
}

/**
 * None, one or two lines, for more are cut off.
 * @param {string} text
 * @param {TextWidth} widthOf
 */
function textShape(text, widthOf) {
  const plain = text.trim().replace(/\s+/g, ' ')
  if (text === '') return 0
  if (plain === '') return text
  const share = widthOf(plain, TEXT_WEIGHT) / INNER_PX
  if (share < 1 - DOUBT) return 1
  return share > 1 + DOUBT && plain.includes(' ') ? 2 : plain
}

/**
 * @param {SlotView} slot
 * @param {TextWidth} widthOf
 */
function slotShape(slot, widthOf) {
  if (slot.chips.length === 0) return 'empty'
  if (slot.chips.some((chip) => chip.innerSlot !== '' || chip.opens !== '' || chip.title === ''))
    return slot.chips
  if (slot.chips.length === 1 && !slot.many) return 'row'
  const chips = slot.chips.map((chip) =>
    Math.min(INNER_PX, CHIP_PX + widthOf(chip.title, CHIP_WEIGHT)),
  )
  const width = chips.reduce((sum, each) => sum + each + GAP_PX, slot.many ? MORE_PX : -GAP_PX)
  return width < INNER_PX * (1 - DOUBT) ? 'row' : slot.chips.map((chip) => chip.title)
}

/** The measured heights, by shape. */
export class CardHeights {
  /** @type {Map<string, number>} */
  #known = new Map()
  /** @type {TextWidth | undefined} */
  #widthOf

  /** @param {HTMLElement} root  whose font the cards have */
  constructor(root) {
    this.root = root
  }

  /** @param {CardView} card */
  shapeOf(card) {
    this.#widthOf ??= textWidthIn(this.root)
    return shapeOf(card, this.#widthOf)
  }

  /**
   * @param {string} shape
   * @returns {number} 0 while none of it was measured
   */
  get(shape) {
    return this.#known.get(shape) ?? 0
  }

  /**
   * @param {string} shape
   * @param {number} height
   */
  learn(shape, height) {
    this.#known.set(shape, height)
  }
}

/**
 * @param {HTMLElement} root
 * @returns {TextWidth}
 */
function textWidthIn(root) {
  const { fontFamily } = getComputedStyle(root)
  const size = getComputedStyle(root).getPropertyValue('--text-sm')
  const pen = document.createElement('canvas').getContext('2d')
  return (text, weight) => {
    if (!pen) return INNER_PX // in doubt, so all are measured
    pen.font = `${weight} ${size} ${fontFamily}`
    return pen.measureText(text).width
  }
}
