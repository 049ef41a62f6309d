// @ts-check
/** @import {RunState} from './types.js' */
import { hasEnded, rowStatus } from './run-status.js'

/** Says in the tab of the browser how the open run stands, for whoever looks at another one. */
export function tabTitle() {
  const title = document.title
  const icon = document.querySelector('link[rel="icon"]')
  const address = icon?.getAttribute('href') ?? ''

  return {
    /** @param {Pick<RunState, 'state' | 'reason'> | null} run  null: none is open */
    show(run) {
      document.title = run ? `${rowStatus(run).words} · ${title}` : title
      const sign =
        !run || hasEnded(run.state)
          ? ''
          : rowStatus(run).look === 'waiting'
            ? '-waiting'
            : run.state === 'paused'
              ? ''
              : '-busy'
      icon?.setAttribute('href', address.replace('favicon.svg', `favicon${sign}.svg`))
    },
  }
}
