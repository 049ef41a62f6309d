// @ts-check
// Runs on a site that shows a chat page: a button in the corner that opens the page in a frame. The browser shows it
// only where the deployment lists the site.
{
  const script = /** @type {HTMLScriptElement} */ (document.currentScript)
  const page = new URL('../chat', script.src)
  const title = script.dataset['title'] || 'Chat'
  page.hash = script.dataset['link'] ?? ''

  const frame = document.createElement('iframe')
  frame.title = title
  frame.hidden = true
  Object.assign(frame.style, {
    position: 'fixed',
    insetBlockEnd: '80px',
    insetInlineEnd: '16px',
    inlineSize: 'min(400px, calc(100vw - 32px))',
    blockSize: 'min(620px, calc(100dvh - 104px))',
    border: '1px solid #8888',
    borderRadius: '12px',
    boxShadow: '0 12px 40px #0003',
    colorScheme: 'auto',
    zIndex: '2147483000',
  })

  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = title
  button.setAttribute('aria-expanded', 'false')
  Object.assign(button.style, {
    position: 'fixed',
    insetBlockEnd: '16px',
    insetInlineEnd: '16px',
    minBlockSize: '48px',
    padding: '0 20px',
    border: '0',
    borderRadius: '24px',
    background: '#3347c4',
    color: '#fff',
    font: '600 15px system-ui, sans-serif',
    cursor: 'pointer',
    zIndex: '2147483000',
  })

  /** @param {boolean} isOpen */
  const show = (isOpen) => {
    if (isOpen && !frame.src) frame.src = page.href
    frame.hidden = !isOpen
    button.setAttribute('aria-expanded', String(isOpen))
    if (isOpen) frame.focus()
    else button.focus()
  }
  button.addEventListener('click', () => show(frame.hidden === true))
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !frame.hidden) show(false)
  })

  const add = () => document.body.append(frame, button)
  if (document.body) add()
  else document.addEventListener('DOMContentLoaded', add)
}
