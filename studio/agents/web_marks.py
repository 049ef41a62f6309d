"""Scripts for a page: what a person could click or fill in, marked with numbers on the picture.

They run against handles that the page cannot reach, and leave nothing behind in it.
"""

from __future__ import annotations

COLLECT = """() => {
  const wanted = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=link], '
    + '[role=checkbox], [role=radio], [role=tab], [role=menuitem], [role=option], [role=combobox], [role=textbox], '
    + '[role=switch], [contenteditable=""], [contenteditable=true], [onclick], [tabindex]:not([tabindex="-1"])'
  const found = []
  const look = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) look(element.shadowRoot)
      if (!element.matches(wanted)) continue
      const box = element.getBoundingClientRect()
      const style = getComputedStyle(element)
      if (box.width < 2 || box.height < 2 || style.visibility === 'hidden' || element.disabled) continue
      found.push(element)
    }
  }
  look(document)
  return found
}"""
"""The elements to act on, in document order."""

DESCRIBE = """(elements) => elements.map((element, index) => {
  const box = element.getBoundingClientRect()
  const labels = element.labels ? Array.from(element.labels).map((label) => label.innerText).join(' ') : ''
  const own = element.tagName === 'INPUT' && ['submit', 'button', 'reset'].includes(element.type) ? element.value : ''
  const name = element.getAttribute('aria-label') || labels || own || element.innerText || element.placeholder
    || element.title || element.alt || element.name || ''
  const place = box.bottom <= 0 ? 'above' : box.top >= innerHeight ? 'below' : 'here'
  const active = element.getRootNode().activeElement === element && element !== document.body
  return {
    id: index + 1, tag: element.tagName.toLowerCase(), role: element.getAttribute('role') || element.type || '',
    name: name.trim().replace(/\\s+/g, ' ').slice(0, 100), place, focused: active,
  }
})"""
"""What each of them is."""

DRAW = """(elements) => {
  const sheet = document.createElement('div')
  Object.assign(sheet.style, { position: 'fixed', inset: '0', pointerEvents: 'none', zIndex: '2147483647' })
  const colours = ['#d7263d', '#1b6ec2', '#2a7f3f', '#8a3ffc', '#b45f06', '#00707a']
  elements.forEach((element, index) => {
    const box = element.getBoundingClientRect()
    if (box.bottom <= 0 || box.top >= innerHeight) return
    const colour = colours[index % colours.length]
    const frame = document.createElement('div')
    Object.assign(frame.style, { position: 'fixed', left: `${box.left}px`, top: `${box.top}px`,
      width: `${box.width}px`, height: `${box.height}px`, border: `2px solid ${colour}`, boxSizing: 'border-box' })
    const mark = document.createElement('div')
    mark.textContent = String(index + 1)
    Object.assign(mark.style, { position: 'fixed', left: `${Math.max(0, box.left)}px`,
      top: `${Math.max(0, box.top - 14)}px`, background: colour, color: '#fff', font: 'bold 12px/14px sans-serif',
      padding: '0 3px' })
    sheet.append(frame, mark)
  })
  document.documentElement.append(sheet)
  return sheet
}"""
"""Frames and numbers over those in view; gives the sheet that they are drawn on."""

VIEWPORT = """() => ({
  top: scrollY, height: innerHeight, whole: document.documentElement.scrollHeight,
  description: document.querySelector('meta[name=description]')?.content || '',
})"""

VISIBLE_TEXT = """() => {
  const lines = []
  const walker = document.createTreeWalker(document.body || document.documentElement, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  while (walker.nextNode()) {
    const node = walker.currentNode
    const text = node.textContent.trim()
    if (!text || !node.parentElement || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(node.parentElement.tagName)) continue
    range.selectNodeContents(node)
    const box = range.getBoundingClientRect()
    if (box.height > 0 && box.bottom > 0 && box.top < innerHeight) lines.push(text.replace(/\\s+/g, ' '))
  }
  return lines.join('\\n')
}"""

WHOLE_TEXT = "() => (document.body || document.documentElement).innerText"
