// Vercel's AI SDK: its chats by the UI message stream, and its models by the routes of OpenAI.
import assert from 'node:assert/strict'

import { createOpenAI } from '@ai-sdk/openai'
import { DefaultChatTransport, generateText, readUIMessageStream, streamText } from 'ai'

const { url, keys } = JSON.parse(process.argv[2])
const chatOf = (name) =>
  new DefaultChatTransport({ api: `${url}/d/${name}/ui`, headers: { Authorization: `Bearer ${keys[name]}` } })
const said = (text, id = crypto.randomUUID()) => ({ id, role: 'user', parts: [{ type: 'text', text }] })
const send = (chat, chatId, ...messages) => chat.sendMessages({ chatId, messages, trigger: 'submit-message' })

/** The message that a stream makes, as a page shows it at last. */
const read = async (stream) => {
  let last
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message
  return last
}
const textOf = ({ parts }) => parts.filter(({ type }) => type === 'text').map(({ text }) => text).join('')

const plain = chatOf('plain')
const chatId = crypto.randomUUID()
const first = said('Go.')
const answer = await read(await send(plain, chatId, first))
assert.equal(textOf(answer), 'The answer.')
assert.equal(answer.metadata.thread, chatId)
assert.ok(answer.metadata.usage.outputTokens > 0)
// The same message again is the same call, and a new one continues its thread.
assert.equal((await read(await send(plain, chatId, first))).id, answer.id)
const next = await read(await send(plain, chatId, first, answer, said('And?')))
assert.notEqual(next.metadata.call, answer.metadata.call)
assert.equal(await plain.reconnectToStream({ chatId }), null)
assert.equal(await plain.reconnectToStream({ chatId: 'no such chat'.replaceAll(' ', '-') }), null)

const open = await read(await send(chatOf('open'), crypto.randomUUID(), said('Go.')))
const reasoning = open.parts.filter(({ type }) => type === 'reasoning').map(({ text }) => text)
assert.deepEqual(reasoning, ['writer: One.', 'critic: Two.'])

const asks = chatOf('asks')
const asking = crypto.randomUUID()
const question = await read(await send(asks, asking, said('Write.')))
assert.match(textOf(question), /^A draft\./)
assert.equal(question.parts.filter(({ type }) => type === 'data-question').length, 1)
const done = await read(await send(asks, asking, said('Write.'), question, said('More.')))
assert.equal(textOf(done), 'Another draft.')
assert.equal(done.metadata.call, question.metadata.call)

await assert.rejects(
  plain.sendMessages({ chatId, messages: [first], trigger: 'regenerate-message', messageId: answer.id }),
  /regenerate-message/,
)
await assert.rejects(send(plain, chatId, { ...first, role: 'assistant' }), /last message/)

const openai = createOpenAI({ baseURL: `${url}/d/plain/v1`, apiKey: keys.plain })
for (const model of [openai.responses('plain'), openai.chat('plain')]) {
  const { text } = await generateText({ model, prompt: 'Go.', maxRetries: 0 })
  assert.equal(text, 'The answer.')
  let streamed = ''
  for await (const piece of streamText({ model, prompt: 'Go.', maxRetries: 0 }).textStream) streamed += piece
  assert.equal(streamed, 'The answer.')
}
