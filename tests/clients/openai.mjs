// The package `openai` for Node.js: what it does of Responses and Chat Completions, and how it tries again.
import assert from 'node:assert/strict'

import OpenAI from 'openai'

const { url, keys } = JSON.parse(process.argv[2])
const clientOf = (name, options = {}) =>
  new OpenAI({ baseURL: `${url}/d/${name}/v1`, apiKey: keys[name], maxRetries: 0, ...options })
const collect = async (stream) => {
  const found = []
  for await (const each of stream) found.push(each)
  return found
}

const plain = clientOf('plain')
assert.deepEqual((await plain.models.list()).data.map(({ id }) => id), ['plain'])
const messages = [{ role: 'user', content: 'Go.' }]
const completion = await plain.chat.completions.create({ model: 'plain', messages })
assert.equal(completion.choices[0].message.content, 'The answer.')
const chunks = await collect(await plain.chat.completions.create({ model: 'plain', messages, stream: true }))
assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), 'The answer.')

const response = await plain.responses.create({ model: 'plain', input: 'Go.' })
assert.equal(response.output_text, 'The answer.')
const conversation = await plain.conversations.create()
await plain.responses.create({ model: 'plain', input: 'Go.', conversation: conversation.id })
const second = await plain.responses.create({ model: 'plain', input: 'And?', conversation: conversation.id })
assert.equal(second.status, 'completed')

// A stream that is dropped in the middle is taken up behind the event that came last.
const open = clientOf('open')
const begun = await open.responses.create({ model: 'open', input: 'Go.', background: true, stream: true })
const seen = []
for await (const event of begun) {
  seen.push(event)
  if (seen.length === 3) break
}
const id = seen[0].response.id
const rest = await collect(
  await open.responses.retrieve(id, { stream: true, starting_after: seen.at(-1).sequence_number }),
)
const whole = await collect(await open.responses.retrieve(id, { stream: true }))
assert.deepEqual([...seen, ...rest].map((event) => event.type), whole.map((event) => event.type))
assert.deepEqual([...seen, ...rest].map((event) => event.sequence_number), whole.map((_, index) => index))
assert.equal(whole.at(-1).type, 'response.completed')

// A question completes a response, and the next one answers it.
const asks = clientOf('asks')
const question = await asks.responses.create({ model: 'asks', input: 'Write.' })
const answered = await asks.responses.create({ model: 'asks', input: 'More.', previous_response_id: question.id })
assert.equal(answered.output_text, 'Another draft.')

// What a response was made from is listed; a response and a conversation are deleted.
const kept = await plain.responses.create({ model: 'plain', input: 'Go away.' })
const { data: given } = await plain.responses.inputItems.list(kept.id)
assert.deepEqual(given.map((item) => item.content[0].text), ['Go away.'])
await plain.responses.delete(kept.id)
await assert.rejects(plain.responses.retrieve(kept.id), OpenAI.NotFoundError)
const forgotten = await plain.conversations.create()
await plain.responses.create({ model: 'plain', input: 'Go.', conversation: forgotten.id })
assert.equal((await plain.conversations.delete(forgotten.id)).deleted, true)

// What it sends three times, since it never got an answer, is one call.
let sent = 0
const lossy = async (...request) => {
  const answer = await fetch(...request)
  sent += 1
  if (sent < 3) throw new TypeError('The connection was lost.')
  return answer
}
const retrying = clientOf('once', { maxRetries: 2, fetch: lossy })
const last = await retrying.responses.create({ model: 'once', input: 'Go once.' })
assert.equal(last.output_text, 'The answer.')
assert.equal(sent, 3)

const stranger = new OpenAI({ baseURL: `${url}/d/plain/v1`, apiKey: 'sk-studio-wrong', maxRetries: 0 })
await assert.rejects(stranger.responses.create({ model: 'plain', input: 'Go.' }), OpenAI.AuthenticationError)
