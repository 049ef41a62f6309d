// @ts-check
// The handoffs of an agent: bare names, or objects that say what the model reads and what the
// target is told.

/**
 * @typedef {string | { target: string, description?: string, name?: string, message?: string }}
 *   Handoff
 */

/**
 * @param {unknown} config
 * @returns {Handoff[]}
 */
export function handoffsIn(config) {
  const list = /** @type {any} */ (config)?.handoffs
  return Array.isArray(list) ? list : []
}

/**
 * @param {Handoff} handoff
 * @returns {string}
 */
export function targetOf(handoff) {
  const target = typeof handoff === 'string' ? handoff : handoff?.target
  return typeof target === 'string' ? target : ''
}

/**
 * What AutoGen writes where the author left it out.
 * @param {string} target
 */
function usual(target) {
  return {
    description: `Handoff to ${target}.`,
    name: `transfer_to_${target}`.toLowerCase(),
    message: `Transferred to ${target}, adopting the role of ${target} immediately.`,
  }
}

/**
 * The same handoff to somebody else; texts that nobody wrote by hand follow.
 * @param {Handoff} handoff
 * @param {string} target
 * @returns {Handoff}
 */
export function redirectedTo(handoff, target) {
  if (typeof handoff === 'string') return target
  const [old, next] = [usual(targetOf(handoff)), usual(target)]
  const texts = Object.entries(next).filter(
    ([key]) => /** @type {any} */ (handoff)[key] === /** @type {any} */ (old)[key],
  )
  return { ...handoff, target, ...Object.fromEntries(texts) }
}

/**
 * What the author had to say about it, for the edge on the canvas.
 * @param {Handoff} handoff
 */
export function labelOf(handoff) {
  if (typeof handoff === 'string' || targetOf(handoff) === '') return ''
  const { description, message } = usual(targetOf(handoff))
  if (handoff.message && handoff.message !== message) return handoff.message
  return handoff.description && handoff.description !== description ? handoff.description : ''
}
