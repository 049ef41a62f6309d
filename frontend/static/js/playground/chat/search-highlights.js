// @ts-check

const NAME = 'found'
let wanted = ''

/**
 * Mark a text wherever it is shown in the conversation; '' for none. Browsers that cannot mark go
 * without.
 * @param {string} text
 */
export function highlightMatches(text) {
  wanted = text.toLowerCase()
  refreshHighlights()
}

/** What is drawn has changed. */
export function refreshHighlights() {
  if (!('highlights' in CSS)) return
  CSS.highlights.delete(NAME)
  const chat = document.querySelector('[data-part="chat"]')
  if (wanted === '' || !chat) return
  CSS.highlights.set(NAME, new Highlight(...rangesIn(chat)))
}

/** @param {Node} root */
function rangesIn(root) {
  const ranges = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent?.toLowerCase() ?? ''
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      ranges.push(range)
    }
  }
  return ranges
}
