// @ts-check

/**
 * Brings back what was asked before, as a shell does: the arrow up in an empty box, and on from
 * there.
 * @param {HTMLTextAreaElement} text
 * @param {() => string[]} tasks  the newest first
 * @param {(task: string) => void} fill
 */
export function pastTasks(text, tasks, fill) {
  let place = -1
  text.addEventListener('input', () => {
    place = -1
  })
  text.addEventListener('keydown', (event) => {
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (
      !way ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.isComposing
    )
      return
    const all = tasks()
    const isRecalled = place >= 0 && text.value === all[place]
    if (!isRecalled && (text.value !== '' || way < 0)) return
    const next = isRecalled ? place + way : 0
    if (next >= all.length) return
    event.preventDefault()
    place = next
    fill(all[next] ?? '')
  })
}
