// @ts-check
// What was said, as it is shown: the messages of a chat, the newest at the bottom.
import { el } from '../core/dom.js'
import { renderPlainly } from '../playground/chat/safe-markdown.js'
import { wordsFor } from './words.js'

/** @import {ChatEvent, Question} from './connection.js' */

const NEAR_PX = 80
/** What agents for people ask where their team gave them nothing else to say. */
const NO_PROMPT = /^(Enter your response:)?\s*$/

/**
 * @param {HTMLElement} root
 * @param {{ answerTo: (questionId: string) => string | undefined, choose: (text: string) => void }}
 *   options  `choose`: one of the offered answers was pressed
 */
export function chatLog(root, { answerTo, choose }) {
  let last = ''
  /** @type {Question | null} */
  let asked = null

  /** @param {HTMLElement} node */
  function add(node) {
    const isAtEnd = root.scrollHeight - root.scrollTop - root.clientHeight < NEAR_PX
    root.append(node)
    if (isAtEnd) root.scrollTop = root.scrollHeight
    return node
  }

  /** @param {string} text */
  function own(text) {
    root.scrollTop = root.scrollHeight
    return add(said('visitor', 'You', el('p', { class: 'chat-text' }, text)))
  }

  /**
   * @param {string} text
   * @param {string} [source]
   */
  function team(text, source = '') {
    if (text === '' || text === last) return
    last = text
    const words = el('div', { class: 'prose' })
    renderPlainly(words, text)
    add(said('team', source || 'Team', source && el('p', { class: 'chat-source' }, source), words))
  }

  /** @param {Question} question */
  function ask(question) {
    asked = question
    const isAsked = !NO_PROMPT.test(question.prompt)
    const prompt = isAsked ? question.prompt : last || 'The team asks for your answer.'
    const choices = question.choices.map((each) => String(each))
    const buttons = choices.map((text) =>
      el('button', { class: 'button', type: 'button', on: { click: () => choose(text) } }, text),
    )
    if (prompt !== last || buttons.length > 0)
      add(
        said(
          'team',
          'The team asks',
          prompt !== last && el('p', { class: 'chat-text' }, prompt),
          buttons.length > 0 && el('div', { class: 'row-wrap', 'data-choices': '' }, ...buttons),
        ),
      )
    last = prompt
  }

  /** The question was answered: here, or in the studio. */
  function settle() {
    for (const each of root.querySelectorAll('[data-choices]')) each.remove()
    const text = asked ? answerTo(asked.id) : undefined
    asked = null
    if (text !== undefined) own(text)
  }

  return {
    own,
    /** @param {ChatEvent} event */
    show({ name, data }) {
      if (asked && name !== 'waiting') settle()
      if (name === 'message') return team(data.text, data.source)
      if (data.answer) team(data.answer)
      if (name === 'waiting' && data.question?.to === 'caller') ask(data.question)
      if (name === 'ended' && data.error) this.problem(wordsFor(data.error.code))
    },
    /** Another message of the visitor follows: what comes now is another answer. */
    turn() {
      last = ''
      for (const each of root.querySelectorAll('.chat-problem')) each.remove()
    },
    /** @param {string} words */
    problem(words) {
      add(el('p', { class: 'chat-problem' }, words))
    },
    clear() {
      last = ''
      asked = null
      root.replaceChildren(...root.querySelectorAll('[data-greeting]'))
    },
    get isEmpty() {
      return root.querySelector('.chat-message, .chat-problem') === null
    },
  }
}

/**
 * @param {'visitor' | 'team'} from
 * @param {string} who
 * @param {...(Node | string | false | null)} parts
 */
function said(from, who, ...parts) {
  const name = el('span', { class: 'visually-hidden' }, `${who}: `)
  return el('div', { class: 'chat-message', 'data-from': from }, name, ...parts)
}
