// @ts-check

export const MAX_IMAGE_BYTES = 5 * 1024 * 1024
const FORMATS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/**
 * Why a file cannot go with a task, or '' when it can.
 * @param {{name: string, type: string, size: number}} file
 */
export function refusal(file) {
  const name = file.name || 'The image'
  if (!FORMATS.includes(file.type))
    return `${name} is not a supported image. Use PNG, JPEG, GIF or WebP.`
  if (file.size <= MAX_IMAGE_BYTES) return ''
  return `${name} has ${(file.size / 1024 / 1024).toFixed(1)} MB. Images can be up to 5 MB.`
}

/**
 * @param {File} file
 * @returns {Promise<string>} data URL
 */
export function dataUrl(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(reader.error))
    reader.readAsDataURL(file)
  })
}

/**
 * What `POST /api/runs` takes as task.
 * @param {string} text
 * @param {string[]} pictures  data URLs
 * @returns {import('../types.js').Task}
 */
export function taskOf(text, pictures) {
  if (pictures.length === 0) return text
  return [...(text ? [text] : []), ...pictures.map((image) => ({ image }))]
}
