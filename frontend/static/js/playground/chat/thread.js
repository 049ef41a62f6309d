// @ts-check
/** @import {Batch, Body, Chunk, Entry, Excerpt, Item, Pending} from '../types.js' */
import { Decisions } from '../decisions.js'
import { excerptsIn, foundWords } from './citations.js'
import { memoryPart, noteOf, partsOf, usageOf, wordsOf } from './message-parts.js'
import { filesGiven, filesOf, withoutFileTexts } from '../files/file-words.js'
import { EXPLAINED_PAUSES, commandText, ending, hasEnded } from '../run-status.js'
import { StreamedText } from './streamed-text.js'
import { Termination } from '../termination.js'
import { OpenCalls, callsOf } from './tool-calls.js'

/**
 * Ids of finished messages that are kept, so that a long run needs no more memory than a short one.
 */
const FINISHED_KEPT = 500

/** Commands that begin a run with entries of another one. */
const GOES_ON = new Set(['fork', 'rerun', 'replay'])

/**
 * Turns the log and the chunks between its entries into the items of the conversation.
 * It keeps only what can still change: open calls, messages being written, open questions.
 */
export class Thread {
  /** @type {Set<Item>} new or changed since `takeChanges()` */
  #changed = new Set()
  /** @type {Set<string>} keys to take away */
  #removed = new Set()
  #calls = new OpenCalls()
  #decisions = new Decisions()
  #termination = new Termination()
  /** @type {Map<string, string>} see `Item.sources` */
  #sources = new Map()
  /** Who asked the run to end; the line at its end says so. */
  #endedBy = ''
  /** @type {Map<string, {item: Item, streamed: StreamedText}>} by message id */
  #streams = new Map()
  /** @type {Map<string, Item>} by request id */
  #questions = new Map()
  /** @type {Set<string>} ids of finished messages: a late chunk must not open them again */
  #done = new Set()
  /**
   * What a person has put into the conversation and the team has not heard.
   * @type {Item[]}
   */
  #unheard = []
  /**
   * The last message: the only one that a person can still change.
   * @type {{id: string, item: Item} | null}
   */
  #last = null
  /** Whether the last entry was the end: a piece that comes now was on its way before it. */
  #isOver = false

