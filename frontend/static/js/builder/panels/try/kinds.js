// @ts-check
// How each kind of part is tried.

/**
 * What a kind is tried with.
 * @type {Record<string, 'talk' | 'tools' | 'termination'>}
 */
export const SHAPES = {
  team: 'talk',
  agent: 'talk',
  model: 'talk',
  tool: 'tools',
  workbench: 'tools',
  memory: 'tools',
  context: 'tools',
  executor: 'tools',
  termination: 'termination',
}
/** Where one begins to type. */
export const FIRST = /** @type {Record<string, string>} */ ({
  talk: 'composer',
  tools: 'tools',
  termination: 'pasted',
})
/** What one does there. */
export const HINTS = /** @type {Record<string, string>} */ ({
  team: 'Give the team a task. It runs with your current edits, separately from its other runs.',
  agent: 'Chat with this agent alone. It remembers the conversation until you reset it.',
  model: 'Send the model a message, without an agent around it.',
  tool: 'Fill in the arguments and call the tool.',
  workbench: 'Call one of its tools.',
  memory: 'Ask what it remembers, or add to it.',
  context: 'Paste a conversation to see what a model would receive.',
  executor: 'Run code as an agent would.',
})
