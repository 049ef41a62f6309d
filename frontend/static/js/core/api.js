// @ts-check

/**
 * One finding of the server about one place of a document.
 * @typedef {{ code: string, message: string, fix: string, where: string, fixes?: Fix[] }} Finding
 */

/**
 * A remedy that a press carries out: `value` is written at `pointer`.
 * @typedef {{ label: string, pointer: string, value: unknown }} Fix
 */

/** What the server answered instead of what was asked for. Its parts are made for people. */
export class ApiError extends Error {
  /**
   * @param {number} status  0 when no answer came
   * @param {Partial<Finding>} error
   * @param {Record<string, unknown>} body  the whole answer, for example `findings` or `missing`
   */
  constructor(status, error, body = {}) {
    super(error.message || 'The studio gave no reason.')
    this.name = 'ApiError'
    this.status = status
    this.code = error.code ?? 'unknown'
    this.fix = error.fix ?? ''
    this.where = error.where ?? ''
    this.body = body
  }
}

/** @returns {string} */
function csrfToken() {
  return document.querySelector('meta[name="csrf-token"]')?.getAttribute('content') ?? ''
}

/**
 * `key` opens a deployment, as programs do; with it nothing else is sent that says who this is.
 * @typedef {{ json?: unknown, form?: FormData, signal?: AbortSignal, as?: 'json' | 'text' |
 *   'stream', keepalive?: boolean, key?: string }} RequestOptions
 */

/**
 * With its progress, which `fetch` does not tell.
 * @param {string} url
 * @param {Blob} file
 * @param {{ progress?: (done: number) => void, signal?: AbortSignal }} options
 * @returns {Promise<any>}
 */
function sendFile(url, file, { progress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader('X-Studio-CSRF', csrfToken())
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      progress?.(total > 0 ? loaded / total : 0),
    )
    request.addEventListener('load', () => {
      if (request.status < 400) resolve(JSON.parse(request.responseText))
      else reject(errorFrom(request.status, request.responseText))
    })
    request.addEventListener('error', () => reject(unreachable()))
    request.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    if (signal?.aborted) reject(new DOMException('', 'AbortError'))
    else request.send(file)
  })
}

const ACCEPTED = {
  json: 'application/json',
  text: 'text/html, text/plain',
  stream: 'text/event-stream',
}

/**
 * @param {string} method
 * @param {string} url
 * @param {RequestOptions} options
 * @returns {Promise<any>}
 */
async function request(method, url, { json, form, signal, as = 'json', keepalive = false, key }) {
  /** @type {Record<string, string>} */
  const headers = { Accept: ACCEPTED[as] }
  if (key !== undefined) headers['Authorization'] = `Bearer ${key}`
  else if (method !== 'GET') headers['X-Studio-CSRF'] = csrfToken()
  if (json !== undefined) headers['Content-Type'] = 'application/json'
  const body = form ?? (json === undefined ? null : JSON.stringify(json))
  const response = await send(url, {
    method,
    headers,
    body,
    signal: signal ?? null,
    keepalive,
    credentials: key === undefined ? 'same-origin' : 'omit',
  })
  if (as === 'stream' && response.ok) return response.body
  const text = await response.text()
  if (!response.ok) throw errorFrom(response.status, text)
  if (as === 'text') return text
  return text === '' ? null : JSON.parse(text)
}

/**
 * @param {string} url
 * @param {RequestInit} init
 */
async function send(url, init) {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreachable()
  }
}

function unreachable() {
  return new ApiError(0, {
    code: 'unreachable',
    message: 'The studio is not responding.',
    fix: 'Is it still running? Try again.',
  })
}

/**
 * @param {number} status
 * @param {string} text
 */
function errorFrom(status, text) {
  try {
    const body = JSON.parse(text)
    return new ApiError(status, body.error ?? { message: text.slice(0, 300) }, body)
  } catch {
    return new ApiError(status, {
      code: 'http',
      message: `The studio answered with status ${status}.`,
    })
  }
}

/** JSON in, JSON out, with the CSRF header on every change. Rejects with `ApiError`. */
export const api = {
  /**
   * @param {string} url
   * @param {RequestOptions} [options]
   */
  get: (url, options = {}) => request('GET', url, options),
  /**
   * @param {string} url
   * @param {unknown} json
   * @param {RequestOptions} [options]
   */
  post: (url, json, options = {}) => request('POST', url, { ...options, json }),
  /**
   * @param {string} url
   * @param {unknown} json
   * @param {RequestOptions} [options]
   */
  put: (url, json, options = {}) => request('PUT', url, { ...options, json }),
  /**
   * @param {string} url
   * @param {unknown} json
   * @param {RequestOptions} [options]
   */
  patch: (url, json, options = {}) => request('PATCH', url, { ...options, json }),
  /**
   * @param {string} url
   * @param {RequestOptions} [options]
   */
  delete: (url, options = {}) => request('DELETE', url, options),
  /**
   * @param {string} url
   * @param {FormData} form
   * @param {RequestOptions} [options]
   */
  upload: (url, form, options = {}) => request('POST', url, { ...options, form }),
  /** A file as the body. */
  sendFile,
  /**
   * Bytes as they come.
   * @param {string} url
   * @param {unknown} json
   * @param {RequestOptions} [options]
   * @returns {Promise<ReadableStream<Uint8Array>>}
   */
  stream: (url, json, options = {}) => request('POST', url, { ...options, json, as: 'stream' }),
  /**
   * HTML from a fragment route.
   * @param {string} url
   * @param {unknown} json
   * @param {RequestOptions} [options]
   */
  html: (url, json, options = {}) => request('POST', url, { ...options, json, as: 'text' }),
}
