// @ts-check

/**
 * @typedef {import('../canvas/gestures/keyboard-navigation.js').KeyboardNavigation} Roving
 * @typedef {import('../canvas/canvas.js').Canvas} Canvas
 * @typedef {import('../../core/actions.js').Action} Action
 */

/**
 * What changes the view of the canvas and not the team.
 * @param {Canvas} canvas
 * @param {Roving} roving
 * @returns {Action[]}
 */
export function viewActions(canvas, roving) {
  const go =
    (/** @type {import('../canvas/gestures/keyboard-navigation.js').Direction} */ direction) =>
    () =>
      roving.step(direction)
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    { id: 'go-left', label: 'Go left', icon: 'chevron-left', keys: ['arrowleft'], run: go('left') },
    {
      id: 'go-right',
      label: 'Go right',
      icon: 'chevron-right',
      keys: ['arrowright'],
      run: go('right'),
    },
    {
      id: 'go-up',
      label: 'Go up, or out of a card',
      icon: 'chevron-up',
      keys: ['arrowup'],
      run: go('up'),
    },
    {
      id: 'go-down',
      label: 'Go down, or into a card',
      icon: 'chevron-down',
      keys: ['arrowdown'],
      run: go('down'),
    },
    {
      id: 'zoom-in',
      label: 'Zoom in',
      icon: 'plus',
      keys: ['+'],
      run: () => canvas.viewport.zoomBy(1.2),
    },
    {
      id: 'zoom-out',
      label: 'Zoom out',
      icon: 'minus',
      keys: ['-'],
      run: () => canvas.viewport.zoomBy(1 / 1.2),
    },
    { id: 'fit', label: 'Zoom to fit', icon: 'maximize', keys: ['0'], run: () => canvas.fit() },
  ]
  return list.map((each) => ({ ...each, group: 'View', scope: 'canvas' }))
}
