// @ts-check
import { api } from '../../core/api.js'
import { ask } from '../../core/dialog.js'
import { el, icon } from '../../core/dom.js'
import { toast, toastError } from '../../core/toast.js'

/** @typedef {import('../save.js').Saver} Saver @typedef {{ number: number, at: string, note?: string | null }} Version */

/** Fill the menu of versions each time it opens. @param {HTMLElement} menu @param {Saver} saver @param {AbortSignal} signal */
export function versions(menu, saver, signal) {
  const url = `/api/teams/${encodeURIComponent(saver.id)}/versions`
  menu.addEventListener('beforetoggle', (event) => {
    if (event.newState === 'open') void fill()
  }, { signal })

  async function fill() {
    menu.replaceChildren(item('flag', 'Name this version…', () => void name(saver)), el('div', { class: 'menu-separator' }))
    try {
      /** @type {Version[]} */
      const found = await api.get(url)
      const shown = found.toSorted((a, b) => b.number - a.number).slice(0, 30)
      menu.append(...shown.map((each, index) => item('history', '', () => void restore(each), label(each, index === 0))))
    } catch (error) {
      toastError(error)
    }
  }

  /** @param {Version} version */
  async function restore(version) {
    try {
      await saver.save()
      await api.post(`${url}/${version.number}/restore`, {})
      await saver.reload(`Restored version ${version.number}`)
      toast(`Version ${version.number} is back.`, { tone: 'success' })
    } catch (error) {
      toastError(error)
    }
  }
}

/** @param {string} glyph @param {string} text @param {() => void} run @param {Node} [body] */
function item(glyph, text, run, body) {
  return el('button', { type: 'button', class: 'menu-item', on: { click: run } }, icon(glyph), body ?? text)
}

/** @param {Version} version @param {boolean} isLatest */
function label(version, isLatest) {
  const at = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(version.at))
  return el('span', { class: 'version' }, el('span', {}, version.note || `Version ${version.number}`), el('span', { class: 'muted small' }, isLatest ? `${at} · latest` : at))
}

/** @param {Saver} saver */
async function name(saver) {
  const input = el('input', { class: 'input', id: 'version-note', maxlength: '120', placeholder: 'Before the new prompt' })
  const body = el('div', { class: 'field' }, el('label', { for: 'version-note' }, 'Name'), input)
  const answer = await ask({ title: 'Name this version', body, choices: [{ value: 'ok', label: 'Save', tone: 'primary' }] })
  if (answer === 'ok' && input.value.trim() && (await saver.save({ note: input.value.trim() }))) toast('Version named.', { tone: 'success' })
}
