// @ts-check

/**
 * A URL from a model's text, if a link may lead there.
 * @param {string} url
 * @returns {string | null}
 */
export function safeLink(url) {
  const trimmed = url.trim()
  if (/[\p{Cc}\s\\]/u.test(trimmed)) return null // browsers read past them: `/\host` leads to another host
  if (/^(https?:\/\/|mailto:)/i.test(trimmed)) return trimmed
  return /^(#|\/(?!\/))/.test(trimmed) ? trimmed : null
}

/**
 * Pictures come with the message or not at all.
 * @param {string} url
 */
export function safePicture(url) {
  return /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(url) ? url : null
}

/**
 * The host that an address leads to, as nobody can fake it: without names before an @, and in
 * ASCII.
 * @param {string} url
 */
export function hostOf(url) {
  return /^https?:/i.test(url) && URL.canParse(url) ? new URL(url).host : ''
}
