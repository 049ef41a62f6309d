/**
 * Log entries for tests, one second apart.
 * @param {...[kind: string, body: object]} pairs
 */
export function entriesOf(...pairs) {
  return pairs.map(([kind, body], index) => ({
    seq: index + 1,
    at: new Date(Date.UTC(2026, 0, 1, 12, 0, index)).toISOString(),
    kind,
    body,
  }))
}

/**
 * @param {string} source
 * @param {unknown} content
 * @param {[number, number]} [used]
 */
export function message(source, content, used) {
  const models_usage = used ? { prompt_tokens: used[0], completion_tokens: used[1] } : null
  return { id: `${source}-${content}`, type: 'TextMessage', source, content, models_usage }
}

/** @param {object} parts */
export const batchOf = (parts) => ({ entries: [], chunks: [], state: null, live: true, ...parts })

/** @param {string} name */
export const agent = (name, kind = 'AssistantAgent') => ({
  provider: `autogen_agentchat.agents.${kind}`,
  config: { name },
})
/**
 * @param {string} kind
 * @param {object[]} participants
 */
export const team = (kind, participants, more = {}) => ({
  provider: `autogen_agentchat.teams.${kind}`,
  config: { participants, ...more },
})
