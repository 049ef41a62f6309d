// @ts-check
// What fills the tabs beside the conversation. Each is told of a run when it is opened.
/** @import {Panel} from './types.js' */
import { forksPanel } from './compare/forks.js'
import { promptPanel } from './compare/prompt.js'
import { runMenu } from './compare/run-menu.js'
import { costPanel } from './cost/panel.js'
import { debugPanel } from './debug/panel.js'
import { filesPanel } from './files/panel.js'

/**
 * A panel gets the run that is shown, and may return what is to be called with each batch of news.
 * Its fragment is `fragments/run/<name>.html`, its tab a line of `pages/playground.html`.
 * @type {{[name: string]: Panel}}
 */
export const panels = {
  prompt: promptPanel,
  forks: forksPanel,
  runMenu,
  debug: debugPanel,
  cost: costPanel,
  files: filesPanel,
}
