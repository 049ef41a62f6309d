// @ts-check
/** @import {RunState} from './types.js' */
import { hasEnded, rowWords } from './run-words.js'

/** Says in the tab of the browser how the open run stands, for whoever looks at another one. */
export function tabSign() {
  const title = document.title
  const icon = document.querySelector('link[rel="icon"]')
  const address = icon?.getAttribute('href') ?? ''

  return {
    /** @param {Pick<RunState, 'state' | 'reason'> | null} run  null: none is open */
    show(run) {
      document.title = run ? `${rowWords(run).words} · ${title}` : title
      const sign =
        !run || hasEnded(run.state)
          ? ''
          : rowWords(run).look === 'waiting'
            ? '-waiting'
            : run.state === 'paused'
              ? ''
              : '-busy'
      icon?.setAttribute('href', address.replace('favicon.svg', `favicon${sign}.svg`))
    },
  }
}
