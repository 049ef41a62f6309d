// @ts-check

/**
 * A URL from a model's text, if a link may lead there.
 * @param {string} url
 * @returns {string | null}
 */
export function safeLink(url) {
  const trimmed = url.trim()
  if (/^(https?:\/\/|mailto:)/i.test(trimmed)) return trimmed
  return /^(#|\/(?!\/))/.test(trimmed) ? trimmed : null
}

/** Pictures come with the message or not at all. @param {string} url */
export function safePicture(url) {
  return /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(url) ? url : null
}
