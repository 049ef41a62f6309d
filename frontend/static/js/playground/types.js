// @ts-check
/**
 * The shapes that come from the server, and the items of the conversation that are made of them.
 *
 * @typedef {{[key: string]: any}} Body  JSON object; its fields depend on the kind and on `type`
 *
 * @typedef {object} Entry  one entry of the run's log
 * @property {number} seq  rises by the log's order; gaps are entries that pages are not sent
 * @property {string} at  UTC, ISO 8601
 * @property {'message' | 'event' | 'explanation' | 'command' | 'state'} kind
 * @property {Body} body
 *
 * @typedef {object} Chunk  a piece of a message that is still being written
 * @property {string} message_id
 * @property {string} source
 * @property {number} offset  where `text` starts in the message
 * @property {string} text
 *
 * @typedef {{request_id: string, prompt: string, source: string}} Pending  a question to the person
 *
 * @typedef {object} RunState
 * @property {string} state
 * @property {string} reason
 * @property {Pending | null} pending
 * @property {boolean} [finishing]  told to pause or stop; what it has begun still comes
 * @property {string} [detail]  how it ended, in words
 * @property {Usage} [usage]  of all model calls so far
 * @property {number} [last_seq]  the log's newest entry when this was so
 *
 * @typedef {{prompt_tokens: number, completion_tokens: number}} Usage
 *
 * @typedef {object} Run
 * @property {string} id
 * @property {string | null} team_id
 * @property {string} team_name
 * @property {Body} component
 * @property {Task} task
 * @property {string} state
 * @property {string} reason
 * @property {Pending | null} pending
 * @property {number} last_seq
 * @property {string} [detail]
 * @property {Usage} usage
 *
 * @typedef {object} RunSummary
 * @property {string} id
 * @property {string} team_id
 * @property {Task} task
 * @property {string} state
 * @property {string} reason
 * @property {string} started_at
 * @property {Usage | null} usage
 *
 * @typedef {string | (string | Body)[]} Task
 *
 * @typedef {{kind: string, text: string, detail: string, hash: string, where: string}} Capability
 *
 * @typedef {object} Batch  what arrived since the last frame
 * @property {Entry[]} entries
 * @property {Chunk[]} chunks
 * @property {RunState | null} state  the newest, if it changed
 * @property {boolean} live  false while the past of the run is read
 *
 * @typedef {object} Call  one tool call, with its result once there is one
 * @property {string} id
 * @property {string} name
 * @property {string} args  JSON text, as the model wrote it
 * @property {string | null} result
 * @property {boolean} isError
 * @property {number | null} durationMs
 * @property {string} lost  why there will be no result: the run ended before
 *
 * @typedef {object} Part  text or picture of a message
 * @property {'text' | 'image' | 'json'} kind
 * @property {string} value  text, data URL, or JSON text
 *
 * @typedef {object} Item  one thing in the conversation
 * @property {string} key  unique in the run; stays when a streamed message is finished
 * @property {number} seq  0 while it is not in the log
 * @property {string} at
 * @property {'message' | 'thought' | 'tools' | 'handoff' | 'note' | 'code' | 'input' | 'command' | 'end'} kind
 * @property {string} source
 * @property {Part[]} parts
 * @property {Usage | null} usage
 * @property {Call[]} calls
 * @property {string} label  what the item says besides its parts: the note's title, the target of a handoff, the command
 * @property {boolean} streaming
 * @property {string} requestId  of the question in an input item
 * @property {'open' | 'answered' | 'unanswered' | ''} answer
 * @property {string} state  of the run, in an end item
 * @property {Body[]} why  the decisions that gave the word to who speaks here, from the outermost team inwards
 */
export {}
