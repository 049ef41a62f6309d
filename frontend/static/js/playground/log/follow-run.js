// @ts-check
/** @import {Batch, Run} from '../types.js' */
/** @import {RunIndex} from './run-index.js' */
import { hasEnded } from '../run-status.js'
import { entriesAfter, newsOf, server } from './server.js'
import { openStream } from './stream.js'

/**
 * Hands on what happens in a run from where its index ends, until it is over. A page asks for the
 * run and its entries at the same time: one that has ended may have entries that came in between.
 * @param {Run} run
 * @param {{index: RunIndex, push: (batch: Batch) => void, onState: (run: Run) => void, showLost?:
 *   (isLost: boolean) => void}} to  `take`: gets the run when nothing more can come
 * @param {AbortSignal} signal
 */
export function followRun(run, { index, push, onState, showLost = () => {} }, signal) {
  const { id } = run
  if (hasEnded(run.state) && run.last_seq <= index.lastSeq) return
  openStream(
    {
      after: index.lastSeq,
      url: (after) => server.streamUrl(id, after),
      onBatch: push,
      onStatus: (status) => showLost(status !== 'open'),
      onDone: async () => {
        showLost(false)
        onState(await server.run(id))
      },
      look: (after) => newsOf(id, after, signal),
      isOver: async () => {
        const now = await server.run(id)
        if (hasEnded(now.state))
          for await (const entries of entriesAfter(id, index.lastSeq, signal))
            push({ entries, chunks: [], state: null, live: true })
        return hasEnded(now.state)
      },
    },
    signal,
  )
}
