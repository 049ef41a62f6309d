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
 * @typedef {object} Pending  a question to the person
 * @property {string} request_id
 * @property {string} prompt
 * @property {string} source
 * @property {'input' | 'approval' | 'breakpoint' | 'budget' | 'outcome'} [kind]
 * @property {Body} [details]  by the kind: the call of a tool, choices, a schema
 *
 * @typedef {object} RunState
 * @property {string} state
 * @property {string} reason
 * @property {Pending | null} pending
 * @property {boolean} [finishing]  told to pause or stop; what it has begun still comes
 * @property {{kind: string, name: string, agent: string, since: string}[]} [in_flight]  what a run
 *   that is held or ends still waits for
 * @property {{kind: string, name: string, agent: string, since: string, progress_text: string}[]} [progress]
 *   calls that have told how far they are
 * @property {{[id: string]: number}} [hits]  how often each breakpoint was met
 * @property {string} [editable_id]  id of the last message, while it can be changed
 * @property {string} [detail]  how it ended, in words
 * @property {Usage} [usage]  of all model calls so far
 * @property {Mocked[]} [mocks]  what stands in its team for other parts
 * @property {number} [last_seq]  the log's newest entry when this was so
 *
 * @typedef {{prompt_tokens: number, completion_tokens: number, micro_usd?: number, unpriced_calls?:
 *   number}} Usage
 *
 * @typedef {{place: string, name: string, kind: string}} Mocked
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
 * @property {string | null} [parent_id]  of a run that goes on from another one
 * @property {number} [parent_seq]  the last entry that both have
 * @property {'' | 'fork' | 'rerun' | 'replay' | 'import'} [origin]
 * @property {Mocked[]} [mocks]
 * @property {{evaluation_id: string, suite_name: string, case_key: string, epoch: number,
 *   judged_run_id: string} | null} [evaluated]
 * @property {string} [continues]  the earlier run whose conversation this one continues
 *
 * @typedef {object} RunSummary
 * @property {string} id
 * @property {string} team_id
 * @property {Task} task
 * @property {string} [title]  what a person calls it
 * @property {string[]} [tags]
 * @property {boolean} [is_starred]
 * @property {string} state
 * @property {string} reason
 * @property {string} started_at
 * @property {Usage | null} usage
 * @property {string | null} [session_id]  the first run of the conversation that this one continues
 * @property {string | null} [parent_id]
 * @property {string} [origin]
 *
 * @typedef {string | (string | Body)[]} Task
 *
 * @typedef {'text' | 'picture' | 'folder'} FileUse  how agents get a file
 *
 * @typedef {{id: string, name: string, use: FileUse}} GivenFile  a file of a task that is started
 *
 * @typedef {{name: string, sha256: string, size: number, media_type: string}} SaidFile  a file that
 *   a message tells of
 *
 * @typedef {object} RunFile
 * @property {number} number
 * @property {string} id
 * @property {string} name
 * @property {number} size
 * @property {string} media_type
 * @property {'in' | 'out'} direction
 * @property {string} agent  whose code wrote it
 * @property {string} at
 * @property {FileUse} use
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
 * @property {string} since  when it was made, or allowed
 * @property {string} asking  id of the question to a person that it waits for
 * @property {string} changed  arguments that a person gave it instead, as JSON text
 * @property {string} said  what it told last of its progress
 *
 * @typedef {object} Part  text or picture of a message
 * @property {'text' | 'image' | 'json'} kind
 * @property {string} value  text, data URL, or JSON text
 *
 * @typedef {object} Excerpt  a passage as `studio.knowledge.Excerpt` writes it
 * @property {string} base
 * @property {string} file
 * @property {number | null} page
 * @property {number} section
 * @property {string} heading
 * @property {string} citation
 * @property {number} score
 * @property {boolean} is_used
 * @property {string} text
 *
 * @typedef {object} Item  one thing in the conversation
 * @property {string} key  unique in the run; stays when a streamed message is finished
 * @property {number} seq  0 while it is not in the log
 * @property {string} at
 * @property {'message' | 'thought' | 'tools' | 'handoff' | 'note' | 'code' | 'input' | 'command' |
 *   'end'} kind
 * @property {string} source
 * @property {Part[]} parts
 * @property {import('./types.js').SaidFile[]} [files]  that go with it, or that its code wrote
 * @property {Excerpt[]} [excerpts]  passages of a knowledge base that were found
 * @property {Map<string, string>} [sources]  the knowledge base of each document that was found in
 *   the run so far, by the document's name
 * @property {Part[]} [written]  what an agent had written before a person changed or dropped it
 * @property {Usage | null} usage
 * @property {Call[]} calls
 * @property {string} label  what the item says besides its parts: the note's title, the target of a
 *   handoff, the command
 * @property {boolean} streaming
 * @property {string} requestId  of the question in an input item
 * @property {Body} [details]  of the question: choices, a schema of the answer
 * @property {'open' | 'answered' | 'unanswered' | ''} answer
 * @property {string} state  of the run, in an end item; 'waiting' or 'unheard' in a message that a
 *   person injected
 * @property {{agent: string, model: string}} [culprit]  whose model failed, in an end item
 * @property {Body[]} why  the decisions that gave the word to who speaks here, from the outermost
 *   team inwards
 *
 * @typedef {object} RunContext  what a panel is given of the run that is shown
 * @property {HTMLElement} page
 * @property {Run} run  as it was when the page opened it
 * @property {Promise<unknown>} begun  settles when the end of its log has come; what is not needed
 *   for that is asked for after it
 * @property {import('./log/selection.js').Selection} selection  which entry is selected, for all
 *   views
 * @property {import('../core/actions.js').Actions} actions  for keys, palette and the list of keys;
 *   new with each run
 * @property {(after: number, before: number) => Promise<Entry[]>} entriesBetween  whole entries,
 *   both ends left out; kept, so asking again is cheap
 * @property {(name: string) => void} showView  bring a tab to the front
 * @property {AbortSignal} signal  ends with the run being left
 *
 * @typedef {(context: RunContext) => void | ((batch: Batch) => void)} Panel  what it returns gets
 *   news; of the past it gets all entries
 *   first, with `live: false` and bodies that hold what the index knows: type, source, models_usage
 */
export {}
