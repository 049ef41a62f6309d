// @ts-check

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../autosave.js').Autosave} Saver
 * @typedef {import('../../core/actions.js').Action} Action
 */

/**
 * Fields that write into the team as one types: their undo is the team's, which takes back a burst
 * of typing at once. Code has an undo of its own, and text that is no value yet is the field's.
 */
const OF_TEAM =
  '[data-form] :is(input, textarea, select)[data-pointer][data-kind]:not([data-unfinished]), [data-team-name]'

/**
 * What is done to the team as a whole, from anywhere on the page.
 * @param {Editor} editor
 * @param {Saver} saver
 * @param {() => void} search  go to the search of the palette
 * @returns {Action[]}
 */
export function pageActions(editor, saver, search) {
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'save',
      label: 'Save',
      icon: 'save',
      keys: ['mod+s'],
      inFields: true,
      run: () => void saver.save(),
    },
    {
      id: 'undo',
      label: 'Undo',
      icon: 'undo-2',
      keys: ['mod+z'],
      inFields: isOfTeam,
      when: () => (editor.store.past.length > 0 ? true : 'Nothing to undo.'),
      run: () => editor.undo(),
    },
    {
      id: 'redo',
      label: 'Redo',
      icon: 'redo-2',
      keys: ['mod+shift+z', 'mod+y'],
      inFields: isOfTeam,
      when: () => (editor.store.future.length > 0 ? true : 'Nothing to redo.'),
      run: () => editor.redo(),
    },
    {
      id: 'search-components',
      label: 'Search components',
      icon: 'search',
      keys: ['/'],
      run: search,
    },
  ]
  return list.map((each) => ({ ...each, needs: 'editor', group: 'Team', scope: 'page' }))
}

/** @param {Element} field */
function isOfTeam(field) {
  return field.matches(OF_TEAM)
}
