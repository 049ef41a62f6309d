// @ts-check

/**
 * Server-sent events of an answer, each as soon as it is whole. Leaving the loop ends the
 * connection.
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<{ name: string, data: any, id: string }>}  `id` names the place in the stream
 */
export async function* readEvents(body) {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parse(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** @param {string} block  lines of one event; comments and settings of the connection are none */
function parse(block) {
  /** @type {Record<string, string>} */
  const fields = {}
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ')
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2)
  }
  return fields['event'] && fields['data']
    ? { name: fields['event'], data: JSON.parse(fields['data']), id: fields['id'] ?? '' }
    : null
}
