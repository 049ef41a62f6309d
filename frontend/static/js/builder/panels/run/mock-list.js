// @ts-check
import { el, find, icon, on } from '../../../core/dom.js'
import { MOCK_WORDS, mocksIn, removeMock } from '../../document/mocks.js'

/**
 * What the next run replaces, above its task; all of it can be left out of a run, or removed.
 * @param {HTMLElement} root
 * @param {import('../../editor.js').Editor} editor
 * @param {AbortSignal} signal
 */
export function mockList(root, editor, signal) {
  const box = /** @type {HTMLInputElement} */ (find('input', root))
  const list = find('ul', root)
  const draw = () => {
    const mocks = mocksIn(editor.doc)
    root.hidden = mocks.length === 0
    find('[data-part="mocks-count"]', root).textContent =
      `Use ${mocks.length} ${mocks.length === 1 ? 'mock' : 'mocks'}`
    list.replaceChildren(
      ...mocks.map(({ place, pointer, title, mock }) =>
        el(
          'li',
          {},
          el(
            'button',
            {
              type: 'button',
              class: 'chip plain',
              'data-mock-go': pointer ?? '',
              disabled: pointer === undefined,
            },
            el(
              'span',
              {},
              `${title}: ${pointer === undefined ? 'gone' : MOCK_WORDS[mock.kind].toLowerCase()}`,
            ),
          ),
          el(
            'button',
            {
              type: 'button',
              class: 'button quiet small icon-only',
              'data-mock-remove': place,
              'aria-label': `Stop mocking ${title}`,
              title: `Stop mocking ${title}`,
            },
            icon('x'),
          ),
        ),
      ),
    )
  }
  on(
    list,
    'click',
    '[data-mock-go]',
    (_event, button) => editor.select(button.dataset['mockGo'] ?? ''),
    signal,
  )
  on(
    list,
    'click',
    '[data-mock-remove]',
    (_event, button) => {
      const place = button.dataset['mockRemove'] ?? ''
      const title = mocksIn(editor.doc).find((each) => each.place === place)?.title ?? ''
      editor.run(removeMock(place, title))
    },
    signal,
  )
  editor.addEventListener('doc', draw, { signal })
  draw()
  return {
    get areUsed() {
      return !root.hidden && box.checked
    },
  }
}
