// @ts-check

/** @type {Map<string, HTMLElement>} */
const regions = new Map()

/**
 * The live region of the page with this ID. While a modal dialog is open it stands in it, since
 * what is outside can neither be pressed nor is it read out.
 * @param {string} id
 */
export function liveRegion(id) {
  const region = regions.get(id) ?? document.getElementById(id)
  if (!region) return null
  regions.set(id, region) // a dialog that leaves the page takes it along
  settle(region)
  return region
}

/** @param {HTMLElement} region */
function settle(region) {
  const open = [...document.querySelectorAll('dialog:modal')]
  const dialog = open.find((each) => each.contains(document.activeElement)) ?? open.at(-1)
  const place = dialog ?? document.body
  if (region.parentElement === place) return
  place.append(region)
  dialog?.addEventListener('close', () => settle(region), { once: true })
}