  /** @param {Batch} batch */
  apply(batch) {
    for (const entry of batch.entries) this.#entry(entry)
    for (const chunk of batch.chunks) this.#chunk(chunk)
    if (batch.state?.pending) this.#ask(batch.state.pending, '')
    for (const item of this.#calls.progressed(batch.state?.progress ?? [])) this.#changed.add(item)
  }

  /** What changed since the last call. */
  takeChanges() {
    const changes = { items: [...this.#changed], removed: [...this.#removed] }
    this.#changed.clear()
    this.#removed.clear()
    return changes
  }

  /** @param {Entry} entry */
  #entry(entry) {
    const { kind, body } = entry
    this.#isOver = false
    if (kind === 'message') this.#message(entry)
    else if (kind === 'event') this.#event(entry)
    else if (kind === 'explanation') this.#explanation(entry)
    else if (kind === 'command') this.#command(entry)
    else if (hasEnded(body.state)) this.#end(entry)
    else if (body.pending) this.#ask(body.pending, entry.at, entry.seq)
    else if (body.state === 'paused' && EXPLAINED_PAUSES[body.reason]) {
      this.#add(entry, { kind: 'command', label: EXPLAINED_PAUSES[body.reason] })
    }
  }

  /** @param {Entry} entry */
  #explanation(entry) {
    if (entry.body.type === 'SpeakerDecisionEvent') this.#decisions.add(entry.body)
    else this.#termination.add(entry)
  }

  /** @param {Entry} entry */
  #message(entry) {
    const { body } = entry
    const streamed = this.#closeStream(body) || this.#heard(body)
    for (const [id, question] of this.#questions) {
      if (question.source === body.source) this.#answered(id)
    }
    const isHandoff = body.type === 'HandoffMessage'
    const item = this.#add(entry, {
      key: streamed,
      kind: isHandoff ? 'handoff' : 'message',
      parts: partsOf(withoutFileTexts(body)),
      files: filesOf(body),
      usage: usageOf(body.models_usage),
      label: isHandoff ? String(body.target ?? '') : '',
      sources: this.#sources,
    })
    this.#last = { id: body.id, item }
  }

  /**
   * @param {Body} body
   * @returns {string} key of the item that showed these words before the team heard them, or ''
   */
  #heard(body) {
    if (body.metadata?.handed_in_by === undefined) return ''
    const text = wordsOf(partsOf(withoutFileTexts(body)))
    const place = this.#unheard.findIndex(
      (item) => item.source === body.source && wordsOf(item.parts) === text,
    )
    return place < 0 ? '' : (this.#unheard.splice(place, 1)[0]?.key ?? '')
  }

  /** @param {Entry} entry */
  #said({ seq, at, body }) {
    const item = this.#add(
      { seq: 0, at, kind: 'command', body: { source: body.source || 'user' } },
      {
        key: `said-${seq}`,
        kind: 'message',
        parts: partsOf({ content: body.text }),
        files: filesGiven(body),
        state: 'waiting',
      },
    )
    this.#unheard.push(item)
  }

  /**
   * What the others hear takes the place of what was written.
   * @param {Body} body
   */
  #edited(body) {
    if (!this.#last || this.#last.id !== body.message_id) return
    const { item } = this.#last
    const parts =
      typeof body.text === 'string'
        ? [{ kind: /** @type {const} */ ('text'), value: body.text }]
        : []
    this.#changed.add(Object.assign(item, { parts, written: item.written ?? item.parts }))
  }

  /** @param {Entry} entry */
  #event(entry) {
    const { body } = entry
    const usage = usageOf(body.models_usage)
    const parts = partsOf(body)
    const excerpts = excerptsIn(body)
    if (excerpts.length > 0) return this.#found(entry, excerpts)
    switch (body.type) {
      case 'ToolCallRequestEvent':
        return this.#request(entry)
      case 'ToolCallExecutionEvent':
        return this.#execution(entry)
      case 'ThoughtEvent':
        this.#add(entry, { key: this.#closeStream(body), kind: 'thought', parts, usage })
        return
      case 'UserInputRequestedEvent':
        return this.#ask(
          {
            request_id: body.request_id,
            prompt: body.metadata?.prompt ?? body.content ?? '',
            source: body.source,
          },
          entry.at,
          entry.seq,
        )
      case 'MemoryQueryEvent':
        this.#add(entry, {
          kind: 'note',
          label: 'Looked up in memory',
          parts: (body.content ?? []).map(memoryPart),
        })
        return
      case 'SelectSpeakerEvent':
        this.#add(entry, { kind: 'note', label: `Next: ${[body.content].flat().join(', ')}` })
        return
      case 'CodeGenerationEvent':
        this.#add(entry, { kind: 'message', parts, usage })
        return
      case 'CodeExecutionEvent':
        this.#add(entry, {
          kind: 'code',
          label: String(body.result?.exit_code ?? ''),
          parts: partsOf({ content: body.result?.output }),
          files: filesOf(body),
        })
        return
      default:
        this.#add(entry, { kind: 'note', ...noteOf(body), usage })
    }
  }

  /**
   * @param {Entry} entry
   * @param {Excerpt[]} excerpts
   */
  #found(entry, excerpts) {
    for (const { base, file } of excerpts) this.#sources.set(file, base)
    this.#add(entry, { label: foundWords(excerpts), excerpts })
  }

  /** @param {Entry} entry */
  #request(entry) {
    this.#closeStream(entry.body)
    const calls = callsOf(entry.body)
    this.#calls.opened(
      this.#add(entry, { kind: 'tools', calls, usage: usageOf(entry.body.models_usage) }),
    )
  }

  /** @param {Entry} entry */
  #execution(entry) {
    const { items, orphans } = this.#calls.answered(entry)
    for (const item of items) this.#changed.add(item)
    if (orphans.length > 0) this.#add(entry, { kind: 'tools', calls: orphans })
  }

  /** @param {Entry} entry */
  #command(entry) {
    const { command, by, request_id: id } = entry.body
    if (command === 'answer') return this.#answered(String(id))
    if (command === 'edit' || command === 'amend') this.#edited(entry.body)
    if (command === 'decide')
      for (const item of this.#calls.decided(entry.body, entry.at)) this.#changed.add(item)
    if (command === 'inject') return this.#said(entry)
    // said to another run
    if (GOES_ON.has(String(command))) for (const item of this.#unheard.splice(0)) this.#drop(item)
    if (command === 'stop' || command === 'cancel') this.#endedBy = String(by || 'user')
    const label = commandText(String(command), String(by ?? ''), entry.body)
    if (label) this.#add(entry, { kind: 'command', label })
  }

  /** @param {Entry} entry */
  #end(entry) {
    this.#isOver = true
    for (const [id, { item }] of this.#streams) {
      this.#streams.delete(id)
      this.#changed.add(Object.assign(item, { streaming: false }))
    }
    for (const item of this.#unheard) this.#changed.add(Object.assign(item, { state: 'unheard' }))
    for (const item of this.#questions.values())
      this.#changed.add(Object.assign(item, { answer: 'unanswered' }))
    this.#questions.clear()
    const outcome = entry.body.state === 'cancelled' ? 'cancelled' : 'no result'
    for (const item of this.#calls.ended(outcome)) this.#changed.add(item)
    const because = entry.body.reason === 'condition' ? this.#termination.because : ''
    const { line, more } = ending(entry.body, { by: this.#endedBy, because })
    const { agent = '', model = '' } = entry.body.error ?? {}
    this.#add(entry, {
      kind: 'end',
      label: line,
      state: entry.body.state,
      parts: more ? [{ kind: 'text', value: more }] : [],
      ...(model ? { culprit: { agent, model } } : {}),
    })
  }

  /**
   * @param {Pending} pending
   * @param {string} at
   * @param {number} [seq]
   */
  #ask(pending, at, seq = 0) {
    for (const item of this.#calls.asked(pending)) this.#changed.add(item)
    // those of the studio are asked above the composer
    if (pending.kind && pending.kind !== 'input') return
    const known = this.#questions.get(pending.request_id)
    if (known) {
      const isNews =
        (pending.prompt && !known.label) ||
        (pending.details && !known.details) ||
        (seq && !known.seq)
      if (isNews)
        this.#changed.add(
          Object.assign(known, {
            label: known.label || pending.prompt,
            details: pending.details ?? {},
            seq: known.seq || seq,
            at: known.at || at,
          }),
        )
      return
    }
    if (this.#done.has(pending.request_id)) return
    const item = this.#add(
      { seq, at, kind: 'event', body: { source: pending.source } },
      {
        key: `ask-${pending.request_id}`,
        kind: 'input',
        label: pending.prompt,
        requestId: pending.request_id,
        details: pending.details,
        answer: 'open',
      },
    )
    this.#questions.set(pending.request_id, item)
  }

  /** @param {string} requestId */
  #answered(requestId) {
    const item = this.#questions.get(requestId)
    this.#finished(requestId)
    if (!item) return
    this.#questions.delete(requestId)
    this.#changed.add(Object.assign(item, { answer: 'answered' }))
  }

  /** @param {Chunk} chunk */
  #chunk(chunk) {
    if (this.#isOver || this.#done.has(chunk.message_id)) return
    let open = this.#streams.get(chunk.message_id)
    if (!open) {
      const item = this.#add(
        { seq: 0, at: '', kind: 'message', body: { source: chunk.source } },
        { kind: 'message', streaming: true, key: `msg-${chunk.message_id}` },
      )
      this.#streams.set(chunk.message_id, (open = { item, streamed: new StreamedText() }))
    }
    if (open.streamed.add(chunk.offset, chunk.text) === '') return
    open.item.parts = [{ kind: 'text', value: open.streamed.text }]
    this.#changed.add(open.item)
  }

  /**
   * A logged message ends the message its agent was writing.
   * @param {Body} body
   * @returns {string} key of the item that the message takes over, or ''
   */
  #closeStream(body) {
    this.#finished(body.id)
    const open = this.#streams.get(body.id)
    for (const [id, { item }] of this.#streams) {
      if (item.source !== body.source) continue
      this.#streams.delete(id)
      this.#finished(id)
      if (id !== body.id) this.#drop(item)
    }
    return open?.item.key ?? ''
  }

  /**
   * Late pieces come soon or never.
   * @param {string} id
   */
  #finished(id) {
    this.#done.add(id)
    if (this.#done.size > FINISHED_KEPT) this.#done.delete(this.#done.values().next().value ?? '')
  }

  /** @param {Item} item */
  #drop(item) {
    this.#changed.delete(item)
    this.#removed.add(item.key)
  }

  /**
   * @param {Entry} entry
   * @param {Partial<Item>} fields
   * @returns {Item}
   */
  #add(entry, fields) {
    /** @type {Item} */
    const item = {
      seq: entry.seq,
      at: entry.at,
      kind: 'note',
      source: String(entry.body.source ?? ''),
      parts: [],
      usage: null,
      calls: [],
      label: '',
      streaming: false,
      requestId: '',
      answer: '',
      state: '',
      why: [],
      ...fields,
      key: fields.key || `seq-${entry.seq}`,
    }
    if (item.kind !== 'command' && item.kind !== 'end')
      item.why = this.#decisions.takeFor(item.source)
    this.#changed.add(item)
    return item
  }
}
